import { newCheckedToken } from '../keys/checked-token';

export const PUBLISHABLE_KEY_PREFIX = 'svc_pk_';
/** 178 random bits in base62. */
const RANDOM_CHARACTERS = 30;

export function newPublishableKey(): string {
  return newCheckedToken(PUBLISHABLE_KEY_PREFIX, RANDOM_CHARACTERS);
}

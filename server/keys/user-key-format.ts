import { authSecret } from '../env';
import { hmacSha256 } from '../ids';
import { hasValidChecksum, newCheckedToken } from './checked-token';

export const USER_KEY_PREFIX = 'svc_sk_';
/** 256 random bits in base62. */
const RANDOM_CHARACTERS = 43;

/** A new user key: shown or sent once, stored as a hash only. */
export function newUserKey(): string {
  return newCheckedToken(USER_KEY_PREFIX, RANDOM_CHARACTERS);
}

/**
 * What is stored of a user key; null when the checksum shows that it never was one. The pepper
 * keeps somebody who can write to the table from planting a key.
 */
export function hashUserKey(key: string): Buffer | null {
  return hasValidChecksum(key) ? hmacSha256(pepper(), key) : null;
}

const pepper = (): string => `user-key:${authSecret()}`;

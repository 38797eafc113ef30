import { authSecret } from '../env';
import { hmacSha256 } from '../ids';
import { hasValidChecksum, newCheckedToken } from './checked-token';

export const USER_KEY_PREFIX = 'svc_sk_';
/** 256 random bits in base62. */
const RANDOM_CHARACTERS = 43;

/** A new user key: shown or sent once, stored only as a hash. */
export function newUserKey(): string {
  return newCheckedToken(USER_KEY_PREFIX, RANDOM_CHARACTERS);
}

/**
 * The stored hash of a user key; null when the checksum shows that it was never a key. Because of
 * the pepper, write access to the table is not enough to plant a key.
 */
export function hashUserKey(key: string): Buffer | null {
  return hasValidChecksum(key) ? hmacSha256(pepper(), key) : null;
}

const pepper = (): string => `user-key:${authSecret()}`;

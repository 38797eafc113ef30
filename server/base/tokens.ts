import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './ids';
import { storedHashes } from './keyed-hash';

/**
 * User keys and publishable keys as text. Both end in a checksum, so that a typo is refused without a query
 * and secret scanners can recognise a real key.
 */

export const USER_KEY_PREFIX = 'svc_sk_';
/** 256 random bits in base62. */
const USER_KEY_CHARACTERS = 43;

export const PUBLISHABLE_KEY_PREFIX = 'svc_pk_';
/** 178 random bits in base62. */
const PUBLISHABLE_KEY_CHARACTERS = 30;

const CHECKSUM_CHARACTERS = 6;

/** A new user key: shown or sent once, stored as a hash only. */
export const newUserKey = (): string => newToken(USER_KEY_PREFIX, USER_KEY_CHARACTERS);

/**
 * Returns the stored form of a user key, or null when the checksum is wrong. The pepper prevents anyone with
 * write access to the table from planting a key.
 */
export const hashUserKey = (key: string): Buffer | null => findUserKeyHashes(key)[0] ?? null;

/** The stored form under each accepted secret, the current one first. None when the checksum is wrong. */
export function findUserKeyHashes(key: string): Buffer[] {
  return hasValidChecksum(key) ? storedHashes('user-key', key) : [];
}

export const newPublishableKey = (): string => newToken(PUBLISHABLE_KEY_PREFIX, PUBLISHABLE_KEY_CHARACTERS);

/** Whether this could be a publishable key; only the database knows whether it is one. */
export function isPublishableKey(key: string): boolean {
  return key.startsWith(PUBLISHABLE_KEY_PREFIX) && hasValidChecksum(key);
}

function newToken(prefix: string, randomCharacters: number): string {
  const body = prefix + randomBase62(randomCharacters);
  return body + checksum(body);
}

function hasValidChecksum(token: string): boolean {
  return checksum(token.slice(0, -CHECKSUM_CHARACTERS)) === token.slice(-CHECKSUM_CHARACTERS);
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_CHARACTERS);
}

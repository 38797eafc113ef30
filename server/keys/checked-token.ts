import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from '../ids';

/**
 * Tokens that end in a checksum, so that a typo is rejected without a query and secret scanners can
 * distinguish a real token from noise.
 */
const CHECKSUM_CHARACTERS = 6;

export function newCheckedToken(prefix: string, randomCharacters: number): string {
  const body = prefix + randomBase62(randomCharacters);
  return body + checksum(body);
}

export function hasValidChecksum(token: string): boolean {
  return checksum(token.slice(0, -CHECKSUM_CHARACTERS)) === token.slice(-CHECKSUM_CHARACTERS);
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_CHARACTERS);
}

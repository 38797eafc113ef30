import { DAY_MS, now } from '../../base/clock';
import { isKeyedHash, keyedHash } from '../../base/keyed-hash';

/**
 * The link in a mail that revokes a key without signing in. Its token is signed and names one key. It works
 * once, because a revoked key stays revoked.
 */

const PURPOSE = 'revoke-link';
const LIFETIME_MS = 30 * DAY_MS;
const TOKEN = /^(key_[0-9A-Za-z]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/;

export function writeRevokeToken(keyId: string): string {
  const content = `${keyId}.${(now() + LIFETIME_MS).toString(36)}`;
  return `${content}.${keyedHash(PURPOSE, content).toString('base64url')}`;
}

/** The key that a token revokes, or null when the token is not ours or has expired. */
export function readRevokeToken(token: string): string | null {
  const [, keyId = '', expiry = '', signature = ''] = TOKEN.exec(token) ?? [];
  const isOurs = isKeyedHash(Buffer.from(signature, 'base64url'), PURPOSE, `${keyId}.${expiry}`);
  return isOurs && Number.parseInt(expiry, 36) > now() ? keyId : null;
}

import { HOUR_MS, now } from '../../base/clock';
import { openSealed, seal } from '../../base/seal';

/**
 * The address in a 402, where the user of a key buys credits or allows the request. It is encrypted, and names the
 * key by its stored hash, so that it contains neither a key nor an id of an account. It opens nothing by itself:
 * the user signs in.
 */

/** Where it leads: buying credits for the app, the app's allowance and limits, its run key, or the limits of all apps. */
export type UserPage = 'buy' | 'app' | 'run_key' | 'limits';

export type ActionLink = { page: UserPage; keyHash: Uint8Array<ArrayBuffer> };

const PURPOSE = 'action-link';
const LIFETIME_MS = HOUR_MS;
const TOKEN = /^[\w-]{100,200}$/;

/** Writes nothing to the database, because a refused request costs nothing. */
export function writeActionPath(keyHash: Buffer, page: UserPage): string {
  const content = `${page}.${(now() + LIFETIME_MS).toString(36)}.${keyHash.toString('base64url')}`;
  return `/continue?token=${Buffer.from(seal(content, PURPOSE)).toString('base64url')}`;
}

/** Null when the token is not ours or has expired. */
export function readActionToken(token: string): ActionLink | null {
  if (!TOKEN.test(token)) return null;
  try {
    const [page, expiry = '', keyHash = ''] = openSealed(Buffer.from(token, 'base64url'), PURPOSE).split('.');
    if (!(Number.parseInt(expiry, 36) > now())) return null;
    return { page: page as UserPage, keyHash: new Uint8Array(Buffer.from(keyHash, 'base64url')) };
  } catch {
    return null;
  }
}

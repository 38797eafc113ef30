import { DAY_MS, now } from './clock';
import { openSealed, seal } from './seal';

/**
 * The link in a mail that stops all spending of a user without signing in. Its token is encrypted, because the id of
 * the account must not appear in a URL, and serves no other purpose.
 */

export const STOP_LABEL = 'Stop all apps from spending my credits';

const PURPOSE = 'stop-link';
const LIFETIME_MS = 30 * DAY_MS;
const TOKEN = /^[\w-]{80,200}$/;

export function writeStopPath(userId: string): string {
  const token = Buffer.from(seal(`${userId}.${(now() + LIFETIME_MS).toString(36)}`, PURPOSE));
  return `/stop?token=${token.toString('base64url')}`;
}

/** The user whose spending a token stops, or null when the token is not ours or has expired. */
export function readStopToken(token: string): string | null {
  if (!TOKEN.test(token)) return null;
  try {
    const [userId = '', expiry = ''] = openSealed(Buffer.from(token, 'base64url'), PURPOSE).split('.');
    return Number.parseInt(expiry, 36) > now() ? userId : null;
  } catch {
    return null;
  }
}

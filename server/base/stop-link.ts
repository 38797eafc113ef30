import type { Language } from '../../texts/languages';
import { DAY_MS, now } from './clock';
import { mailWords } from './mail-words';
import { openSealed, seal } from './seal';

/**
 * The link in a mail that stops spending of a user without signing in: of all apps, or of the app that the mail is about.
 * Its token is encrypted, because the id of the account must not appear in a URL, and serves no other purpose.
 */

export type StopLink = {
  userId: string;
  /** The app that the mail is about, if it is about one. */
  partnerId?: string | undefined;
};

const PURPOSE = 'stop-link';
const LIFETIME_MS = 30 * DAY_MS;
const TOKEN = /^[\w-]{80,240}$/;

export const labelStop = ({ partnerId }: StopLink, language: Language = 'en'): string =>
  mailWords(language).links[partnerId === undefined ? 'stop' : 'stopApp'];

export function writeStopPath({ userId, partnerId = '' }: StopLink): string {
  const expiry = (now() + LIFETIME_MS).toString(36);
  const token = Buffer.from(seal([userId, expiry, partnerId].join('.'), PURPOSE));
  return `/stop?token=${token.toString('base64url')}`;
}

/** What a token stops, or null when the token is not ours or has expired. */
export function readStopToken(token: string): StopLink | null {
  const sealed = Buffer.from(token, 'base64url');
  // Decoding ignores an incomplete end.
  if (!TOKEN.test(token) || sealed.toString('base64url') !== token) return null;
  try {
    const text = openSealed(sealed, PURPOSE);
    const [userId = '', expiry = '', partnerId = ''] = text.split('.');
    if (Number.parseInt(expiry, 36) <= now()) return null;
    return { userId, ...(partnerId !== '' && { partnerId }) };
  } catch {
    return null;
  }
}

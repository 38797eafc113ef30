import { DAY_MS, now, SECOND_MS } from '../base/clock';
import { readCookie } from '../base/cookies';
import { randomBase62 } from '../base/ids';
import { isKeyedHash, keyedHash } from '../base/keyed-hash';

/**
 * A cookie that says which accounts signed in on this browser before, so that strangers cannot use up
 * the codes of its user. It survives signing out and signs nobody in. Each entry is a random id and an
 * HMAC over it and the e-mail address: nothing is stored, and the cookie names no account.
 */

export const KNOWN_BROWSER_COOKIE = '__Host-svc-known';
/** Browsers keep no cookie longer. */
const LIFETIME_MS = 400 * DAY_MS;
export const KNOWN_BROWSER_SECONDS = LIFETIME_MS / SECOND_MS;
const MAX_ACCOUNTS = 5;
const ID_CHARACTERS = 16;
const MAC_BYTES = 16;
const ENTRY = /^([0-9A-Za-z]{16})\.([0-9a-z]{1,9})\.([\w-]{22})$/;
const SEPARATOR = '~';

/** The id of this browser among those that signed in to the account, or null. It is the same until the cookie is gone. */
export function findKnownBrowser(cookie: string | null | undefined, email: string): string | null {
  for (const entry of readEntries(cookie)) {
    const [, id = '', issued = '', mac = ''] = ENTRY.exec(entry) ?? [];
    const ageMs = now() - Number.parseInt(issued, 36) * SECOND_MS;
    if (ageMs < LIFETIME_MS && isOurMac(Buffer.from(mac, 'base64url'), [id, issued, email])) return id;
  }
  return null;
}

/** The cookie after signing in to the account, with the latest accounts first. */
export function rememberBrowser(cookie: string | null | undefined, email: string): string {
  const id = findKnownBrowser(cookie, email) ?? randomBase62(ID_CHARACTERS);
  const issued = Math.floor(now() / SECOND_MS).toString(36);
  const entry = `${id}.${issued}.${macOf([id, issued, email]).toString('base64url')}`;
  const others = readEntries(cookie).filter((other) => !other.startsWith(`${id}.`));
  return [entry, ...others].slice(0, MAX_ACCOUNTS).join(SEPARATOR);
}

export function readKnownBrowserCookie(request: Request): string | null {
  return readCookie(request, KNOWN_BROWSER_COOKIE);
}

/** The value of a `Set-Cookie` header. In a frame on another site the cookie exists only under that site. */
export function knownBrowserCookie(value: string, { framed }: { framed: boolean }): string {
  const site = framed ? 'SameSite=None; Partitioned' : 'SameSite=Lax';
  return `${KNOWN_BROWSER_COOKIE}=${value}; Max-Age=${KNOWN_BROWSER_SECONDS}; Path=/; HttpOnly; Secure; ${site}`;
}

/** The ids of the entries, one for each account. */
export const readBrowserIds = (cookie: string): string[] =>
  readEntries(cookie).map((entry) => entry.slice(0, ID_CHARACTERS));

function readEntries(cookie: string | null | undefined): string[] {
  return (cookie ?? '').split(SEPARATOR, MAX_ACCOUNTS).filter((entry) => ENTRY.test(entry));
}

const macOf = (signed: string[]): Buffer =>
  keyedHash('known-browser', signed.join('\n')).subarray(0, MAC_BYTES);

const isOurMac = (mac: Buffer, signed: string[]): boolean =>
  isKeyedHash(mac, 'known-browser', signed.join('\n'), MAC_BYTES);

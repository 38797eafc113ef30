import { SECOND_MS } from '../base/clock';
import { readCookie } from '../base/cookies';
import { SESSION_LIFETIME_MS } from './sessions';

/**
 * The cookie with a device's session on the service's own pages. `__Host-` prevents other hosts and
 * paths from setting it; browsers also accept it on http://localhost.
 */

export const SESSION_COOKIE = '__Host-svc-session';
export const SESSION_COOKIE_SECONDS = SESSION_LIFETIME_MS / SECOND_MS;
/** For code that sets the cookie through another API. The headers below use the same options. */
export const SESSION_COOKIE_OPTIONS = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';

/** The value of a `Set-Cookie` header. */
export function sessionCookie(token: string): string {
  return `${SESSION_COOKIE}=${token}; Max-Age=${SESSION_COOKIE_SECONDS}; ${ATTRIBUTES}`;
}

export function clearedSessionCookie(): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;
}

export function readSessionToken(request: Request): string | null {
  return readCookie(request, SESSION_COOKIE);
}

import { cookies, headers } from 'next/headers';
import { readClientIp } from '@/server/base/http/client-ip';
import { KNOWN_BROWSER_COOKIE, KNOWN_BROWSER_SECONDS } from '@/server/people/known-browser';
import { PENDING_IDENTITY_COOKIE } from '@/server/people/pending-identity';
import {
  SESSION_COOKIE,
  SESSION_COOKIE_OPTIONS,
  SESSION_COOKIE_SECONDS,
} from '@/server/people/session-cookie';

/** The browser that calls a sign-in action, and the session it keeps afterwards. */

export async function readBrowser() {
  const request = await headers();
  return {
    clientIp: readClientIp({ headers: request }),
    browserCookie: (await cookies()).get(KNOWN_BROWSER_COOKIE)?.value ?? null,
    userAgent: request.get('user-agent') ?? '',
    currentToken: (await cookies()).get(SESSION_COOKIE)?.value ?? null,
    pendingIdentity: (await cookies()).get(PENDING_IDENTITY_COOKIE)?.value ?? null,
  };
}

/** `browserCookie` marks the browser as known to the account; without it, the mark stays as it is. */
export async function keepSession(session: { token: string; browserCookie?: string }): Promise<void> {
  const store = await cookies();
  store.set(SESSION_COOKIE, session.token, { ...SESSION_COOKIE_OPTIONS, maxAge: SESSION_COOKIE_SECONDS });
  if (session.browserCookie === undefined) return;
  const options = { ...SESSION_COOKIE_OPTIONS, maxAge: KNOWN_BROWSER_SECONDS };
  store.set(KNOWN_BROWSER_COOKIE, session.browserCookie, options);
  // An identity that waits for a code was linked with this sign-in, or is given up.
  store.set(PENDING_IDENTITY_COOKIE, '', { ...SESSION_COOKIE_OPTIONS, maxAge: 0 });
}

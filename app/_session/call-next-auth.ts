import type { AuthOptions } from 'next-auth';
import type { Adapter } from 'next-auth/adapters';
import { SECOND_MS } from '@/server/base/clock';
import { authSecret } from '@/server/base/env';
import { log } from '@/server/base/log';
import { sessionAdapter } from '@/server/people/session-adapter';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from '@/server/people/session-cookie';
import { SESSION_IDLE_MS } from '@/server/people/sessions';
import { authProviders } from './auth-providers';

/** While a sign-in is at an issuer. `__Host-`: no other host can plant those of a sign-in that it began itself. */
export const SIGN_IN_COOKIES = {
  start: '__Host-svc-sign-in-start',
  state: '__Host-svc-sign-in-state',
  nonce: '__Host-svc-sign-in-nonce',
  pkce: '__Host-svc-sign-in-pkce',
};

/**
 * next-auth treats a session that could not be read as missing, so users would be asked to sign in
 * because the database is busy. Here the failure is rethrown.
 */
export async function callNextAuth<T>(call: (options: AuthOptions) => Promise<T>): Promise<T> {
  const failures: unknown[] = [];
  const result = await call(authOptions(sessionAdapter((error) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
  return result;
}

/** next-auth on top of our own sessions. It proves who the user is at an issuer; we open the session. */
function authOptions(adapter: Adapter): AuthOptions {
  return {
    secret: authSecret(),
    adapter,
    providers: authProviders(),
    session: { strategy: 'database', maxAge: SESSION_IDLE_MS / SECOND_MS },
    useSecureCookies: true,
    cookies: {
      sessionToken: { name: SESSION_COOKIE, options: SESSION_COOKIE_OPTIONS },
      callbackUrl: { name: SIGN_IN_COOKIES.start, options: SESSION_COOKIE_OPTIONS },
      state: { name: SIGN_IN_COOKIES.state, options: SESSION_COOKIE_OPTIONS },
      nonce: { name: SIGN_IN_COOKIES.nonce, options: SESSION_COOKIE_OPTIONS },
      pkceCodeVerifier: { name: SIGN_IN_COOKIES.pkce, options: SESSION_COOKIE_OPTIONS },
    },
    // Its messages quote what issuers and browsers sent.
    logger: {
      error: (code) => log().warn({ code }, 'next-auth refused a sign-in'),
      warn: () => {},
      debug: () => {},
    },
    pages: { signIn: '/sign-in', signOut: '/sign-in', error: '/sign-in' },
    callbacks: {
      /** All that scripts on our pages may learn: that a user is signed in, and until when. */
      session: ({ session }) => ({ expires: session.expires }),
      redirect: ({ url }) => url,
    },
  };
}

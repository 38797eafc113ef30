import type { AuthOptions } from 'next-auth';
import type { Adapter } from 'next-auth/adapters';
import { SECOND_MS } from '@/server/base/clock';
import { authSecret } from '@/server/base/env';
import { sessionAdapter } from '@/server/people/session-adapter';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from '@/server/people/session-cookie';
import { SESSION_IDLE_MS } from '@/server/people/sessions';

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

/**
 * next-auth on top of our own sessions. Users sign in by e-mailed code on our page, which creates the
 * session; a provider such as Google would be listed under `providers`, for first-party windows only.
 */
function authOptions(adapter: Adapter): AuthOptions {
  return {
    secret: authSecret(),
    adapter,
    providers: [],
    session: { strategy: 'database', maxAge: SESSION_IDLE_MS / SECOND_MS },
    useSecureCookies: true,
    cookies: {
      sessionToken: { name: SESSION_COOKIE, options: SESSION_COOKIE_OPTIONS },
    },
    pages: { signIn: '/sign-in', signOut: '/sign-in', error: '/sign-in' },
    callbacks: {
      /** All that scripts on our pages may learn: that a user is signed in, and until when. */
      session: ({ session }) => ({ expires: session.expires }),
    },
  };
}

import type { AuthOptions } from 'next-auth';
import type { Adapter } from 'next-auth/adapters';
import { SECOND_MS } from '@/server/clock';
import { authSecret } from '@/server/env';
import { sessionAdapter } from '@/server/identity/session-adapter';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from '@/server/identity/session-cookie';
import { SESSION_IDLE_MS } from '@/server/identity/sessions';

/**
 * next-auth takes a session that could not be read for one that is not there: people would be asked to
 * sign in because the database is busy. Here what failed is thrown on.
 */
export async function askNextAuth<T>(ask: (options: AuthOptions) => Promise<T>): Promise<T> {
  const failures: unknown[] = [];
  const answer = await ask(authOptions(sessionAdapter((error) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
  return answer;
}

/**
 * next-auth over our own sessions. People sign in by e-mailed code on our page, which makes the
 * session; a provider such as Google would be named under `providers`, for first-party windows only.
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
      /** All that a script of our pages may learn: that somebody is signed in, and until when. */
      session: ({ session }) => ({ expires: session.expires }),
    },
  };
}

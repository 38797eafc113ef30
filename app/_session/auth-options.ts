import type { AuthOptions } from 'next-auth';
import { SECOND_MS } from '@/server/clock';
import { authSecret } from '@/server/env';
import { sessionAdapter } from '@/server/identity/session-adapter';
import { SESSION_COOKIE, SESSION_COOKIE_OPTIONS } from '@/server/identity/session-cookie';
import { SESSION_IDLE_MS } from '@/server/identity/sessions';

/**
 * next-auth over our own sessions. People sign in by e-mailed code on our page, which makes the
 * session; a provider such as Google would be named under `providers`, for first-party windows only.
 */
export function authOptions(): AuthOptions {
  return {
    secret: authSecret(),
    adapter: sessionAdapter,
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

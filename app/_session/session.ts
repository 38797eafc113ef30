import { cookies, headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { getServerSession } from 'next-auth/next';
import { cache } from 'react';
import { PATH_HEADER } from '@/app/_ui/site-header';
import { lacksPasskey } from '@/server/people/presence';
import type { SessionUser } from '@/server/people/session-adapter';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { isOperator, type LiveSession, lacksIssuer } from '@/server/people/sessions';
import { callNextAuth } from './call-next-auth';
import { HOME, issuerPath, passkeyPath, signInPath } from './return-path';

/** The session on the service's own pages. For pages; actions are made in `action.ts`. */

export type Session = LiveSession;

export const findSession = cache(async (): Promise<Session | null> => {
  const found = await callNextAuth((options) =>
    getServerSession({
      ...options,
      callbacks: {
        session: ({ session, user }) => ({ ...session, live: (user as SessionUser).live }),
      },
    }),
  );
  return (found as { live: Session } | null)?.live ?? null;
});

/** Redirects to the sign-in page, and back, unless the user is signed in. */
export async function requireSession(): Promise<Session> {
  return (await findSession()) ?? redirect(signInPath(await here()));
}

/** Whether this browser has signed in, to word a link. Proves nothing and needs no database. */
export async function hasSessionCookie(): Promise<boolean> {
  return (await cookies()).has(SESSION_COOKIE);
}

/** For anyone but an operator, this page is a 404. An operator has to have used the passkey, if there is one, and the issuer, if OIDC_OPERATORS asks for it. */
export const requireOperator = cache(async (): Promise<Session> => {
  const session = await requireSession();
  if (!isOperator(session)) notFound();
  if (lacksIssuer(session)) redirect(issuerPath(await here()));
  if (await lacksPasskey(session)) redirect(passkeyPath(await here()));
  return session;
});

async function here(): Promise<string> {
  return (await headers()).get(PATH_HEADER) ?? HOME;
}

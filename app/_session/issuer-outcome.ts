import { cookies } from 'next/headers';
import type { Challenge } from '@/app/_ui/code-entry';
import type { Messages } from '@/app/checkout/messages';
import { openPendingIdentity, PENDING_IDENTITY_COOKIE } from '@/server/people/pending-identity';
import { textOf } from '@/texts/say';

/** What the page that began a sign-in with an issuer shows afterwards. */

/** Undefined for a text that is none of ours: it comes from the address. */
export function describeFailure(
  failure: string | string[] | undefined,
  say: Pick<Messages, 'issuerFailures'>,
): string | undefined {
  return typeof failure === 'string' ? textOf(say.issuerFailures, failure) : undefined;
}

/** The code that the user has to enter, because the address has an account. */
export async function findPendingIdentity(): Promise<{ email: string; challenge: Challenge } | null> {
  const pending = openPendingIdentity((await cookies()).get(PENDING_IDENTITY_COOKIE)?.value);
  if (pending === null) return null;
  const { email, challengeId: id, resendInSeconds } = pending;
  return { email, challenge: { id, resendInSeconds } };
}

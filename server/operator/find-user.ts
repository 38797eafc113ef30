import { prisma } from '../db';
import { normaliseEmail } from '../identity/email';
import { openSealed, seal } from '../webhooks/seal';

/**
 * A user in an address of the console: neither the e-mail nor the account id stands in a URL, so
 * pages are named by a sealed id that only this install can read.
 */
const PURPOSE = 'operator: user';

export async function findUserRef(emailText: string): Promise<string | null> {
  const normalised = normaliseEmail(emailText);
  if (!normalised.ok) return null;
  const user = await prisma().user.findUnique({ where: { email: normalised.email }, select: { id: true } });
  return user && userRef(user.id);
}

export const userRef = (userId: string): string => Buffer.from(seal(userId, PURPOSE)).toString('base64url');

/** The user's address; null for a reference that is not ours. */
export async function findUserByRef(ref: string): Promise<{ id: string; email: string } | null> {
  const id = openRef(ref);
  return id === null ? null : prisma().user.findUnique({ where: { id }, select: { id: true, email: true } });
}

function openRef(ref: string): string | null {
  try {
    return openSealed(Buffer.from(ref, 'base64url'), PURPOSE);
  } catch {
    return null;
  }
}

/** Who paid, by checkout session. */
export async function findBuyerRefs(sessionIds: string[]): Promise<Map<string, string>> {
  const sessions = await prisma().checkoutSession.findMany({
    where: { id: { in: sessionIds } },
    select: { id: true, userId: true },
  });
  return new Map(sessions.map(({ id, userId }) => [id, userRef(userId)]));
}

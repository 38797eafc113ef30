import { prisma } from '../base/db';
import { openSealed, seal } from '../base/seal';
import { normaliseEmail } from '../people/email';
import { findUserOfRequest } from '../reports/activity/user-receipt';

/**
 * Identifies a user in dashboard URLs. Neither the e-mail address nor the user id may appear in a URL,
 * so pages use a sealed id that only this installation can read.
 */
const PURPOSE = 'operator: user';

/** Finds a user by anything a complaint may quote: an address, an app user id, a payment or a request. */
export async function findUserRef(text: string): Promise<string | null> {
  const name = text.trim();
  const id = (await FIND_BY[name.slice(0, 3)]?.(name)) ?? (await findByEmail(name));
  return id && userRef(id);
}

const FIND_BY: Record<string, (id: string) => Promise<string | null | undefined>> = {
  au_: async (appUserId) => (await prisma().userApp.findUnique({ where: { appUserId } }))?.userId,
  txn: async (id) => (await prisma().purchase.findUnique({ where: { id } }))?.userId,
  req: findUserOfRequest,
  cks: async (id) => (await prisma().checkoutSession.findUnique({ where: { id } }))?.userId,
};

async function findByEmail(text: string): Promise<string | null> {
  const normalised = normaliseEmail(text);
  if (!normalised.ok) return null;
  const user = await prisma().user.findUnique({ where: { email: normalised.email }, select: { id: true } });
  return user?.id ?? null;
}

export const userRef = (userId: string): string => Buffer.from(seal(userId, PURPOSE)).toString('base64url');

/** The user's e-mail address; null for a reference that is not ours. */
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

/** The buyer of a checkout session. */
export async function findBuyerRefs(sessionIds: string[]): Promise<Map<string, string>> {
  const sessions = await prisma().checkoutSession.findMany({
    where: { id: { in: sessionIds } },
    select: { id: true, userId: true },
  });
  return new Map(sessions.map(({ id, userId }) => [id, userRef(userId)]));
}

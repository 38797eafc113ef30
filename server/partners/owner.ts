import { prisma, type Tx } from '../db';
import type { Partner } from './partner';

/** Whose app it is: the owner is known by e-mail, in the form that accounts have. */

/** Oldest first. */
export function listOwnedPartners(ownerEmail: string): Promise<Partner[]> {
  return prisma().partner.findMany({ where: { ownerEmail }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

/** Null for an app that is somebody else's, or nobody's. */
export function findOwnedPartner(ownerEmail: string, partnerId: string): Promise<Partner | null> {
  return prisma().partner.findFirst({ where: { id: partnerId, ownerEmail } });
}

/** Hands the app over; null leaves it without an owner, to the operator alone. */
export async function setOwner(
  partnerId: string,
  ownerEmail: string | null,
  db: Tx = prisma(),
): Promise<void> {
  await db.partner.update({ where: { id: partnerId }, data: { ownerEmail } });
}

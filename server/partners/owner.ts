import { prisma, type Tx } from '../db';
import type { Partner } from './partner';

/** Ownership of apps. Owners are identified by normalised e-mail address, like accounts. */

/** Oldest first. */
export function listOwnedPartners(ownerEmail: string): Promise<Partner[]> {
  return prisma().partner.findMany({ where: { ownerEmail }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

/** Null for an app with another owner or none. */
export function findOwnedPartner(ownerEmail: string, partnerId: string): Promise<Partner | null> {
  return prisma().partner.findFirst({ where: { id: partnerId, ownerEmail } });
}

/** Transfers the app. With null it has no owner and only the operator can manage it. */
export async function setOwner(
  partnerId: string,
  ownerEmail: string | null,
  db: Tx = prisma(),
): Promise<void> {
  await db.partner.update({ where: { id: partnerId }, data: { ownerEmail } });
}

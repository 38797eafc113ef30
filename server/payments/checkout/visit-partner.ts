import { now } from '../../base/clock';
import { prisma } from '../../base/db';
import { invariant } from '../../base/errors';
import { hasIdForm } from '../../base/ids';
import { findPartner, type Partner, partnerDisabled } from '../../partners/partner';
import { nameOnPages } from '../../partners/rename';
import type { Visit } from './visits';

/** A window stays open for an hour, and its app may have been disabled since. */
export async function requireEnabledPartner({ partnerId }: Visit): Promise<Partner> {
  const partner = await findPartner(partnerId);
  invariant(partner, 'partners are never deleted');
  if (partner.disabledAt !== null) throw partnerDisabled();
  return partner;
}

/** The name of the app that an open window is for. Null if there is none. */
export async function findVisitApp(visitId: string): Promise<string | null> {
  if (!hasIdForm(visitId)) return null;
  const visit = await prisma().checkoutVisit.findUnique({ where: { id: visitId } });
  const partner =
    visit === null || visit.expiresAt.getTime() <= now() ? null : await findPartner(visit.partnerId);
  return visit && partner && partner.disabledAt === null ? nameOnPages(partner, visit.origin) : null;
}

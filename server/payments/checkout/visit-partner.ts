import { invariant } from '../../base/errors';
import { findPartner, type Partner, partnerDisabled } from '../../partners/partner';
import type { Visit } from './visits';

/** A window stays open for an hour, and its app may have been disabled since. */
export async function requireEnabledPartner({ partnerId }: Visit): Promise<Partner> {
  const partner = await findPartner(partnerId);
  invariant(partner, 'partners are never deleted');
  if (partner.disabledAt !== null) throw partnerDisabled();
  return partner;
}

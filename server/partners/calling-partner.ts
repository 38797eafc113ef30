import { requireAllowedOrigin } from './origins';
import { type Partner, requirePartner } from './partner';

/** The partner whose publishable key a request carries. A web page must be on one of its origins. */
export async function requireCallingPartner(request: Request, publishableKey: string): Promise<Partner> {
  const partner = await requirePartner(publishableKey);
  const origin = request.headers.get('origin');
  if (origin !== null) await requireAllowedOrigin(partner.id, origin);
  return partner;
}

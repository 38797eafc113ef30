import { type Permission, savePermission } from './permission';
import { requireEnabledPartner } from './visit-partner';
import { requireOwnSignIn } from './visit-sign-in';
import type { Visit } from './visits';

/** Saves, in a checkout window, what its app may draw from the user's other credits. */
export async function permit(
  visit: Visit,
  { credits, saveId }: { credits: number | null; saveId: string },
): Promise<Permission> {
  const { userId } = await requireOwnSignIn(visit);
  await requireEnabledPartner(visit);
  // The id comes from the page: the visit's own id keeps it from meeting another window's.
  return savePermission({ userId, partnerId: visit.partnerId, saveId: `${visit.id}:${saveId}` }, credits);
}

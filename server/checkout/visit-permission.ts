import { type Microcredits, parseCredits } from '../credits';
import { ApiError } from '../errors';
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
  const limit = credits === null ? null : requireLimit(credits);
  // The id comes from the page: the visit's own id keeps it from meeting another window's.
  return savePermission({ userId, partnerId: visit.partnerId, saveId: `${visit.id}:${saveId}` }, limit);
}

function requireLimit(credits: number): Microcredits {
  const limit = parseCredits(String(credits));
  if (limit === null || limit < 0n) {
    throw new ApiError('invalid_request', 'credits: must be zero or more, with at most six decimals', {
      param: 'credits',
    });
  }
  return limit;
}

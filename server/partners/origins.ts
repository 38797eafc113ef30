import { nowDate } from '../base/clock';
import { prisma } from '../base/db';
import { ApiError } from '../base/errors';
import { isAllowedOrigin, MAX_ORIGIN_LENGTH } from './origin-rules';

export async function requireAllowedOrigin(partnerId: string, origin: string): Promise<void> {
  const registered = await prisma().partnerOrigin.findMany({
    where: { partnerId },
    select: { origin: true },
  });
  const allowed = isAllowedOrigin(
    origin,
    registered.map((entry) => entry.origin),
  );
  if (!allowed) throw originNotAllowed(origin);
}

export const originNotAllowed = (origin: string): ApiError =>
  new ApiError(
    'origin_not_allowed',
    `The origin ${printable(origin)} is not registered for this app. Add it to the app's origins in the partner dashboard.`,
  );

/** Notes that the checkout was opened from a registered origin. */
export async function noteOpened(partnerId: string, origin: string): Promise<void> {
  await prisma().partnerOrigin.updateMany({
    where: { partnerId, origin, openedAt: null },
    data: { openedAt: nowDate() },
  });
}

/** The origin in a form that is safe in a message. */
function printable(origin: string): string {
  return origin.slice(0, MAX_ORIGIN_LENGTH).replace(/[^!-~]/g, '?');
}

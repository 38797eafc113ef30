import { creditsToJson, type Microcredits, parseCredits, ZERO } from '../credits';
import { inTransaction, type Tx } from '../db';
import { ApiError } from '../errors';
import { type Booking, saveLimit } from '../ledger';
import { recordEvent } from '../webhooks/record';
import { readEventSubject } from './event-subject';
import { requireEnabledPartner } from './visit-partner';
import { requireOwnSignIn } from './visit-sign-in';
import type { Visit } from './visits';

type Permission = { grantedCredits: Microcredits; creditsAdded: Microcredits; balance: Microcredits };

/** Saves what the app may draw from the user's other credits; null takes the permission away. */
export async function permit(
  visit: Visit,
  { credits, saveId }: { credits: number | null; saveId: string },
): Promise<Permission> {
  const { userId } = await requireOwnSignIn(visit);
  await requireEnabledPartner(visit);
  const limit = credits === null ? null : requireLimit(credits);
  const { partnerId } = visit;
  return inTransaction(async (tx) => {
    // The id comes from the page: the visit's own id keeps it from meeting another window's.
    const booking = await saveLimit(tx, { userId, appId: partnerId, limit, saveId: `${visit.id}:${saveId}` });
    if (booking.repeated) await requireSameSave(tx, { userId, transactionId: booking.transactionId, limit });
    else await tellPartner(tx, { userId, partnerId, limit, booking });
    return { grantedCredits: limit ?? ZERO, creditsAdded: booking.creditsAdded, balance: booking.balance };
  });
}

async function tellPartner(
  tx: Tx,
  {
    userId,
    partnerId,
    limit,
    booking,
  }: { userId: string; partnerId: string; limit: Microcredits | null; booking: Booking },
): Promise<void> {
  await recordEvent(tx, {
    partnerId,
    type: 'credits.added',
    causeId: booking.transactionId,
    data: {
      type: 'permission',
      ...(await readEventSubject(tx, { userId, partnerId })),
      balance: creditsToJson(booking.balance),
      credits_added: creditsToJson(booking.creditsAdded),
      granted_credits: creditsToJson(limit ?? ZERO),
    },
  });
}

async function requireSameSave(
  tx: Tx,
  { userId, transactionId, limit }: { userId: string; transactionId: string; limit: Microcredits | null },
): Promise<void> {
  const saved = await tx.ledgerTransaction.findUniqueOrThrow({
    where: { userId_id: { userId, id: transactionId } },
    select: { limitSaved: true },
  });
  if (saved.limitSaved !== (limit ?? ZERO)) {
    throw new ApiError('idempotency_conflict', 'save_id: was used before with another number', {
      param: 'save_id',
    });
  }
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

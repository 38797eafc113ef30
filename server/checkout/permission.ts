import { creditsToJson, type Microcredits, ZERO } from '../credits';
import { inTransaction, type Tx } from '../db';
import { ApiError } from '../errors';
import { type Booking, pauseAllowance, resumeAllowance, saveAllowance } from '../ledger';
import { recordEvent } from '../webhooks/record';
import { readEventSubject } from './event-subject';

/** Whose permission for which app; a repeated save id is booked once. */
export type PermissionSave = { userId: string; partnerId: string; saveId: string };
export type Permission = { grantedCredits: Microcredits; creditsAdded: Microcredits; balance: Microcredits };

/** Saves what the app may draw from the user's other credits; null takes the permission away. */
export function savePermission(save: PermissionSave, limit: Microcredits | null): Promise<Permission> {
  return inTransaction(async (tx) => {
    const booking = await saveAllowance(tx, { ...inLedger(save), limit });
    if (booking.repeated) await requireSameSave(tx, save, booking, limit);
    return settle(tx, save, booking, limit ?? ZERO);
  });
}

/** Takes the permission away for a while. Null when the app has none. */
export function pausePermission(save: PermissionSave): Promise<Permission | null> {
  return inTransaction(async (tx) => {
    const booking = await pauseAllowance(tx, inLedger(save));
    return booking && settle(tx, save, booking, ZERO);
  });
}

/** Gives back what was left of a paused permission. Null when none is paused. */
export function resumePermission(save: PermissionSave): Promise<Permission | null> {
  return inTransaction(async (tx) => {
    const booking = await resumeAllowance(tx, inLedger(save));
    return booking && settle(tx, save, booking, booking.limit);
  });
}

const inLedger = ({ userId, partnerId, saveId }: PermissionSave) => ({ userId, partnerId, saveId });

async function settle(
  tx: Tx,
  save: PermissionSave,
  booking: Booking,
  granted: Microcredits,
): Promise<Permission> {
  if (!booking.repeated) await tellPartner(tx, save, booking, granted);
  return { grantedCredits: granted, creditsAdded: booking.creditsAdded, balance: booking.balance };
}

async function tellPartner(
  tx: Tx,
  { userId, partnerId }: PermissionSave,
  booking: Booking,
  granted: Microcredits,
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
      granted_credits: creditsToJson(granted),
    },
  });
}

async function requireSameSave(
  tx: Tx,
  { userId }: PermissionSave,
  { transactionId }: Booking,
  limit: Microcredits | null,
): Promise<void> {
  const saved = await tx.ledgerTransaction.findUniqueOrThrow({
    where: { userId_id: { userId, id: transactionId } },
    select: { allowanceSaved: true },
  });
  if (saved.allowanceSaved !== (limit ?? ZERO)) {
    throw new ApiError('idempotency_conflict', 'save_id: was used before with another number', {
      param: 'save_id',
    });
  }
}

import { creditsToJson, type Microcredits, ZERO } from '../../base/credits';
import { inTransaction, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import * as ledger from '../../ledger';
import { recordEvent } from '../../partners/webhooks/record';
import { readEventSubject } from './event-subject';

/** Identifies the user, the partner and the save. A save id that is sent again is booked once. */
export type AllowanceSave = { userId: string; partnerId: string; saveId: string };
export type SavedAllowance = {
  grantedCredits: Microcredits;
  creditsAdded: Microcredits;
  balance: Microcredits;
};

/** Sets the allowance of a partner; null removes it. The caller has made sure that the user is present. */
export async function setAllowance(
  save: AllowanceSave,
  allowance: Microcredits | null,
): Promise<SavedAllowance> {
  return inTransaction((tx) => book(tx, save, allowance));
}

/** Pauses the allowance until it is resumed. Null when there is none. */
export function pauseAllowance(save: AllowanceSave): Promise<SavedAllowance | null> {
  return inTransaction(async (tx) => {
    const booking = await ledger.pauseAllowance(tx, inLedger(save));
    return booking && recordChange(tx, save, booking, ZERO);
  });
}

/** Restores the unspent part of a paused allowance. Null when none is paused. */
export function resumeAllowance(save: AllowanceSave): Promise<SavedAllowance | null> {
  return inTransaction(async (tx) => {
    const booking = await ledger.resumeAllowance(tx, inLedger(save));
    return booking && recordChange(tx, save, booking, booking.allowance);
  });
}

/**
 * Sets an allowance only if it does not raise what is left of the current one, or if `confirm` returns true.
 * Otherwise changes nothing and returns null.
 */
export function setConfirmedAllowance(
  save: AllowanceSave,
  allowance: Microcredits | null,
  confirm: (tx: Tx) => Promise<boolean>,
): Promise<SavedAllowance | null> {
  return inTransaction(async (tx) => {
    const isRaise = (allowance ?? ZERO) > (await ledger.lockAllowance(tx, save));
    return isRaise && !(await confirm(tx)) ? null : book(tx, save, allowance);
  });
}

async function book(tx: Tx, save: AllowanceSave, allowance: Microcredits | null): Promise<SavedAllowance> {
  // Saving zero removes the allowance.
  const saved = allowance === ZERO ? null : allowance;
  const booking = await ledger.saveAllowance(tx, { ...inLedger(save), allowance: saved });
  if (booking.repeated) await requireSameAllowance(tx, save, booking, allowance);
  return recordChange(tx, save, booking, allowance ?? ZERO);
}

const inLedger = ({ userId, partnerId, saveId }: AllowanceSave) => ({ userId, partnerId, saveId });

async function requireSameAllowance(
  tx: Tx,
  { userId }: AllowanceSave,
  { transactionId }: ledger.Booking,
  allowance: Microcredits | null,
): Promise<void> {
  const saved = await tx.ledgerTransaction.findUniqueOrThrow({
    where: { id: transactionId, userId },
    select: { allowanceSaved: true },
  });
  if (saved.allowanceSaved !== (allowance ?? ZERO)) {
    throw new ApiError('idempotency_conflict', 'save_id: was already used with a different amount', {
      param: 'save_id',
    });
  }
}

async function recordChange(
  tx: Tx,
  save: AllowanceSave,
  booking: ledger.Booking,
  granted: Microcredits,
): Promise<SavedAllowance> {
  if (!booking.repeated) await notifyPartner(tx, save, booking, granted);
  return { grantedCredits: granted, creditsAdded: booking.creditsAdded, balance: booking.balance };
}

async function notifyPartner(
  tx: Tx,
  { userId, partnerId }: AllowanceSave,
  booking: ledger.Booking,
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

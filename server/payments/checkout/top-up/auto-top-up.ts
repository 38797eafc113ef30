import type { AutoTopUp } from '../../../../prisma/client/client';
import { nowDate } from '../../../base/clock';
import { inTransaction, prisma, type Tx } from '../../../base/db';
import { makeMailDue } from '../../../base/due-mails';
import type { PaymentFailure } from '../failure';

/**
 * Auto top-up: when a user's free credits fall below a threshold, it buys more with a saved card. One row per
 * user is its settings and the top-up in progress, if any.
 */

export type TopUpState = 'authorizing' | 'on' | 'needs_confirmation' | 'off';

/** Why it is off. A payment's failure is that of the last top-up. */
export type OffReason = PaymentFailure | 'user' | 'not_allowed' | 'reversed';

export function findAutoTopUp(userId: string): Promise<AutoTopUp | null> {
  return prisma().autoTopUp.findUnique({ where: { userId } });
}

/** Whether it charges the card, now or once the buyer confirms. */
export const isTopUpOn = (topUp: Pick<AutoTopUp, 'state'> | null): boolean =>
  topUp !== null && ['on', 'needs_confirmation'].includes(topUp.state);

/** The card that auto top-up charges, or will once the bank agrees. Null while it is off. */
export async function findTopUpCardId(userId: string): Promise<string | null> {
  const topUp = await findAutoTopUp(userId);
  return topUp === null || topUp.state === 'off' ? null : topUp.cardId;
}

/** What was charged in the current month (UTC) and counts towards the ceiling. */
export function readSpentThisMonth({ month, monthMinor }: AutoTopUp): number {
  const isCurrent = month !== null && month.toISOString().slice(0, 7) >= nowDate().toISOString().slice(0, 7);
  return isCurrent ? monthMinor : 0;
}

/** By the user. A payment that waits for a confirmation is cancelled by the background pass. */
export async function turnOffAutoTopUp(userId: string): Promise<void> {
  await inTransaction((tx) => switchOff(tx, { userId }, 'user'));
}

/** Call this when a card was removed from the user's account. */
export async function turnOffForCard(userId: string, cardId: string): Promise<void> {
  await inTransaction((tx) => switchOff(tx, { userId, cardId }, 'unknown_card'));
}

/** Call this when a payment was refunded or disputed: nothing happens unless it was an auto top-up. */
export async function turnOffForReversal(tx: Tx, checkoutSessionId: string): Promise<void> {
  const topUp = await tx.checkoutSession.findUnique({
    where: { id: checkoutSessionId, method: 'auto_top_up' },
    select: { userId: true },
  });
  if (topUp !== null) await switchOff(tx, topUp, 'reversed');
}

/** Call this when users take money back: it would be charged again within seconds, for the credits that are missing then. */
export async function turnOffForRefund(tx: Tx, userId: string): Promise<void> {
  await switchOff(tx, { userId }, 'reversed');
}

/** Says so by mail, unless the user did it. A charge in progress is not interrupted. */
async function switchOff(
  tx: Tx,
  whose: { userId: string; cardId?: string },
  reason: OffReason,
): Promise<void> {
  const off = {
    state: 'off' satisfies TopUpState,
    offReason: reason,
    authorizationId: null,
    updatedAt: nowDate(),
  };
  const where = { ...whose, state: { not: 'off' } };
  // The pass cancels the payment at once.
  const waiting = { ...where, state: 'needs_confirmation' };
  const ended = await tx.autoTopUp.updateMany({ where: waiting, data: { ...off, leaseUntil: nowDate() } });
  const { count } = await tx.autoTopUp.updateMany({ where, data: off });
  if (reason !== 'user' && count + ended.count > 0)
    await makeMailDue(tx, 'top_up', { userId: whose.userId, about: 'off' });
}

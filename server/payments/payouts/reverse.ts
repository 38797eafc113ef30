import { prisma, type Tx } from '../../base/db';
import { returnPayout } from '../../ledger';
import { refusal, requirePayout, requireState } from './approve';
import { stripePayouts } from './stripe/processor';

/** Taking back a payout at the payment processor, in full. */

/** A payout that can be reversed, with its transfer. */
export async function requireReversible(tx: Tx, payoutId: string): Promise<{ transferId: string }> {
  const payout = await requirePayout(tx, payoutId);
  requireState(payout, ['sent'], 'reversed');
  if (payout.processorTransferId === null)
    throw refusal('This payout was made by hand: record it as returned instead');
  return { transferId: payout.processorTransferId };
}

/** Outside any transaction. A repetition reverses once, so an attempt that was interrupted can be repeated. */
export async function reverseTransfer(payoutId: string): Promise<void> {
  const { transferId } = await requireReversible(prisma(), payoutId);
  const outcome = await stripePayouts.reverseTransfer({ payoutId, transferId });
  if (outcome.kind === 'refused') throw refusal(`Stripe refuses the reversal: ${outcome.failure}`);
}

/** Books a reversed payout back; false if this has already happened. */
export const bookReversal = (tx: Tx, payoutId: string, failure: string): Promise<boolean> =>
  returnPayout({ payoutId, from: ['sent'], to: 'returned', failure }, tx);

import { type Microcredits, microcredits } from '../credits';
import { inTransaction, prisma } from '../db';
import { clawBack } from '../ledger';
import { noteConcerns } from './alerts';
import type { ProcessorReversals } from './payment-processor';
import { stripeProcessor } from './stripe/processor';

const MAX_ROUNDS = 10;

/**
 * Claws back the credits of everything refunded or disputed so far; a failed refund and a won
 * dispute return them. The processor is read again after each booking, so that the last booking
 * reflects its latest state, in whatever order events arrive and handlers run.
 */
export async function applyReversals(paymentId: string): Promise<void> {
  let booked: string | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reversals = await stripeProcessor.readReversals(paymentId);
    const standing = JSON.stringify(reversals);
    if (reversals === null || standing === booked) return;
    if (!(await bookReversals(reversals))) return;
    booked = standing;
  }
  throw new Error('the reversals of a payment keep changing; the event must be retried');
}

/** False when the purchase does not exist. */
async function bookReversals({
  checkoutSessionId: sessionId,
  refundedMinor,
  disputedMinor,
  concerns,
}: ProcessorReversals): Promise<boolean> {
  await noteConcerns(sessionId, concerns);
  const purchase = await prisma().purchase.findUnique({ where: { sessionId } });
  if (purchase === null) return false;
  const { id, userId, amountMinor } = purchase;
  // The sum is rounded, not its parts.
  const refunded = creditsTaken(purchase, refundedMinor);
  const reversed = creditsTaken(purchase, refundedMinor + disputedMinor);
  await inTransaction(async (tx) => {
    await clawBack(tx, { userId, sessionId, refunded, disputed: microcredits(reversed - refunded) });
    await tx.purchase.update({
      where: { id },
      data: {
        refundedMinor: Math.min(refundedMinor, amountMinor),
        disputedMinor: Math.min(disputedMinor, amountMinor - Math.min(refundedMinor, amountMinor)),
      },
    });
  });
  return true;
}

/** Computed from the cumulative amount and rounded down once, so that parts add up exactly. */
export function creditsTaken(
  { credits, amountMinor }: { credits: bigint; amountMinor: number },
  reversedMinor: number,
): Microcredits {
  const minor = Math.min(reversedMinor, amountMinor);
  return microcredits((credits * BigInt(minor)) / BigInt(amountMinor));
}

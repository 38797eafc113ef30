import { type Microcredits, microcredits } from '../credits';
import { inTransaction, prisma } from '../db';
import { clawBack } from '../ledger';
import { noteConcerns } from './alerts';
import type { ProcessorReversals } from './payment-processor';
import { stripeProcessor } from './stripe/processor';

const MOST_ROUNDS = 10;

/**
 * Takes back the credits of what was refunded or disputed by now, in all; a refund that failed and
 * a dispute that was won give them back. The processor is asked again after the booking: whoever
 * books last has seen the last word, in whatever order events arrive and handlers run.
 */
export async function applyReversals(paymentId: string): Promise<void> {
  let booked: string | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const reversals = await stripeProcessor.readReversals(paymentId);
    const standing = JSON.stringify(reversals);
    if (reversals === null || standing === booked) return;
    if (!(await bookReversals(reversals))) return;
    booked = standing;
  }
  throw new Error('what is refunded of a payment keeps changing; the event is to come again');
}

/** False when there is no such purchase. */
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
  const taken = (minor: number) => creditsTaken(purchase, minor);
  await inTransaction(async (tx) => {
    await clawBack(tx, { userId, sessionId, reason: 'refund', cumulative: taken(refundedMinor) });
    await clawBack(tx, { userId, sessionId, reason: 'chargeback', cumulative: taken(disputedMinor) });
    await tx.purchase.update({
      where: { id },
      data: {
        refundedMinor: Math.min(refundedMinor, amountMinor),
        disputedMinor: Math.min(disputedMinor, amountMinor),
      },
    });
  });
  return true;
}

/** Of the cumulative amount, rounded down once: parts add up to the whole exactly. */
export function creditsTaken(
  { credits, amountMinor }: { credits: bigint; amountMinor: number },
  reversedMinor: number,
): Microcredits {
  const minor = Math.min(reversedMinor, amountMinor);
  return microcredits((credits * BigInt(minor)) / BigInt(amountMinor));
}

import type { Prisma } from '../../prisma/client/client';
import { type Microcredits, ZERO } from '../credits';
import { inTransaction, prisma } from '../db';
import { reservePromotion } from '../ledger';
import { describeError, log } from '../log';
import { fulfil } from './fulfil';
import { OPEN, type Payment } from './payment';
import { normaliseCode } from './promotion-codes';
import { countCodeAttempt, refusedCode } from './promotions';
import { stripeProcessor } from './stripe/processor';

/**
 * Writes a payment with the bonus of its promotion code, if any. The bonus is reserved: it is booked with the
 * purchase even if the promotion has ended by then, and released if the payment ends unpaid.
 */
export async function createWithBonus(
  data: Prisma.CheckoutSessionUncheckedCreateInput,
  code: string | undefined,
): Promise<{ payment: Payment; bonus: Microcredits }> {
  if (code === undefined) return { payment: await prisma().checkoutSession.create({ data }), bonus: ZERO };
  await countCodeAttempt(data.userId);
  await closeReservedPayments(data.userId);
  return inTransaction(async (tx) => {
    const payment = await tx.checkoutSession.create({ data });
    const reserved = await reservePromotion(tx, { sessionId: payment.id, code: normaliseCode(code) });
    if ('refusal' in reserved) throw refusedCode(reserved.refusal);
    return { payment, bonus: reserved.bonus };
  });
}

/**
 * Closes the user's other open payment forms with a code: a buyer who went back to change the amount must not be
 * refused for using the code twice.
 */
async function closeReservedPayments(userId: string): Promise<void> {
  const reserved = await prisma().promotionRedemption.findMany({ where: { userId, bookedAt: null } });
  const open = await prisma().checkoutSession.findMany({
    where: { id: { in: reserved.map(({ id }) => id) }, status: OPEN },
  });
  await Promise.all(open.map(closeNow));
}

async function closeNow({ id, processorSessionId }: Payment): Promise<void> {
  try {
    if (processorSessionId !== null) await stripeProcessor.expireSession(processorSessionId);
  } catch (error) {
    // It may have been paid.
    log().info({ checkoutSessionId: id, error: describeError(error) }, 'could not close an earlier payment');
  }
  await fulfil(id);
}

import type { Prisma } from '../../../prisma/client/client';
import { DAY_MS, SECOND_MS } from '../../base/clock';
import { type Microcredits, ZERO } from '../../base/credits';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import { countAttempt } from '../../base/rate-limit/attempts';
import { reservePromotion } from '../../ledger';
import { endPayment } from './end-payment';
import { OPEN, type Payment } from './payment';
import { normaliseCode } from './promotion-codes';
import { countCodeAttempt, refusedCode } from './promotions';

/** Paid or not, so that nobody keeps a promotion reserved by renewing payments that they never make. */
const RESERVATIONS_PER_DAY = 10;

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
  await countReservation(data.userId);
  await closeReservedPayments(data.userId);
  return inTransaction(async (tx) => {
    const payment = await tx.checkoutSession.create({ data });
    const reserved = await reservePromotion(tx, { sessionId: payment.id, code: normaliseCode(code) });
    if ('refusal' in reserved) throw refusedCode(reserved.refusal);
    await refuseSecondReservation(tx, payment);
    return { payment, bonus: reserved.bonus };
  });
}

async function countReservation(userId: string): Promise<void> {
  const user = await prisma().user.findUnique({ where: { id: userId }, select: { mailboxHash: true } });
  const mailbox = user?.mailboxHash ? Buffer.from(user.mailboxHash).toString('hex') : userId;
  const waitMs = await countAttempt('reservation', mailbox, RESERVATIONS_PER_DAY, DAY_MS);
  if (waitMs > 0)
    throw new ApiError(
      'rate_limited',
      'You have started too many payments with a promotion code today. Buy without the code, or try again tomorrow.',
      { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) },
    );
}

/**
 * Closes the other open payment forms with a code of the user and of the mailbox's other accounts: a buyer who went
 * back to change the amount must not be refused for using the code twice, and nobody reserves twice without paying.
 */
async function closeReservedPayments(userId: string): Promise<void> {
  const reserved = await findReserved(prisma(), userId);
  const open = await prisma().checkoutSession.findMany({ where: { id: { in: reserved } } });
  await Promise.all(open.map(endPayment));
}

/** For forms that were started at once, or could not be closed. The reservation has locked the mailbox's wallets. */
async function refuseSecondReservation(tx: Tx, { id, userId }: Payment): Promise<void> {
  const others = (await findReserved(tx, userId)).filter((other) => other !== id);
  if (others.length > 0)
    throw new ApiError(
      'invalid_request',
      'Another payment with a promotion code is open. Complete it, or try again later.',
      { param: 'promotion_code' },
    );
}

/** The open payments of the mailbox that reserve a bonus. */
async function findReserved(database: Pick<Tx, '$queryRaw'>, userId: string): Promise<string[]> {
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM promotion_redemption r JOIN checkout_session s ON s.id = r.id
    WHERE r.user_id IN (SELECT promotion_accounts(${userId})) AND r.booked_at IS NULL AND s.status = ${OPEN}`;
  return rows.map(({ id }) => id);
}

import { DAY_MS, MINUTE_MS, now, nowDate } from '../../base/clock';
import { inTransaction, prisma } from '../../base/db';
import { settings } from '../../base/env';
import { describeError, log } from '../../base/log';
import {
  type AskedRefund,
  askRefund,
  type Refundable,
  type RefundRequest,
  readRefundable,
  returnIdleHolds,
} from '../../ledger';
import { correctInvoice } from '../invoices/issue';
import { partnerNames } from './partner-names';
import { refundPayment, requirePaymentId } from './refund-purchase';
import { applyReversals } from './reversals';
import { turnOffForRefund } from './top-up/auto-top-up';

/**
 * Refunds that users make themselves: the credits of a recent purchase that are left, the oldest purchase first. The credits
 * are taken back when the refund is decided. The processor is asked afterwards, again if necessary; if it refuses, they return.
 */

export const REFUNDS_PER_MONTH = 3;
const MONTH_MS = 30 * DAY_MS;
/** An ordinary refund ends well before. */
const LEFT_AFTER_MS = MINUTE_MS;
const AT_ONCE = 50;

const refundableSince = (): Date => new Date(now() - settings().REFUND_DAYS * DAY_MS);
const monthAgo = (): Date => new Date(now() - MONTH_MS);

export type NextRefund = Refundable & {
  currency: string;
  appName: string;
  createdAt: Date;
  isLimited: boolean;
};

/** What the next refund would pay back. Null if nothing can be refunded. */
export async function findNextRefund(userId: string): Promise<NextRefund | null> {
  const [next] = await readRefundable(userId, refundableSince());
  if (next === undefined) return null;
  const used = await prisma().userRefund.count({
    where: { userId, createdAt: { gt: monthAgo() }, isRefused: false },
  });
  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { id: next.purchaseId } });
  const { currency, createdAt, partnerId } = purchase;
  const appName = (await partnerNames([purchase])).get(partnerId) ?? '';
  return { ...next, currency, appName, createdAt, isLimited: used >= REFUNDS_PER_MONTH };
}

type RefundWish = Pick<RefundRequest, 'userId' | 'purchaseId' | 'refundId'>;

/** `pending`: the money is on its way, or the processor is asked again. */
export type RefundOutcome = 'refunded' | 'pending' | 'refused';

/** Null if nothing of this purchase may be refunded, or an operator has to decide. Repeats of one id are one refund. */
export async function refundByUser(
  wish: RefundWish,
): Promise<{ amountMinor: number; outcome: RefundOutcome } | null> {
  const refund = await decide(wish);
  if (refund === null) return null;
  const outcome = await settle(refund).catch((error: unknown) => {
    log().warn({ error: describeError(error) }, 'could not complete a refund yet');
    return 'pending' as const;
  });
  return { amountMinor: refund.amountMinor, outcome };
}

async function decide(wish: RefundWish): Promise<AskedRefund | null> {
  await returnIdleHolds(wish.userId);
  return inTransaction(async (tx) => {
    const refund = await askRefund(tx, {
      ...wish,
      since: refundableSince(),
      month: monthAgo(),
      most: REFUNDS_PER_MONTH,
    });
    if (refund === null) return null;
    const purchase = await tx.purchase.findUniqueOrThrow({ where: { id: refund.purchaseId } });
    // Both change nothing when the refund is repeated.
    await correctInvoice(tx, purchase);
    await turnOffForRefund(tx, wish.userId);
    return refund;
  });
}

/**
 * Asks the processor, and notes its answer: the total that it reports may lack another refund that failed since. One that it
 * refused stays open until its credits have returned.
 */
async function settle(refund: AskedRefund): Promise<RefundOutcome> {
  const { userId, id, purchaseId, amountMinor } = refund;
  if (refund.settledAt !== null) return refund.isRefused ? 'refused' : 'refunded';
  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { id: purchaseId } });
  const outcome = refund.isRefused ? null : await refundPayment(purchase, amountMinor, `${userId}_${id}`);
  const note = (data: { settledAt: Date } | { isRefused: true }) =>
    prisma().userRefund.updateMany({ where: { userId, id, settledAt: null }, data });
  const rebook = async () => applyReversals(await requirePaymentId(purchase), 'refund');
  if (outcome?.ok) {
    const { count } = await note({ settledAt: nowDate() });
    if (count > 0) await rebook();
    return outcome.isPending ? 'pending' : 'refunded';
  }
  await note({ isRefused: true });
  await rebook();
  await note({ settledAt: nowDate() });
  return 'refused';
}

/** Completes refunds that a killed process or an unreachable processor left. */
export async function completeUserRefunds(): Promise<void> {
  const left = await prisma().userRefund.findMany({
    where: { settledAt: null, createdAt: { lt: new Date(now() - LEFT_AFTER_MS) } },
    orderBy: { createdAt: 'asc' },
    take: AT_ONCE,
  });
  for (const refund of left)
    await complete(refund).catch((error: unknown) =>
      log().warn({ error: describeError(error) }, 'could not complete a refund yet'),
    );
}

/** The processor may have made it, and repeats its answer to a key for a day only. */
async function complete({ userId, id, purchaseId }: AskedRefund): Promise<void> {
  const purchase = await prisma().purchase.findUniqueOrThrow({ where: { id: purchaseId } });
  await applyReversals(await requirePaymentId(purchase), 'refund');
  await settle(await prisma().userRefund.findUniqueOrThrow({ where: { userId_id: { userId, id } } }));
}

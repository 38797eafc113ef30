import { nowDate } from '../../base/clock';
import { pool, prisma, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import { closePayment } from './end-payment';
import { OPEN } from './payment';

/**
 * A purchase block: an operator's decision that an account buys no more credits. It covers every account of the
 * mailbox, also one that is created later. Credits that were bought keep working.
 */

/** Whether the purchases of an account are blocked; `alias` names its row of "user". */
export const isBlockedSql = (alias: string): string =>
  `(${alias}.purchases_blocked_at IS NOT NULL OR EXISTS (
     SELECT FROM "user" b WHERE b.mailbox_hash = ${alias}.mailbox_hash AND b.purchases_blocked_at IS NOT NULL))`;

export async function areBlocked(userId: string): Promise<boolean> {
  const { rowCount } = await pool().query(`SELECT FROM "user" u WHERE u.id = $1 AND ${isBlockedSql('u')}`, [
    userId,
  ]);
  return rowCount === 1;
}

/** Refuses a blocked account before a payment, card or authorisation begins. */
export async function requireMayBuy(userId: string): Promise<void> {
  if (await areBlocked(userId)) throw purchasesBlocked();
}

export const purchasesBlocked = (): ApiError =>
  new ApiError(
    'purchases_blocked',
    'Purchases are blocked for this account. The credits in it still work. Please contact support.',
  );

/** Returns the accounts among them whose purchases were not blocked before. */
export async function blockPurchases(tx: Tx, userIds: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE "user" SET purchases_blocked_at = ${nowDate()}
    WHERE id IN (SELECT id FROM "user" WHERE id = ANY (${userIds}) AND purchases_blocked_at IS NULL
                 ORDER BY id FOR UPDATE)
    RETURNING id`;
  return rows.map(({ id }) => id);
}

/** Ends the block of the mailbox's accounts. False if there was none. */
export async function allowPurchases(tx: Tx, userId: string): Promise<boolean> {
  const ended = await tx.$executeRaw`
    UPDATE "user" SET purchases_blocked_at = NULL
    WHERE purchases_blocked_at IS NOT NULL
      AND (id = ${userId} OR mailbox_hash = (SELECT mailbox_hash FROM "user" WHERE id = ${userId}))`;
  return ended > 0;
}

/** Ends payment forms that blocked accounts opened before, so that no further card can be tried in them. */
export async function closeOpenPayments(userIds: string[]): Promise<void> {
  const open = await prisma().checkoutSession.findMany({
    where: { userId: { in: userIds }, status: OPEN, expiresAt: { gt: nowDate() } },
  });
  for (const payment of open) await closePayment(payment);
}

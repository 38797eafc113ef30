import { inTransaction } from '../base/db';
import { ApiError } from '../base/errors';
import { allowPurchases, blockPurchases, closeOpenPayments } from '../payments/checkout/purchase-block';
import { type Operator, recordAction, requireReason } from './record';

type Block = { operator: Operator; userIds: string[]; reason: string };

/** Blocks the purchases of accounts, with an audit entry for each. Returns how many were not blocked before. */
export async function blockPurchasesAs({ operator, userIds, reason }: Block): Promise<number> {
  requireReason(reason);
  const blocked = await inTransaction(async (tx) => {
    const changed = await blockPurchases(tx, userIds);
    const [before, after] = [{ purchases: 'allowed' }, { purchases: 'blocked' }];
    for (const subject of changed)
      await recordAction(tx, { operator, what: 'user.block_purchases', subject, reason, before, after });
    return changed;
  });
  if (blocked.length === 0) throw new ApiError('invalid_request', 'These purchases are already blocked');
  await closeOpenPayments(blocked);
  return blocked.length;
}

type Permission = { operator: Operator; userId: string; reason: string };

export async function allowPurchasesAs({ operator, userId, reason }: Permission): Promise<void> {
  requireReason(reason);
  await inTransaction(async (tx) => {
    if (!(await allowPurchases(tx, userId)))
      throw new ApiError('invalid_request', 'Purchases of this account are not blocked');
    const [before, after] = [{ purchases: 'blocked' }, { purchases: 'allowed' }];
    await recordAction(tx, {
      operator,
      what: 'user.allow_purchases',
      subject: userId,
      reason,
      before,
      after,
    });
  });
}

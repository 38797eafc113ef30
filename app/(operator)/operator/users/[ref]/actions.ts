'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { giveCredits, requireCreditAmount, takeCreditsAway } from '@/server/operator/change-credits';
import { findUserByRef } from '@/server/operator/find-user';
import { refundByOperator } from '@/server/operator/handle-payments';
import { findPartner } from '@/server/partners/partner';
import { inMoney } from '../../write-amounts';

const ofUser = z.object({ userRef: z.string().max(500), reason: z.string().max(600) });

async function requireUser(ref: string): Promise<{ id: string; email: string }> {
  const user = await findUserByRef(ref);
  if (user === null) throw new ApiError('not_found', 'This user no longer exists');
  return user;
}

export const changeCredits = operatorAction(
  ofUser.extend({
    kind: z.enum(['give', 'take']),
    partnerId: z.string().max(100).nullable(),
    credits: z.string().max(40),
    changeId: z.uuid(),
  }),
  async ({ email: operator }, { userRef, reason, kind, partnerId, credits, changeId }) => {
    const { id: userId } = await requireUser(userRef);
    if (partnerId !== null && (await findPartner(partnerId)) === null) {
      throw new ApiError('not_found', 'There is no such app', { param: 'app' });
    }
    const change = { operator, userId, partnerId, credits: requireCreditAmount(credits), reason, changeId };
    await (kind === 'give' ? giveCredits(change) : takeCreditsAway(change));
    revalidatePath(`/operator/users/${userRef}`);
    return { ok: true, message: kind === 'give' ? 'Credits given' : 'Credits taken' };
  },
);

export const refund = operatorAction(
  ofUser.extend({
    purchaseId: z.string().max(100),
    amount: z.string().max(20),
    currency: z.enum(['usd', 'eur']),
    refundId: z.uuid(),
  }),
  async ({ email: operator }, { userRef, purchaseId, amount, currency, reason, refundId }) => {
    if (!/^\d{1,6}(\.\d{1,2})?$/.test(amount.trim())) {
      throw new ApiError('invalid_request', 'Enter an amount such as 12.50', { param: 'amount' });
    }
    const { refundedMinor, isPending } = await refundByOperator({
      operator,
      purchaseId,
      amount: Number(amount),
      reason,
      refundId,
    });
    revalidatePath(`/operator/users/${userRef}`);
    const total = `${inMoney(refundedMinor, currency)} refunded in total`;
    return { ok: true, message: isPending ? `${total}. The bank is processing this refund.` : total };
  },
);

'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { refundByUser } from '@/server/payments/checkout/user-refunds';

const DONE = {
  refunded: 'Refunded to your payment method',
  pending: 'Refund started. It can take a few days.',
};

export const refundUnused = sessionAction(
  z.object({ purchaseId: z.string().max(64), refundId: z.uuid() }),
  async ({ userId }, wish) => {
    const refund = await refundByUser({ userId, ...wish });
    revalidatePath('/account/purchases');
    if (refund === null) return { ok: false, message: 'Nothing is left to refund. Reload this page.' };
    if (refund.outcome === 'refused')
      return { ok: false, message: 'The payment method did not accept the refund. Your credits are back.' };
    return { ok: true, message: DONE[refund.outcome] };
  },
);

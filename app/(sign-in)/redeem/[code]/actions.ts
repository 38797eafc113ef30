'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { acceptGift } from '@/server/payments/checkout/gifts';
import { CODE_REFUSALS } from '@/server/payments/checkout/promotions';

export const redeem = sessionAction(
  z.object({ code: z.string().max(100) }),
  async ({ userId }, { code }) => {
    const outcome = await acceptGift(userId, code);
    return 'gift' in outcome
      ? { ok: true }
      : { ok: false, code: outcome.refusal, message: CODE_REFUSALS[outcome.refusal] };
  },
  { harmless: 'adds credits to the account that is signed in' },
);

'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { startTopUpConfirmation } from '@/server/payments/checkout/top-up/confirm';

/** Returns the bank's page; null if the payment has ended. */
export const confirmTopUp = sessionAction(
  z.object({ sessionId: z.string().max(64) }),
  async ({ userId }, { sessionId }) => ({
    ok: true,
    value: { bankUrl: await startTopUpConfirmation(userId, sessionId) },
  }),
  { harmless: 'the user confirms at the bank' },
);

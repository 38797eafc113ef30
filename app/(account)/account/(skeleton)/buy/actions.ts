'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { CURRENCIES } from '@/server/checkout/amounts';
import { startOwnPayment } from '@/server/checkout/own-payments';

/** Returns the URL of the payment processor's page. */
export const startPurchase = sessionAction(
  z.object({ amount: z.number(), currency: z.enum(CURRENCIES) }),
  async ({ userId }, order) => ({ ok: true, value: await startOwnPayment(userId, order) }),
  { harmless: 'the user pays on the processor’s page' },
);

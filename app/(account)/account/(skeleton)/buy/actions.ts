'use server';

import { z } from 'zod';
import { sessionAction } from '@/app/_session/action';
import { CURRENCIES } from '@/server/checkout/amounts';
import { startOwnPayment } from '@/server/checkout/own-payments';
import { CODE_REFUSALS, readOffer, writeOffer } from '@/server/checkout/promotions';
import { OUTSIDE_ANY_APP } from '@/server/ledger';

/** Returns the URL of the payment processor's page. */
export const startPurchase = sessionAction(
  z.object({
    amount: z.number(),
    currency: z.enum(CURRENCIES),
    promotionCode: z.string().max(100).optional(),
  }),
  async ({ userId }, order) => ({ ok: true, value: await startOwnPayment(userId, order) }),
  { harmless: 'the user pays on the processor’s page' },
);

/** What a promotion code adds to a purchase. Takes nothing of its limits. */
export const checkCode = sessionAction(
  z.object({ code: z.string().max(100) }),
  async ({ userId }, { code }) => {
    const found = await readOffer({ userId, partnerId: OUTSIDE_ANY_APP }, code);
    return 'offer' in found
      ? { ok: true, value: writeOffer(found.offer) }
      : { ok: false, message: CODE_REFUSALS[found.refusal], field: 'code' };
  },
  { harmless: 'only reads what the code gives' },
);

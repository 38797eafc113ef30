'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { sessionAction, UNCONFIRMED } from '@/app/_session/action';
import { OUTSIDE_ANY_APP } from '@/server/ledger';
import { CURRENCIES } from '@/server/payments/checkout/amounts';
import { buyOwnWithCard, startOwnPayment } from '@/server/payments/checkout/own-payments';
import { CODE_REFUSALS, readOffer, writeOffer } from '@/server/payments/checkout/promotions';
import { type CardResult, describeCardPayment } from './describe-card-payment';

const partnerId = z.string().max(64);

/** Returns the URL of the payment processor's page. */
export const startPurchase = sessionAction(
  z.object({
    amount: z.number(),
    currency: z.enum(CURRENCIES),
    promotionCode: z.string().max(100).optional(),
    partnerId: partnerId.optional(),
  }),
  async (session, order) => ({ ok: true, value: await startOwnPayment(session, order) }),
  { harmless: 'the user pays on the processor’s page, which shows saved cards after a confirmation only' },
);

/** What a promotion code adds to a purchase. Takes nothing of its limits. */
export const checkCode = sessionAction(
  z.object({ code: z.string().max(100), partnerId: partnerId.default(OUTSIDE_ANY_APP) }),
  async ({ userId }, { code, partnerId }) => {
    const found = await readOffer({ userId, partnerId }, code);
    return 'offer' in found
      ? { ok: true, value: writeOffer(found.offer) }
      : { ok: false, message: CODE_REFUSALS[found.refusal], field: 'code' };
  },
  { harmless: 'only reads what the code gives' },
);

const id = z.string().max(64);

/** Pays with a saved card, or returns the URL of the bank's page that asks the user to confirm. */
export const payWithCard = sessionAction(
  z.object({
    amount: z.number(),
    currency: z.enum(CURRENCIES),
    partnerId: partnerId.optional(),
    cardId: id,
    buttonId: id,
  }),
  async (session, order): Promise<CardResult> => {
    const paid = await buyOwnWithCard(session, order);
    if (paid === 'unconfirmed') return UNCONFIRMED;
    revalidatePath('/account', 'layout');
    return describeCardPayment(session.userId, paid);
  },
  { harmless: 'repeats a purchase once a day; anything more asks for the confirmation itself' },
);

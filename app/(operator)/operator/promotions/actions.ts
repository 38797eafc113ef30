'use server';

import { revalidatePath } from 'next/cache';
import { z } from 'zod';
import { operatorAction } from '@/app/_session/action';
import { ApiError } from '@/server/base/errors';
import { requireCreditAmount } from '@/server/operator/change-credits';
import { createGiftLinks, createPromotion, disablePromotion } from '@/server/operator/promotions';
import { findPartner } from '@/server/partners/partner';

const reason = z.string().max(600);
/** As typed; empty for none. */
const text = z.string().max(200);

const form = z.object({
  kind: z.enum(['purchase', 'gift']),
  gives: z.enum(['percent', 'credits']),
  code: text,
  amount: text,
  maxCredits: text,
  minPurchase: text,
  isFirstPurchase: z.boolean(),
  app: text,
  limit: text,
  budget: text,
  until: text,
  note: text,
  reason,
});
export type PromotionForm = z.input<typeof form>;

export const create = operatorAction(form, async ({ email: operator }, { kind, app, reason, ...given }) => {
  const isPercent = kind === 'purchase' && given.gives === 'percent';
  if (app !== '' && (await findPartner(app)) === null)
    throw new ApiError('invalid_request', 'There is no such app', { param: 'app' });
  await createPromotion(
    { operator, reason },
    {
      kind,
      code: kind === 'purchase' ? given.code : undefined,
      partnerId: app === '' ? undefined : app,
      percent: isPercent ? (readWhole(given.amount) ?? 0) : undefined,
      credits: isPercent ? undefined : requireCreditAmount(given.amount),
      maxCredits: isPercent ? readCredits(given.maxCredits, 'max_credits') : undefined,
      minPurchase: kind === 'purchase' ? readCredits(given.minPurchase, 'min_purchase') : undefined,
      isFirstPurchase: kind === 'purchase' && given.isFirstPurchase,
      maxRedemptions: readWhole(given.limit),
      budget: readCredits(given.budget, 'budget'),
      validUntil: readDay(given.until),
      note: given.note,
    },
  );
  revalidatePath('/operator/promotions');
  return { ok: true, message: 'Promotion created' };
});

const readCredits = (typed: string, param: string) =>
  typed.trim() === '' ? undefined : requireCreditAmount(typed, param);

/** Not a number becomes 0, which every limit refuses with its own words. */
const readWhole = (typed: string): number | undefined =>
  typed.trim() === '' ? undefined : /^\d{1,9}$/.test(typed.trim()) ? Number(typed) : 0;

/** The end of a day in UTC. */
function readDay(typed: string): Date | undefined {
  if (typed === '') return undefined;
  const date = new Date(`${typed}T24:00:00Z`);
  if (Number.isNaN(date.getTime()))
    throw new ApiError('invalid_request', 'Enter a date', { param: 'valid_until' });
  return date;
}

export const createLinks = operatorAction(
  z.object({ promotionId: z.string().max(100), count: z.number(), reason }),
  async ({ email: operator }, { reason: why, ...links }) => ({
    ok: true,
    value: (await createGiftLinks({ operator, reason: why }, links)).map(({ link }) => link),
  }),
);

export const disable = operatorAction(
  z.object({ promotionId: z.string().max(100), reason }),
  async ({ email: operator }, { promotionId, reason: why }) => {
    await disablePromotion({ operator, reason: why }, promotionId);
    revalidatePath('/operator/promotions');
    return { ok: true, message: 'Promotion disabled' };
  },
);

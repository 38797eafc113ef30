import { wholeCredits } from '@/server/base/credits';
import { newPromotion } from '../harness/promotions';

/** Promotions that all walkers use at once. Their limits are reached during a walk. */
export type SharedPromotions = {
  /** Three times per user. Only its user decides the outcome. */
  perUser: string;
  limited: string;
  budgeted: string;
};

export async function openPromotions(): Promise<SharedPromotions> {
  const [perUser, limited, budgeted] = await Promise.all([
    newPromotion({ percent: 37, maxPerUser: 3 }),
    newPromotion({ credits: wholeCredits(7), maxPerUser: 2, maxRedemptions: 40 }),
    newPromotion({ percent: 50, maxCredits: wholeCredits(20), maxPerUser: 2, budget: wholeCredits(500) }),
  ]);
  return { perUser: perUser.code ?? '', limited: limited.code ?? '', budgeted: budgeted.code ?? '' };
}

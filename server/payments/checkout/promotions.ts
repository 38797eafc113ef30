import { SECOND_MS } from '../../base/clock';
import { creditsToJson, type Microcredits, microcredits } from '../../base/credits';
import { prisma } from '../../base/db';
import { ApiError } from '../../base/errors';
import { countAttempt } from '../../base/rate-limit/attempts';
import { type PromotionRefusal, readRefusal } from '../../ledger';
import { normaliseCode } from './promotion-codes';

/** Promotion codes in the checkout: bonus credits in addition to a purchase. The price paid never changes. */

/** What a code gives: a fixed bonus or a percentage of the credits bought. */
export type Offer = {
  code: string;
  credits: Microcredits | null;
  percent: number | null;
  maxCredits: Microcredits | null;
  minPurchase: Microcredits;
};

const ATTEMPTS_PER_MINUTE = 20;

/** Counts one attempt to use a code, right or wrong: codes can be guessed. */
export async function countCodeAttempt(userId: string): Promise<void> {
  const waitMs = await countAttempt('promotion', userId, ATTEMPTS_PER_MINUTE);
  if (waitMs > 0)
    throw new ApiError('rate_limited', 'Too many codes were tried. Try again in a minute.', {
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
}

/** What a code would give a user with a purchase now, or why it gives nothing. */
export async function readOffer(
  buyer: { userId: string; partnerId: string },
  typed: string,
): Promise<{ offer: Offer } | { refusal: PromotionRefusal }> {
  await countCodeAttempt(buyer.userId);
  const promotion = await prisma().promotion.findUnique({ where: { code: normaliseCode(typed) } });
  if (promotion?.code == null) return { refusal: 'unknown' };
  const { id: promotionId, code, credits, percent, maxCredits, minPurchase } = promotion;
  // The amount is not final, so only a bonus that no purchase could get is refused.
  const bonus = credits === null ? microcredits(1n) : microcredits(credits);
  const refusal = await readRefusal(prisma(), { ...buyer, promotionId, bonus });
  if (refusal !== null) return { refusal };
  return {
    offer: {
      code,
      percent,
      credits: credits === null ? null : microcredits(credits),
      maxCredits: maxCredits === null ? null : microcredits(maxCredits),
      minPurchase: microcredits(minPurchase),
    },
  };
}

/** In wire format, with credits as numbers. */
export function writeOffer({ code, credits, percent, maxCredits, minPurchase }: Offer) {
  return {
    code,
    percent,
    credits: credits === null ? null : creditsToJson(credits),
    max_credits: maxCredits === null ? null : creditsToJson(maxCredits),
    min_purchase: creditsToJson(minPurchase),
  };
}

export type Bonus = { code: string; credits: Microcredits };

/** The bonus of each checkout session that has one, reserved or booked. */
export async function findBonuses(sessionIds: string[]): Promise<Map<string, Bonus>> {
  const redemptions = await prisma().promotionRedemption.findMany({ where: { id: { in: sessionIds } } });
  if (redemptions.length === 0) return new Map();
  const promotions = await prisma().promotion.findMany({
    where: { id: { in: redemptions.map(({ promotionId }) => promotionId) } },
    select: { id: true, code: true },
  });
  const codes = new Map(promotions.map(({ id, code }) => [id, code ?? '']));
  return new Map(
    redemptions.map(({ id, promotionId, credits }) => [
      id,
      { code: codes.get(promotionId) ?? '', credits: microcredits(credits) },
    ]),
  );
}

export async function findBonus(sessionId: string): Promise<Bonus | null> {
  return (await findBonuses([sessionId])).get(sessionId) ?? null;
}

/** The refusal of a code when a payment starts. The checkout checked it before, so it has just changed. */
export function refusedCode(refusal: PromotionRefusal): ApiError {
  return new ApiError('invalid_request', CODE_REFUSALS[refusal], { param: 'promotion_code' });
}

export const CODE_REFUSALS: Record<PromotionRefusal, string> = {
  unknown: 'This code is not valid. Check it for typing errors.',
  not_started: 'This code is not valid yet.',
  ended: 'This code is no longer valid.',
  exhausted: 'This code has been used up.',
  other_app: 'This code is not valid here.',
  used: 'You have already used this code.',
  not_first_purchase: 'This code is only valid for your first purchase.',
  too_small: 'This amount is too small for the code.',
};

import { nowDate } from '@/server/base/clock';
import { type Microcredits, microcredits, wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { newId, randomBase62 } from '@/server/base/ids';
import { bookBonus, type PromotionRefusal, redeemGift, reservePromotion } from '@/server/ledger';
import { createPromotion, type NewPromotion } from '@/server/operator/promotions';
import { hashGiftCode, newGiftCode } from '@/server/payments/checkout/promotion-codes';
import { bookPaidSession } from './purchases';

const asked = { operator: 'boss@example.com', reason: 'autumn' };

export const newCode = (): string => `C${randomBase62(10)}`.toUpperCase();

export const newPromotion = (offer: Partial<NewPromotion> = {}) =>
  createPromotion(asked, {
    kind: 'purchase',
    code: newCode(),
    ...(offer.percent === undefined && { credits: wholeCredits(200) }),
    ...offer,
  });

/** A gift with one link; returns its code. */
export async function newGift(offer: Partial<NewPromotion> = {}): Promise<{ id: string; code: string }> {
  const { id } = await createPromotion(asked, { kind: 'gift', credits: wholeCredits(500), ...offer });
  return { id, code: await addLink(id) };
}

export async function addLink(promotionId: string): Promise<string> {
  const code = newGiftCode();
  await prisma().promotionLink.create({
    data: { codeHash: new Uint8Array(hashGiftCode(code)), promotionId },
  });
  return code;
}

type Order = { userId: string; partnerId: string; credits: Microcredits; sessionId?: string };

/** Starts a payment in USD with a code, as the checkout does, without a payment processor. */
export function startWithCode(
  { userId, partnerId, credits, sessionId = newId('cks') }: Order,
  code: string,
): Promise<{ sessionId: string } & ({ refusal: PromotionRefusal } | { bonus: Microcredits })> {
  return inTransaction(async (tx) => {
    // A repetition, after the connection was lost.
    const known = await tx.promotionRedemption.findUnique({ where: { id: sessionId } });
    if (known !== null) return { sessionId, bonus: microcredits(known.credits) };
    await tx.checkoutSession.create({
      data: {
        id: sessionId,
        userId,
        partnerId,
        currency: 'usd',
        amountMinor: Number(credits) / 1_000_000,
        rate: 1,
        credits,
        createdAt: nowDate(),
        expiresAt: nowDate(),
      },
    });
    const reserved = await reservePromotion(tx, { sessionId, code });
    if ('refusal' in reserved) await tx.checkoutSession.delete({ where: { id: sessionId } });
    return { sessionId, ...reserved };
  });
}

/** Books a payment and its bonus in one transaction. */
export const bookWithBonus = (order: Order & { sessionId: string }) =>
  inTransaction(async (tx) => {
    const { sessionId: id } = order;
    await tx.checkoutSession.updateMany({ where: { id }, data: { status: 'completed' } });
    await bookPaidSession(tx, order);
    return bookBonus(tx, id);
  });

/** Redeems a link, without the limit on attempts. */
export const redeemGiftLink = (userId: string, code: string) =>
  inTransaction((tx) => redeemGift(tx, { userId, linkHash: hashGiftCode(code) }));

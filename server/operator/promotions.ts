import type { Prisma, Promotion } from '../../prisma/client/client';
import { nowDate } from '../base/clock';
import { creditsToJson, type Microcredits } from '../base/credits';
import { inTransaction, prisma, type Tx } from '../base/db';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { newId } from '../base/ids';
import {
  groupGiftCode,
  hashGiftCode,
  newGiftCode,
  normaliseCode,
  PROMOTION_CODE,
} from '../payments/checkout/promotion-codes';
import { type Operator, recordAction, requireReason } from './record';

/** Promotions: created, listed and disabled by operators. */

const MAX_LINKS = 1000;
const MAX_PERCENT = 1000;
const MAX_NOTE = 200;

type ActionInput = { operator: Operator; reason: string };

export type NewPromotion = {
  kind: 'purchase' | 'gift';
  /** Of a purchase, as typed. */
  code?: string | undefined;
  partnerId?: string | undefined;
  /** One of the two. */
  credits?: Microcredits | undefined;
  percent?: number | undefined;
  maxCredits?: Microcredits | undefined;
  minPurchase?: Microcredits | undefined;
  isFirstPurchase?: boolean | undefined;
  maxRedemptions?: number | undefined;
  maxPerUser?: number | undefined;
  budget?: Microcredits | undefined;
  validFrom?: Date | undefined;
  validUntil?: Date | undefined;
  note?: string | undefined;
};

export async function createPromotion(asked: ActionInput, offer: NewPromotion): Promise<Promotion> {
  requireReason(asked.reason);
  const data = toRow(offer);
  if (data.partnerId !== null) await requirePartner(data.partnerId);
  return inTransaction(async (tx) => {
    await refuseKnownCode(tx, data.code);
    const promotion = await tx.promotion.create({ data });
    await recordAction(tx, {
      ...asked,
      what: 'promotion.create',
      subject: promotion.id,
      after: describe(promotion),
    });
    return promotion;
  });
}

type Row = Prisma.PromotionUncheckedCreateInput & { code: string | null; partnerId: string | null };

function toRow(offer: NewPromotion): Row {
  const isGift = offer.kind === 'gift';
  if ((offer.credits === undefined) === (offer.percent === undefined))
    throw refuse('credits', 'Enter either credits or a percentage');
  if (isGift && (offer.credits === undefined || offer.code !== undefined))
    throw refuse('code', 'A gift has a fixed number of credits, and links instead of a code');
  if (isGift && (offer.isFirstPurchase || offer.minPurchase !== undefined))
    throw refuse('min_purchase', 'A gift needs no purchase');
  if (offer.maxCredits !== undefined && offer.percent === undefined)
    throw refuse('max_credits', 'Only a percentage has a maximum');
  requireRanges(offer);
  return {
    id: newId('prm'),
    kind: offer.kind,
    code: isGift ? null : requireCode(offer.code),
    partnerId: offer.partnerId ?? null,
    credits: offer.credits ?? null,
    percent: offer.percent ?? null,
    maxCredits: offer.maxCredits ?? null,
    minPurchase: offer.minPurchase ?? 0n,
    isFirstPurchase: offer.isFirstPurchase ?? false,
    maxRedemptions: offer.maxRedemptions ?? null,
    maxPerUser: offer.maxPerUser ?? 1,
    budget: offer.budget ?? null,
    validFrom: offer.validFrom ?? null,
    validUntil: offer.validUntil ?? null,
    note: (offer.note ?? '').trim().slice(0, MAX_NOTE),
    createdAt: nowDate(),
  };
}

function requireRanges({ percent, maxRedemptions, maxPerUser, validFrom, validUntil }: NewPromotion): void {
  if (percent !== undefined && !isWholeWithin(percent, MAX_PERCENT))
    throw refuse('percent', `Enter a whole percentage from 1 to ${MAX_PERCENT}`);
  if (maxRedemptions !== undefined && !isWholeWithin(maxRedemptions, 1_000_000_000))
    throw refuse('max_redemptions', 'Enter a whole number of redemptions, at least 1');
  if (maxPerUser !== undefined && !isWholeWithin(maxPerUser, 1000))
    throw refuse('max_per_user', 'Enter a whole number from 1 to 1000 per user');
  if (validFrom !== undefined && validUntil !== undefined && validUntil <= validFrom)
    throw refuse('valid_until', 'The end must be after the start');
}

const isWholeWithin = (value: number, maximum: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= maximum;

function requireCode(typed: string | undefined): string {
  const code = normaliseCode(typed ?? '');
  if (!PROMOTION_CODE.test(code))
    throw refuse('code', 'Enter a code of 4 to 32 letters and digits, such as WELCOME20');
  return code;
}

async function refuseKnownCode(tx: Tx, code: string | null): Promise<void> {
  if (code !== null && (await tx.promotion.count({ where: { code } })) > 0)
    throw refuse('code', 'Another promotion has this code');
}

async function requirePartner(id: string): Promise<void> {
  if ((await prisma().partner.count({ where: { id } })) === 0) throw refuse('app', 'There is no such app');
}

const refuse = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

/** Creates gift links and returns their addresses, which are stored nowhere. */
export async function createGiftLinks(
  asked: ActionInput,
  { promotionId, count }: { promotionId: string; count: number },
): Promise<{ code: string; link: string }[]> {
  requireReason(asked.reason);
  if (!isWholeWithin(count, MAX_LINKS)) throw refuse('count', `Enter a whole number from 1 to ${MAX_LINKS}`);
  const promotion = await requirePromotion(prisma(), promotionId);
  if (promotion.kind !== 'gift') throw refuse('promotion', 'Only gifts have links');
  const codes = Array.from({ length: count }, newGiftCode);
  await inTransaction(async (tx) => {
    await tx.promotionLink.createMany({
      data: codes.map((code) => ({
        codeHash: new Uint8Array(hashGiftCode(code)),
        promotionId,
        createdAt: nowDate(),
      })),
    });
    await recordAction(tx, {
      ...asked,
      what: 'promotion.links',
      subject: promotionId,
      after: { links: count },
    });
  });
  return codes.map((code) => ({
    code: groupGiftCode(code),
    link: `${settings().BASE_URL}/redeem/${groupGiftCode(code)}`,
  }));
}

/** Permanent. Payments in progress keep their bonus. */
export async function disablePromotion(asked: ActionInput, promotionId: string): Promise<void> {
  requireReason(asked.reason);
  await inTransaction(async (tx) => {
    await requirePromotion(tx, promotionId);
    const { count } = await tx.promotion.updateMany({
      where: { id: promotionId, disabledAt: null },
      data: { disabledAt: nowDate() },
    });
    if (count === 0) throw new ApiError('invalid_request', 'This promotion is already disabled');
    await recordAction(tx, {
      ...asked,
      what: 'promotion.disable',
      subject: promotionId,
      before: { state: 'enabled' },
      after: { state: 'disabled' },
    });
  });
}

async function requirePromotion(database: Pick<Tx, 'promotion'>, id: string): Promise<Promotion> {
  const promotion = await database.promotion.findUnique({ where: { id } });
  if (promotion === null) throw new ApiError('not_found', `There is no promotion ${id}`);
  return promotion;
}

/** For the audit log. */
function describe(promotion: Promotion): Prisma.InputJsonObject {
  const { kind, code, partnerId, credits, percent, budget, maxRedemptions } = promotion;
  return {
    kind,
    code,
    app: partnerId,
    credits: credits === null ? null : creditsToJson(credits),
    percent,
    max_redemptions: maxRedemptions,
    budget: budget === null ? null : creditsToJson(budget),
  };
}

export type ListedPromotion = Promotion & {
  appName: string | null;
  /** Of a gift. */
  links: number;
  /** The part of `redeemed` and `given` whose payment is in progress. */
  reserved: { redemptions: number; credits: bigint };
  state: 'scheduled' | 'active' | 'used_up' | 'ended' | 'disabled';
};

/** Newest first. */
export async function listPromotions({ limit = 100, offset = 0 } = {}): Promise<{
  promotions: ListedPromotion[];
  total: number;
}> {
  const [rows, total] = await Promise.all([
    prisma().promotion.findMany({
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
      skip: offset,
    }),
    prisma().promotion.count(),
  ]);
  const [partners, links, reserved] = await Promise.all([
    prisma().partner.findMany({
      where: { id: { in: rows.flatMap(({ partnerId }) => partnerId ?? []) } },
      select: { id: true, name: true },
    }),
    prisma().promotionLink.groupBy({
      by: ['promotionId'],
      where: { promotionId: { in: rows.map(({ id }) => id) } },
      _count: { promotionId: true },
    }),
    findReserved(rows.map(({ id }) => id)),
  ]);
  const names = new Map(partners.map(({ id, name }) => [id, name]));
  const counts = new Map(links.map(({ promotionId, _count }) => [promotionId, _count.promotionId]));
  const promotions = rows.map((row) => {
    const count = counts.get(row.id) ?? 0;
    return {
      ...row,
      appName: row.partnerId === null ? null : (names.get(row.partnerId) ?? null),
      links: count,
      reserved: reserved.get(row.id) ?? { redemptions: 0, credits: 0n },
      state: stateOf(row, count),
    };
  });
  return { promotions, total };
}

async function findReserved(ids: string[]): Promise<Map<string, ListedPromotion['reserved']>> {
  const sums = await prisma().promotionRedemption.groupBy({
    by: ['promotionId'],
    where: { promotionId: { in: ids }, bookedAt: null },
    _count: { id: true },
    _sum: { credits: true },
  });
  return new Map(
    sums.map(({ promotionId, _count, _sum }) => [
      promotionId,
      { redemptions: _count.id, credits: _sum.credits ?? 0n },
    ]),
  );
}

function stateOf(promotion: Promotion, links: number): ListedPromotion['state'] {
  const { kind, disabledAt, validFrom, validUntil, redeemed, maxRedemptions, given, budget } = promotion;
  const now = nowDate();
  if (disabledAt !== null) return 'disabled';
  if (validUntil !== null && validUntil <= now) return 'ended';
  if (redeemed === maxRedemptions || (budget !== null && given >= budget)) return 'used_up';
  if (kind === 'gift' && links > 0 && redeemed >= links) return 'used_up';
  return validFrom !== null && validFrom > now ? 'scheduled' : 'active';
}

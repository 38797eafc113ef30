import { type Microcredits, microcredits } from '../../base/credits';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { OUTSIDE_ANY_APP, openWallet, type PromotionRefusal, readRefusal, redeemGift } from '../../ledger';
import { findPartner } from '../../partners/partner';
import { nameInMails } from '../../partners/rename';
import { openAppUser } from '../../people/app-users';
import { hashGiftCode } from './promotion-codes';
import { countCodeAttempt } from './promotions';

/** Gift links: a fixed number of bonus credits without a purchase, once per link. */

type Gift = {
  credits: Microcredits;
  isForAnyApp: boolean;
  /** Of the app they are for. Null if no operator has approved it. */
  appName: string | null;
};

/** What a gift code gives, or why this user cannot redeem it. */
export async function readGift(
  userId: string,
  code: string,
): Promise<{ gift: Gift } | { refusal: PromotionRefusal }> {
  await countCodeAttempt(userId);
  const found = await findGift(prisma(), code);
  if (found === null) return { refusal: 'unknown' };
  const { promotionId, redemptionId, partnerId, credits } = found;
  // A link works once, whatever else the promotion allows.
  const isUsed = await prisma().promotionRedemption.findUnique({ where: { id: redemptionId } });
  if (isUsed !== null) return { refusal: isUsed.userId === userId ? 'used' : 'exhausted' };
  const pocket = partnerId ?? OUTSIDE_ANY_APP;
  const refusal = await readRefusal(prisma(), { promotionId, userId, partnerId: pocket, bonus: credits });
  return refusal === null ? { gift: await describeGift(found) } : { refusal };
}

/** Redeems it: the same user may repeat this, and gets the credits once. */
export async function acceptGift(
  userId: string,
  code: string,
): Promise<{ gift: Gift } | { refusal: PromotionRefusal }> {
  await countCodeAttempt(userId);
  const found = await findGift(prisma(), code);
  if (found === null) return { refusal: 'unknown' };
  const redeemed = await inTransaction(async (tx) => {
    if (found.partnerId === null) await openWallet(tx, userId);
    else await openAppUser(tx, { userId, partnerId: found.partnerId });
    return redeemGift(tx, { userId, linkHash: hashGiftCode(code) });
  });
  return 'refusal' in redeemed ? redeemed : { gift: await describeGift(found) };
}

type FoundGift = {
  promotionId: string;
  redemptionId: string;
  partnerId: string | null;
  credits: Microcredits;
};

async function findGift(
  database: Pick<Tx, 'promotionLink' | 'promotion'>,
  code: string,
): Promise<FoundGift | null> {
  const codeHash = hashGiftCode(code);
  const link = await database.promotionLink.findUnique({ where: { codeHash: new Uint8Array(codeHash) } });
  if (link === null) return null;
  const { id, partnerId, credits } = await database.promotion.findUniqueOrThrow({
    where: { id: link.promotionId },
  });
  return {
    promotionId: id,
    redemptionId: `${id}:${codeHash.toString('hex').slice(0, 32)}`,
    partnerId,
    credits: microcredits(credits ?? 0n),
  };
}

async function describeGift({ partnerId, credits }: FoundGift): Promise<Gift> {
  const partner = partnerId === null ? null : await findPartner(partnerId);
  return {
    credits,
    isForAnyApp: partnerId === null,
    appName: partner && nameInMails(partner),
  };
}

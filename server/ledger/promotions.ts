import { nowDate } from '../base/clock';
import type { Microcredits } from '../base/credits';
import type { Tx } from '../base/db';
import { settings } from '../base/env';
import { invariant } from '../base/errors';
import { newId } from '../base/ids';
import { earningsHold } from './claw-back';
import { type Booking, type BookingRow, toBooking } from './wallet';

/** Why a user cannot redeem a promotion. */
export type PromotionRefusal =
  | 'unknown'
  | 'not_started'
  | 'ended'
  | 'exhausted'
  | 'other_app'
  | 'used'
  | 'not_first_purchase'
  | 'too_small';

/** Reserves the bonus of a payment whose row this transaction has written. `code` is in its normal form. */
export async function reservePromotion(
  tx: Tx,
  { sessionId, code }: { sessionId: string; code: string },
): Promise<{ refusal: PromotionRefusal } | { bonus: Microcredits }> {
  const [row] = await tx.$queryRaw<{ refusal: PromotionRefusal | null; credits: bigint }[]>`
    SELECT refusal, credits FROM promotion_reserve(${sessionId}, ${code}, ${nowDate()}::timestamptz)`;
  invariant(row, 'promotion_reserve returns a row');
  return row.refusal === null ? { bonus: row.credits as Microcredits } : { refusal: row.refusal };
}

/** Books the bonus that was reserved for a payment. Null if there is none. */
export async function bookBonus(tx: Tx, sessionId: string): Promise<Booking | null> {
  const rows = await tx.$queryRaw<BookingRow[]>`
    SELECT * FROM promotion_book(${sessionId}, ${newId('txn')}, ${settings().GRANTS_EARN_COMMISSION},
      ${nowDate()}::timestamptz, ${earningsHold()}::interval)`;
  return rows.length === 0 ? null : toBooking(rows);
}

/** Redeems a gift link. The pocket it goes to must exist. */
export async function redeemGift(
  tx: Tx,
  { userId, linkHash }: { userId: string; linkHash: Buffer },
): Promise<{ refusal: PromotionRefusal } | { credits: Microcredits; transactionId: string }> {
  const [row] = await tx.$queryRaw<
    { refusal: PromotionRefusal | null; credits: bigint; transaction_id: string }[]
  >`
    SELECT refusal, credits, transaction_id FROM promotion_redeem_gift(${new Uint8Array(linkHash)}, ${userId},
      ${newId('txn')}, ${settings().GRANTS_EARN_COMMISSION}, ${nowDate()}::timestamptz, ${earningsHold()}::interval)`;
  invariant(row, 'promotion_redeem_gift returns a row');
  if (row.refusal !== null) return { refusal: row.refusal };
  return { credits: row.credits as Microcredits, transactionId: row.transaction_id };
}

/** Why the user could not redeem a promotion now, read without taking it. */
export async function readRefusal(
  tx: Pick<Tx, '$queryRaw'>,
  asked: { promotionId: string; userId: string; partnerId: string; bonus: Microcredits },
): Promise<PromotionRefusal | null> {
  const { promotionId, userId, partnerId, bonus } = asked;
  const [row] = await tx.$queryRaw<{ refusal: PromotionRefusal | null }[]>`
    SELECT promotion_refusal(p, ${userId}, ${partnerId}, ${bonus}::bigint, ${nowDate()}::timestamptz) AS refusal
    FROM promotion p WHERE p.id = ${promotionId}`;
  return row?.refusal ?? null;
}

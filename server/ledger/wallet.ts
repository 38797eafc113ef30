import type { Microcredits } from '../base/credits';
import type { Tx } from '../base/db';
import { pool } from '../base/db';
import { settings } from '../base/env';
import { invariant } from '../base/errors';
import { newId } from '../base/ids';
import type { LimitScope, SpendStatus } from './admission';
import { earningsHold } from './claw-back';
import { returnIdleHolds } from './kept-holds';
import { minimumBalance } from './minimum-balance';

/** The partner id of the pocket that holds credits bought or granted outside any app. */
export const OUTSIDE_ANY_APP = '';

/** The result of a booking. A repetition of the same cause returns the first booking. */
export type Booking = {
  transactionId: string;
  /** The partner's balance after the booking. */
  balance: Microcredits;
  /** By how much the balance grew; never below zero. */
  creditsAdded: Microcredits;
  repeated: boolean;
};

/** Opens the user's wallet and the pocket for a partner. Returns the effective app user id. */
export async function openUserApp(
  tx: Tx,
  { userId, partnerId, appUserId }: { userId: string; partnerId: string; appUserId: string },
): Promise<{ appUserId: string }> {
  const [row] = await tx.$queryRaw<
    { id: string }[]
  >`SELECT ledger_open_user_app(${userId}, ${partnerId}, ${appUserId}) AS id`;
  invariant(row, 'ledger_open_user_app returns a row');
  return { appUserId: row.id };
}

/** Opens the wallet of a user who has not used any app yet, with the pocket outside any app. */
export async function openWallet(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`SELECT ledger_open_user_app(${userId}, ${OUTSIDE_ANY_APP}, NULL)`;
}

/** Books credits bought in an app, once per checkout session. */
export function bookPurchase(
  tx: Tx,
  {
    userId,
    partnerId,
    credits,
    sessionId,
  }: { userId: string; partnerId: string; credits: Microcredits; sessionId: string },
): Promise<Booking> {
  invariant(credits > 0n, 'a purchase is positive');
  return deposit(tx, {
    userId,
    partnerId,
    credits,
    granted: 0n,
    kind: 'purchase',
    causeId: sessionId,
    against: 'processor_clearing',
    note: null,
  });
}

/** Books credits granted by an operator, once per grant id. They earn no commission unless a setting says so. */
export function grantCredits(
  tx: Tx,
  {
    userId,
    partnerId,
    credits,
    grantId,
    note,
  }: { userId: string; partnerId: string; credits: Microcredits; grantId: string; note: string },
): Promise<Booking> {
  invariant(credits > 0n, 'a grant is positive');
  return deposit(tx, {
    userId,
    partnerId,
    credits,
    granted: settings().GRANTS_EARN_COMMISSION ? 0n : credits,
    kind: 'adjustment',
    causeId: grantId,
    against: 'promotion_expense',
    note,
  });
}

/**
 * Removes credits from one pocket on behalf of an operator, once per id. If `credits` exceeds what is free in
 * the pocket, takes nothing and returns the maximum as `free`.
 */
export async function takeCredits(
  tx: Tx,
  {
    userId,
    partnerId,
    credits,
    takeId,
    note,
  }: { userId: string; partnerId: string; credits: Microcredits; takeId: string; note: string },
): Promise<{ transactionId: string | null; free: Microcredits; repeated: boolean }> {
  invariant(credits > 0n, 'the amount taken is positive');
  const rows = await tx.$queryRaw<{ transaction_id: string | null; free: bigint; repeated: boolean }[]>`
    SELECT transaction_id, free, repeated
    FROM ledger_take(${userId}, ${partnerId}, ${takeId}, ${newId('txn')}, ${credits}::bigint, ${note})`;
  const row = rows[0];
  invariant(row, 'ledger_take returns a row');
  return { transactionId: row.transaction_id, free: row.free as Microcredits, repeated: row.repeated };
}

type Deposit = {
  userId: string;
  partnerId: string;
  credits: Microcredits;
  /** How many of them earn no commission. */
  granted: bigint;
  kind: string;
  causeId: string;
  against: string;
  note: string | null;
};

async function deposit(
  tx: Tx,
  { userId, partnerId, credits, granted, kind, causeId, against, note }: Deposit,
): Promise<Booking> {
  const rows = await tx.$queryRaw<BookingRow[]>`
    SELECT * FROM ledger_deposit(${userId}, ${partnerId}, ${kind}, ${causeId}, ${newId('txn')}, ${credits}::bigint,
      ${granted}::bigint, ${against}, ${note}, ${earningsHold()}::interval)`;
  return toBooking(rows);
}

/**
 * Saves the allowance: how much a partner may spend of the credits the user bought elsewhere. Null removes
 * it.
 */
export async function saveAllowance(
  tx: Tx,
  {
    userId,
    partnerId,
    allowance,
    saveId,
  }: { userId: string; partnerId: string; allowance: Microcredits | null; saveId: string },
): Promise<Booking> {
  const rows = await tx.$queryRaw<BookingRow[]>`
    SELECT * FROM ledger_save_allowance(${userId}, ${partnerId}, ${allowance}::bigint, ${saveId}, ${newId('txn')})`;
  return toBooking(rows);
}

/** What is left of the allowance. Nothing spends from it or changes it until the transaction ends. */
export async function lockAllowance(
  tx: Tx,
  { userId, partnerId }: { userId: string; partnerId: string },
): Promise<Microcredits> {
  await tx.$queryRaw`SELECT 1 FROM wallet WHERE user_id = ${userId} FOR UPDATE`;
  const [pocket] = await tx.$queryRaw<{ allowance_left: bigint }[]>`
    SELECT allowance_left FROM user_app WHERE user_id = ${userId} AND partner_id = ${partnerId}`;
  invariant(pocket, 'a user who sets an allowance has opened the app');
  return pocket.allowance_left as Microcredits;
}

/**
 * Removes an allowance and remembers the unspent part, so that it can be restored. Returns null if nothing
 * was left.
 */
export async function pauseAllowance(
  tx: Tx,
  { userId, partnerId, saveId }: { userId: string; partnerId: string; saveId: string },
): Promise<Booking | null> {
  const rows = await tx.$queryRaw<BookingRow[]>`
    SELECT * FROM ledger_pause_allowance(${userId}, ${partnerId}, ${saveId}, ${newId('txn')})`;
  return rows.length === 0 ? null : toBooking(rows);
}

/** Restores a paused allowance. Returns null if none is paused. */
export async function resumeAllowance(
  tx: Tx,
  { userId, partnerId, saveId }: { userId: string; partnerId: string; saveId: string },
): Promise<(Booking & { allowance: Microcredits }) | null> {
  const rows = await tx.$queryRaw<(BookingRow & { allowance_saved: bigint })[]>`
    SELECT * FROM ledger_resume_allowance(${userId}, ${partnerId}, ${saveId}, ${newId('txn')})`;
  const allowance = rows[0]?.allowance_saved;
  return allowance === undefined ? null : { ...toBooking(rows), allowance: allowance as Microcredits };
}

export type BookingRow = {
  transaction_id: string;
  balance: bigint;
  credits_added: bigint;
  repeated: boolean;
};

export function toBooking(rows: BookingRow[]): Booking {
  const row = rows[0];
  invariant(row, 'a booking returns a row');
  return {
    transactionId: row.transaction_id,
    balance: row.balance as Microcredits,
    creditsAdded: row.credits_added as Microcredits,
    repeated: row.repeated,
  };
}

export type Spendable = {
  /** What the partner can spend for this user now. */
  balance: Microcredits;
  status: SpendStatus;
  /** Of a limit that refuses requests, or a stop; null if there is none. */
  limitedBy: LimitScope | null;
  /** The user's credits over all pockets, including what running requests hold. */
  money: Microcredits;
  allowanceSaved: Microcredits | null;
  allowanceLeft: Microcredits;
};

const NOTHING: Spendable = {
  balance: 0n as Microcredits,
  status: 'insufficient_credits',
  limitedBy: null,
  money: 0n as Microcredits,
  allowanceSaved: null,
  allowanceLeft: 0n as Microcredits,
};

/**
 * Reads what a partner can spend for a user, and the error code that a request would get. The status
 * stays `ok` if only the running requests of this user prevent it.
 */
export async function readSpendable(userId: string, partnerId: string): Promise<Spendable> {
  await returnIdleHolds(userId);
  const { rows } = await pool().query<{
    balance: bigint;
    status: 'busy' | SpendStatus;
    limited_by: LimitScope | null;
    money: bigint;
    allowance_saved: bigint | null;
    allowance_left: bigint;
  }>({
    name: 'ledger_read',
    text: 'SELECT balance, status, limited_by, money, allowance_saved, allowance_left FROM ledger_read($1, $2, $3)',
    values: [userId, partnerId, minimumBalance().toString()],
  });
  const row = rows[0];
  if (!row) return NOTHING;
  return {
    balance: row.balance as Microcredits,
    status: row.status === 'busy' ? 'ok' : row.status,
    limitedBy: row.limited_by,
    money: row.money as Microcredits,
    allowanceSaved: row.allowance_saved as Microcredits | null,
    allowanceLeft: row.allowance_left as Microcredits,
  };
}

/** Whether a user can spend anything in an app, apart from what running requests hold: a cheap look before the admission. */
export async function canSpend(userId: string, partnerId: string): Promise<boolean> {
  const { rows } = await pool().query<{ status: string }>({
    name: 'ledger_read_status',
    text: 'SELECT status FROM ledger_read($1, $2, $3)',
    values: [userId, partnerId, minimumBalance().toString()],
  });
  return rows[0]?.status === 'ok' || rows[0]?.status === 'busy';
}

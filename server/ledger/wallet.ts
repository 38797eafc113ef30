import type { Microcredits } from '../credits';
import type { Tx } from '../db';
import { pool } from '../db';
import { invariant } from '../errors';
import { newId } from '../ids';
import type { Shortfall } from './admission';
import { minimumBalance } from './minimum-balance';

/** The app id of the pocket that holds credits bought or granted outside any app. */
export const OUTSIDE_ANY_APP = '';

/** What one booking did. A repetition of the same cause returns the first booking. */
export type Booking = {
  transactionId: string;
  /** What the app can spend after it. */
  balance: Microcredits;
  /** How much that grew; never below zero. */
  creditsAdded: Microcredits;
  repeated: boolean;
};

/** Opens the user's account and pocket for an app; returns the app-scoped id that stands. */
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

/** Opens the account of a user who has used no app yet, with the pocket outside any app. */
export async function openWallet(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`SELECT ledger_open_user_app(${userId}, ${OUTSIDE_ANY_APP}, NULL)`;
}

/** Credits bought inside an app. Booked once per payment session. */
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
    kind: 'purchase',
    causeId: sessionId,
    against: 'processor_clearing',
    note: null,
  });
}

/** Credits given by the operator. Booked once per grant id. */
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
    kind: 'adjustment',
    causeId: grantId,
    against: 'promotion_expense',
    note,
  });
}

/**
 * Credits taken by the operator out of one pocket, once per id: never more than is free there. Too
 * much takes nothing; `free` then says how much it could be.
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
  invariant(credits > 0n, 'what is taken is positive');
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
  kind: string;
  causeId: string;
  against: string;
  note: string | null;
};

async function deposit(
  tx: Tx,
  { userId, partnerId, credits, kind, causeId, against, note }: Deposit,
): Promise<Booking> {
  const rows = await tx.$queryRaw<BookingRow[]>`
    SELECT * FROM ledger_deposit(${userId}, ${partnerId}, ${kind}, ${causeId}, ${newId('txn')}, ${credits}::bigint, ${against}, ${note})`;
  return toBooking(rows);
}

/** Saves what an app may draw from the user's other credits from now on; null removes the limit. */
export async function saveAllowance(
  tx: Tx,
  {
    userId,
    partnerId,
    limit,
    saveId,
  }: { userId: string; partnerId: string; limit: Microcredits | null; saveId: string },
): Promise<Booking> {
  const rows = await tx.$queryRaw<BookingRow[]>`
    SELECT * FROM ledger_save_allowance(${userId}, ${partnerId}, ${limit}::bigint, ${saveId}, ${newId('txn')})`;
  return toBooking(rows);
}

/**
 * Removes a limit and remembers what was left of it, to be given back by a later save. Null when
 * nothing was left.
 */
export async function pauseAllowance(
  tx: Tx,
  { userId, partnerId, saveId }: { userId: string; partnerId: string; saveId: string },
): Promise<Booking | null> {
  const rows = await tx.$queryRaw<BookingRow[]>`
    SELECT * FROM ledger_pause_allowance(${userId}, ${partnerId}, ${saveId}, ${newId('txn')})`;
  return rows.length === 0 ? null : toBooking(rows);
}

/** Gives a paused limit back. Null when none rests. */
export async function resumeAllowance(
  tx: Tx,
  { userId, partnerId, saveId }: { userId: string; partnerId: string; saveId: string },
): Promise<(Booking & { limit: Microcredits }) | null> {
  const rows = await tx.$queryRaw<(BookingRow & { allowance_saved: bigint })[]>`
    SELECT * FROM ledger_resume_allowance(${userId}, ${partnerId}, ${saveId}, ${newId('txn')})`;
  const limit = rows[0]?.allowance_saved;
  return limit === undefined ? null : { ...toBooking(rows), limit: limit as Microcredits };
}

type BookingRow = { transaction_id: string; balance: bigint; credits_added: bigint; repeated: boolean };

function toBooking(rows: BookingRow[]): Booking {
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
  /** What the app can spend for this user now. */
  balance: Microcredits;
  status: 'ok' | Shortfall;
  /** The user's credits over all pockets, running requests included. */
  money: Microcredits;
  allowanceSaved: Microcredits | null;
  allowanceLeft: Microcredits;
};

const NOTHING: Spendable = {
  balance: 0n as Microcredits,
  status: 'insufficient_credits',
  money: 0n as Microcredits,
  allowanceSaved: null,
  allowanceLeft: 0n as Microcredits,
};

/**
 * What an app can spend for a user, and the code that a request would get as a 402. While only
 * the user's own running requests are in the way, the status stays `ok`.
 */
export async function readSpendable(userId: string, partnerId: string): Promise<Spendable> {
  const { rows } = await pool().query<{
    balance: bigint;
    status: 'ok' | 'busy' | Shortfall;
    money: bigint;
    allowance_saved: bigint | null;
    allowance_left: bigint;
  }>({
    name: 'ledger_read',
    text: 'SELECT balance, status, money, allowance_saved, allowance_left FROM ledger_read($1, $2, $3)',
    values: [userId, partnerId, minimumBalance().toString()],
  });
  const row = rows[0];
  if (!row) return NOTHING;
  return {
    balance: row.balance as Microcredits,
    status: row.status === 'busy' ? 'ok' : row.status,
    money: row.money as Microcredits,
    allowanceSaved: row.allowance_saved as Microcredits | null,
    allowanceLeft: row.allowance_left as Microcredits,
  };
}

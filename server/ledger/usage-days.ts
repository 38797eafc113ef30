import { pool, repeatSlowly } from '../base/db';

/**
 * Receipts younger than this may belong to a transaction that is still running, so they are not rolled up
 * yet.
 */
const LAG = '1 minute';

/** Adds new receipts to the daily sums. Several instances may call this; only one works at a time. */
export async function rollUpUsage(lag = LAG): Promise<void> {
  await repeatSlowly('SELECT ledger_roll_up_usage($1::interval) AS more', [lag]);
}

/** A user's requests to one model through one partner on one day. */
export type UsageDay = {
  /** UTC, as `2026-11-21`. */
  day: string;
  partnerId: string;
  model: string;
  requests: number;
  tokens: number;
  charge: bigint;
};

export type UsageFilter = {
  /** The first day and the day after the last, as `2026-11-21`. */
  from: string;
  to: string;
  partnerId?: string | undefined;
  model?: string | undefined;
};

/** A user's requests by day up to now, including those that are not rolled up yet. */
export async function readUsageDays(
  userId: string,
  { from, to, partnerId, model }: UsageFilter,
): Promise<UsageDay[]> {
  const { rows } = await pool().query<UsageDay>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, partner_id AS "partnerId", model, requests::float8 AS requests,
            tokens::float8 AS tokens, charge
     FROM ledger_usage_days($1, $2, $3, $4, $5) ORDER BY day DESC`,
    [userId, from, to, partnerId ?? null, model ?? null],
  );
  return rows;
}

import { pool, querySlowly } from '../db';

/** Requests younger than this may belong to a transaction that still runs, so they are not folded yet. */
const LAG = '1 minute';

/** Folds new requests into days by watermark. Several instances may call it: one at a time works. */
export async function rollUpUsage(lag = LAG): Promise<void> {
  await querySlowly('SELECT ledger_roll_up_usage($1::interval)', [lag]);
}

/** What a user had of one model in one app on one day. */
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

/** A user's use by day up to now: the roll-up and what came since. */
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

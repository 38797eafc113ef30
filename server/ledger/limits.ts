import type { Microcredits } from '../credits';
import { pool, type Tx } from '../db';
import { invariant } from '../errors';
import { returnIdleHolds } from './kept-holds';

/** What a user lets one app, or all apps together, spend: see "Spending limits" in docs/ledger.md. */

/** In place of a partner id. */
export const ALL_APPS = '';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

type ModelRule = { rule: 'only' | 'except'; models: string[] };

export type Limits = Record<'request' | Period, Microcredits | null> & { models: ModelRule | null };

export type LimitsInUse = Limits & {
  partnerId: string;
  isStopped: boolean;
  /** What was spent in the running periods, and what running requests hold. */
  used: Record<Period, { spent: Microcredits; held: Microcredits; resetsAt: Date }>;
};

/** Whether the runtime and the database know an IANA name. */
export async function isKnownZone(zone: string): Promise<boolean> {
  if (!/^[A-Za-z][\w+/-]{1,60}$/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    await pool().query('SELECT timezone($1, now())', [zone]);
    return true;
  } catch (error) {
    if (error instanceof RangeError || (error as { code?: string }).code === UNKNOWN_ZONE) return false;
    throw error;
  }
}

const UNKNOWN_ZONE = '22023';

/** False if the user does not use the app. */
export async function saveLimits(
  tx: Tx,
  { userId, partnerId, zone, limits }: { userId: string; partnerId: string; zone: string; limits: Limits },
): Promise<boolean> {
  const { request, day, week, month, models } = limits;
  const [row] = await tx.$queryRaw<{ saved: boolean }[]>`
    SELECT ledger_save_limits(${userId}, ${partnerId}, ${zone}, ${request}::bigint, ${day}::bigint, ${week}::bigint,
      ${month}::bigint, ${models?.rule ?? null}, ${models?.models ?? []}::text[]) AS saved`;
  invariant(row, 'ledger_save_limits returns a row');
  return row.saved;
}

/** Refuses all requests of an app, or of all apps, until the user resumes them. False if nothing changed. */
export async function stopSpending(
  tx: Tx,
  { userId, partnerId }: { userId: string; partnerId: string },
): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ stopped: boolean }[]>`
    SELECT ledger_stop(${userId}, ${partnerId}) AS stopped`;
  invariant(row, 'ledger_stop returns a row');
  return row.stopped;
}

export async function resumeSpending(
  tx: Tx,
  { userId, partnerId }: { userId: string; partnerId: string },
): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ resumed: boolean }[]>`
    SELECT ledger_resume_spending(${userId}, ${partnerId}) AS resumed`;
  invariant(row, 'ledger_resume_spending returns a row');
  return row.resumed;
}

export async function removeLimits(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM wallet WHERE user_id = ${userId} FOR UPDATE`;
  await tx.spendingLimit.deleteMany({ where: { userId } });
  await tx.wallet.updateMany({ where: { userId }, data: { limitsZone: null } });
}

/** The limits of a user with what is used of them, those for all apps first, and their time zone. */
export async function readLimits(userId: string): Promise<{ zone: string | null; limits: LimitsInUse[] }> {
  await returnIdleHolds(userId);
  const { rows } = await pool().query<LimitRow>('SELECT * FROM ledger_limits_of($1)', [userId]);
  return { zone: rows[0]?.zone ?? null, limits: rows.map(toLimits) };
}

type LimitRow = {
  zone: string;
  partner_id: string;
  model_rule: 'only' | 'except' | null;
  models: string[];
  is_stopped: boolean;
  held: Microcredits;
} & Record<`per_${'request' | Period}`, Microcredits | null> &
  Record<`${Period}_spent`, Microcredits> &
  Record<`${Period}_ends`, Date>;

function toLimits(row: LimitRow): LimitsInUse {
  const usedIn = (period: Period) => ({
    spent: row[`${period}_spent`],
    held: row.held,
    resetsAt: row[`${period}_ends`],
  });
  return {
    partnerId: row.partner_id,
    request: row.per_request,
    day: row.per_day,
    week: row.per_week,
    month: row.per_month,
    models: row.model_rule === null ? null : { rule: row.model_rule, models: row.models },
    isStopped: row.is_stopped,
    used: { day: usedIn('day'), week: usedIn('week'), month: usedIn('month') },
  };
}

const STOPPED_LATELY_SECONDS = 60;

/** Who has stopped apps in the last minute: their running requests end. */
export async function readStops(): Promise<{ userId: string; partnerId: string }[]> {
  const { rows } = await pool().query<{ user_id: string; partner_id: string }>({
    name: 'read_stops',
    text: `SELECT user_id, partner_id FROM spending_limit
           WHERE stopped_at > clock_timestamp() - make_interval(secs => $1)`,
    values: [STOPPED_LATELY_SECONDS],
  });
  return rows.map((row) => ({ userId: row.user_id, partnerId: row.partner_id }));
}

import type { Microcredits } from '../base/credits';
import { pool, type Tx } from '../base/db';
import { invariant } from '../base/errors';
import type { ModelRule } from '../base/typed-limits';
import type { ReachedSpendingLimit } from './admission';
import { returnIdleHolds } from './kept-holds';
import { minimumBalance } from './minimum-balance';

/**
 * What a user lets one app, or all apps together, spend, and what a partner lets its users spend: see "Spending limits" in
 * docs/ledger.md.
 */

/** In place of a partner id. */
export const ALL_APPS = '';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export type Limits = Record<'request' | Period, Microcredits | null> & { models: ModelRule | null };

/** What was spent in a running period, and what running requests hold. */
type Use = { spent: Microcredits; held: Microcredits; resetsAt: Date };

/** A partner sets no limit per week. */
export type LimitsInUse<Counted extends Period = Period> = Limits & {
  partnerId: string;
  isStopped: boolean;
  used: Record<Counted, Use>;
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

/** Also those that partners have set for this user alone. */
export async function removeLimits(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM wallet WHERE user_id = ${userId} FOR UPDATE`;
  await tx.spendingLimit.deleteMany({ where: { userId } });
  await tx.$executeRaw`
    DELETE FROM partner_limit l USING user_app u
    WHERE u.user_id = ${userId} AND l.partner_id = u.partner_id AND l.app_user_id = u.app_user_id`;
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

/** The limit or stop that refuses every request of an app for a user; null if none does. */
export async function readReachedLimit(
  userId: string,
  partnerId: string,
): Promise<ReachedSpendingLimit | null> {
  const { rows } = await pool().query<{ refusal: string | null; resets_at: Date | null }>({
    name: 'read_reached_limit',
    text: `SELECT l.refusal, l.resets_at
           FROM wallet a LEFT JOIN partner p ON p.id = $2
           CROSS JOIN LATERAL ledger_limits(
             $1, $2, a.limits_zone, p.limits_users IS TRUE, NULL, NULL, $3, a.held, NULL) l
           WHERE a.user_id = $1`,
    values: [userId, partnerId, minimumBalance().toString()],
  });
  const [row] = rows;
  if (row?.refusal == null) return null;
  const [, kind, scope] = row.refusal.split('_') as [
    'limit',
    ReachedSpendingLimit['kind'],
    ReachedSpendingLimit['scope'],
  ];
  return { kind, scope, resetsAt: row.resets_at };
}

/** What a partner's limits, with those of operators, allow a user in its app. Null if there are none. */
export async function readPartnerLimits(
  userId: string,
  partnerId: string,
): Promise<LimitsInUse<'day' | 'month'> | null> {
  await returnIdleHolds(userId);
  const { rows } = await pool().query<PartnerLimitRow>({
    name: 'read_partner_limits',
    text: `SELECT l.per_request, l.per_day, l.per_month, l.model_rule, l.models,
             (SELECT coalesce(sum(h.amount), 0)::bigint FROM hold h
              WHERE h.user_id = u.user_id AND h.partner_id = u.partner_id) AS held,
             s.day AS day_spent, s.day_ends, s.month AS month_spent, s.month_ends
           FROM user_app u
           JOIN partner p ON p.id = u.partner_id AND p.limits_users
           CROSS JOIN LATERAL ledger_partner_limits(u.partner_id, u.app_user_id) l
           CROSS JOIN LATERAL ledger_spent_in_app(u, ledger_today()) s
           WHERE u.user_id = $1 AND u.partner_id = $2`,
    values: [userId, partnerId],
  });
  const [first] = rows;
  if (first === undefined) return null;
  const { held, day_spent, day_ends, month_spent, month_ends } = first;
  const rules = rows.flatMap(({ model_rule, models }) =>
    model_rule === null ? [] : { rule: model_rule, models },
  );
  return {
    partnerId,
    isStopped: false,
    week: null,
    request: leastOf(rows.map((row) => row.per_request)),
    day: leastOf(rows.map((row) => row.per_day)),
    month: leastOf(rows.map((row) => row.per_month)),
    models: rules.reduce<ModelRule | null>(allowBoth, null),
    used: {
      day: { spent: day_spent, held, resetsAt: day_ends },
      month: { spent: month_spent, held, resetsAt: month_ends },
    },
  };
}

type PartnerLimitRow = Omit<
  LimitRow,
  'zone' | 'partner_id' | 'is_stopped' | 'per_week' | 'week_spent' | 'week_ends'
>;

function leastOf(limits: (Microcredits | null)[]): Microcredits | null {
  return limits.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null);
}

/** The models that two rules allow. */
function allowBoth(a: ModelRule | null, b: ModelRule): ModelRule {
  if (a === null) return b;
  if (a.rule === 'except' && b.rule === 'except')
    return { rule: 'except', models: [...new Set([...a.models, ...b.models])] };
  const [only, other] = a.rule === 'only' ? [a, b] : [b, a];
  const isAllowed = (model: string) => other.models.includes(model) === (other.rule === 'only');
  return { rule: 'only', models: only.models.filter(isAllowed) };
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

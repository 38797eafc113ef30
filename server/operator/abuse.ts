import { DAY_MS, now } from '../base/clock';
import { pool } from '../base/db';
import { ApiError } from '../base/errors';
import { keyedHash } from '../base/keyed-hash';
import { readLate } from '../base/replica';
import { openSealed, seal } from '../base/seal';
import { TRACES_KEPT_MS, type TraceKind } from '../base/traces';
import { OUTSIDE_ANY_APP } from '../ledger';
import { isBlockedSql } from '../payments/checkout/purchase-block';
import { userRef } from './find-user';

/**
 * What an operator reviews: accounts with a card, a browser or a network in common, cards that are tried, refunds and
 * disputes above the usual. It only ranks. Each list is bounded, and the thresholds are low enough that much of it has
 * a good reason.
 */

export const ABUSE = {
  days: TRACES_KEPT_MS / DAY_MS,
  /** Accounts with the trace in common. */
  shared: { card: 3, browser: 3, network: 10 } satisfies Record<TraceKind, number>,
  /** Declined charges within one hour: of one account, or of several with the card or the network in common. */
  declined: { account: 5, card: 3, network: 10 },
  /** Credits taken back, in basis points of those sold, and as a multiple of the median of all apps. */
  reversals: { days: 90, refundedBp: 500, disputedBp: 100, multiple: 2, purchases: 10, ofUser: 2 },
} as const;

const ROWS = 20;
/** Of one group. */
const ACCOUNTS = 100;
const NAMES = 5;
const KEY_BYTES = 8;

type Account = { userRef: string; email: string | null; isBlocked: boolean };

export type Accounts = {
  /** The last ones that were seen, at most five. */
  shown: Account[];
  /** How many of them `token` names: at most 100. */
  count: number;
  /** Created in the last 30 days. */
  created: number;
  blocked: number;
  /** Names them to the action that blocks their purchases. */
  token: string;
  /** The same for the same accounts. */
  key: string;
};

export type Shared = { accounts: number; seenAt: Date; of: Accounts };

/** Groups of accounts with a trace in common, the largest first. Older traces are deleted, so the index is enough. */
export async function readShared(kind: TraceKind): Promise<Shared[]> {
  const { rows } = await readLate<{ accounts: number; seenAt: Date; users: string[] }>(
    `WITH top AS (
       SELECT hash, count(*)::int AS accounts FROM account_trace
       WHERE kind = $1 GROUP BY hash HAVING count(*) >= $2 ORDER BY 2 DESC, 1 LIMIT $3)
     SELECT top.accounts,
            (SELECT max(t.seen_at) FROM account_trace t WHERE t.kind = $1 AND t.hash = top.hash) AS "seenAt",
            ARRAY(SELECT t.user_id FROM account_trace t WHERE t.kind = $1 AND t.hash = top.hash
                  ORDER BY t.seen_at DESC, t.user_id LIMIT ${ACCOUNTS}) AS users
     FROM top ORDER BY top.accounts DESC, 2 DESC`,
    [kind, ABUSE.shared[kind], ROWS],
  );
  const groups = kind === 'browser' ? joinOverlapping(rows) : rows;
  return withAccounts(groups);
}

type Group = { accounts: number; seenAt: Date; users: string[] };

/** A browser keeps the ids of its last accounts only, so that many accounts make several groups. */
export function joinOverlapping(groups: Group[]): Group[] {
  const joined: Group[] = [];
  for (const group of groups) {
    const known = joined.filter(({ users }) => users.some((user) => group.users.includes(user)));
    const users = [...new Set([group, ...known].flatMap((each) => each.users))];
    const seenAt = new Date(Math.max(...[group, ...known].map((each) => each.seenAt.getTime())));
    const accounts = Math.max(users.length, ...[group, ...known].map((each) => each.accounts));
    for (const each of known) joined.splice(joined.indexOf(each), 1);
    joined.push({ accounts, seenAt, users });
  }
  return joined.sort((a, b) => b.accounts - a.accounts);
}

export type Declined = {
  /** Within the worst hour, and in all 30 days. */
  worst: number;
  total: number;
  accounts: number;
  lastAt: Date;
  of: Accounts;
};

const KEYS = {
  account: 'SELECT user_id AS key, user_id, at FROM declined',
  card: 'SELECT card AS key, user_id, at FROM declined WHERE card IS NOT NULL',
  network: `SELECT t.hash AS key, d.user_id, d.at FROM declined d
            JOIN account_trace t ON t.user_id = d.user_id AND t.kind = 'network'`,
};

/** Bursts of declined charges, the worst first. Those of a card or a network concern several accounts. */
export async function readDeclined(by: keyof typeof KEYS): Promise<Declined[]> {
  const { rows } = await readLate<Omit<Declined, 'of'> & { users: string[] }>(
    `WITH declined AS MATERIALIZED (SELECT user_id, card, at FROM payment_attempt WHERE is_declined AND at >= $1),
     keyed AS MATERIALIZED (${KEYS[by]}),
     hours AS (SELECT key, count(*)::int AS n FROM keyed GROUP BY key, date_trunc('hour', at)),
     top AS (
       SELECT key, max(n) AS worst, sum(n)::int AS total FROM hours
       GROUP BY key HAVING max(n) >= $2 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${5 * ROWS})
     SELECT top.worst, top.total, count(DISTINCT k.user_id)::int AS accounts, max(k.at) AS "lastAt",
            (array_agg(DISTINCT k.user_id))[1:${ACCOUNTS}] AS users
     FROM top JOIN keyed k USING (key) GROUP BY top.key, top.worst, top.total
     HAVING count(DISTINCT k.user_id) >= $3 ORDER BY 1 DESC, 2 DESC LIMIT ${ROWS}`,
    [since(ABUSE.days), ABUSE.declined[by], by === 'account' ? 1 : 2],
  );
  return withAccounts(rows);
}

export type Reversals = {
  /** Medians of the apps with enough purchases, in basis points; null without one. */
  medians: { refundedBp: number; disputedBp: number } | null;
  apps: {
    /** Null for purchases outside any app. */
    partnerId: string | null;
    name: string;
    isDisabled: boolean;
    purchases: number;
    refundedBp: number;
    disputedBp: number;
  }[];
  users: { purchases: number; refunded: number; disputed: number; lastAt: Date; of: Accounts }[];
};

/** Apps whose rate of credits taken back is high and above the median, and users with several such purchases. */
export async function readReversals(): Promise<Reversals> {
  const [{ medians, apps }, users] = await Promise.all([readAppReversals(), readUserReversals()]);
  return { medians, apps, users };
}

type AppRow = Reversals['apps'][number] & { medianRefundedBp: number; medianDisputedBp: number };

async function readAppReversals(): Promise<Pick<Reversals, 'medians' | 'apps'>> {
  const { days, refundedBp, disputedBp, multiple, purchases } = ABUSE.reversals;
  const { rows } = await readLate<AppRow>(
    `WITH sums AS (
       SELECT partner_id, sum(entries) FILTER (WHERE kind = 'purchase') AS purchases,
              sum(credits) FILTER (WHERE kind = 'purchase') AS sold,
              coalesce(-sum(credits) FILTER (WHERE kind = 'refund'), 0) AS refunded,
              coalesce(-sum(credits) FILTER (WHERE kind = 'chargeback'), 0) AS disputed
       FROM activity_money_day WHERE day >= ($1::timestamptz AT TIME ZONE 'UTC')::date GROUP BY 1
     ), rates AS (
       SELECT partner_id, purchases::int, (10000 * refunded / sold)::float8 AS refunded,
              (10000 * disputed / sold)::float8 AS disputed
       FROM sums WHERE purchases >= $2 AND sold > 0
     ), medians AS (
       SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY refunded) AS refunded,
              percentile_cont(0.5) WITHIN GROUP (ORDER BY disputed) AS disputed
       FROM rates
     )
     SELECT nullif(r.partner_id, $3) AS "partnerId", coalesce(p.name, 'Outside any app') AS name,
            p.disabled_at IS NOT NULL AS "isDisabled", r.purchases,
            r.refunded AS "refundedBp", r.disputed AS "disputedBp",
            m.refunded AS "medianRefundedBp", m.disputed AS "medianDisputedBp"
     FROM medians m JOIN rates r ON true LEFT JOIN partner p ON p.id = r.partner_id
     ORDER BY greatest(r.refunded / $4, r.disputed / $5) DESC, r.partner_id LIMIT 200`,
    [since(days), purchases, OUTSIDE_ANY_APP, refundedBp, disputedBp],
  );
  const [first] = rows;
  if (first === undefined) return { medians: null, apps: [] };
  const medians = { refundedBp: first.medianRefundedBp, disputedBp: first.medianDisputedBp };
  // A single app is its own median.
  const isHigh = (rate: number, least: number, median: number) =>
    rate >= least && (rows.length === 1 || rate >= multiple * median);
  const apps = rows.filter(
    (app) =>
      isHigh(app.refundedBp, refundedBp, medians.refundedBp) ||
      isHigh(app.disputedBp, disputedBp, medians.disputedBp),
  );
  return { medians, apps: apps.slice(0, ROWS) };
}

async function readUserReversals(): Promise<Reversals['users']> {
  const { days, ofUser } = ABUSE.reversals;
  const { rows } = await readLate<Omit<Reversals['users'][number], 'of'> & { userId: string }>(
    `WITH top AS (
       SELECT user_id, count(*)::int AS reversed, count(*) FILTER (WHERE refunded_minor > 0)::int AS refunded,
              count(*) FILTER (WHERE disputed_minor > 0)::int AS disputed, max(created_at) AS last_at
       FROM purchase WHERE (refunded_minor > 0 OR disputed_minor > 0) AND created_at >= $1
       GROUP BY 1 HAVING count(*) >= $2 ORDER BY disputed DESC, reversed DESC, 1 LIMIT $3)
     SELECT t.user_id AS "userId", t.refunded, t.disputed, t.last_at AS "lastAt",
            (SELECT count(*)::int FROM purchase p WHERE p.user_id = t.user_id AND p.created_at >= $1) AS purchases
     FROM top t ORDER BY t.disputed DESC, t.reversed DESC, t.user_id`,
    [since(days), ofUser, ROWS],
  );
  return withAccounts(rows.map(({ userId, ...row }) => ({ ...row, users: [userId] })));
}

export type Blocked = { userRef: string; email: string | null; blockedAt: Date };

const BLOCKED_SHOWN = 50;

/** The accounts whose purchases an operator blocked, the latest first. */
export async function listBlocked(): Promise<{ blocked: Blocked[]; total: number }> {
  const { rows } = await pool().query<{ id: string; email: string | null; blockedAt: Date; total: number }>(
    `SELECT id, CASE WHEN deleted_at IS NULL THEN email END AS email, purchases_blocked_at AS "blockedAt",
            count(*) OVER ()::int AS total
     FROM "user" WHERE purchases_blocked_at IS NOT NULL ORDER BY purchases_blocked_at DESC, id LIMIT $1`,
    [BLOCKED_SHOWN],
  );
  return {
    blocked: rows.map(({ id, email, blockedAt }) => ({ userRef: userRef(id), email, blockedAt })),
    total: rows[0]?.total ?? 0,
  };
}

const PURPOSE = 'operator: accounts';

/** Pages name accounts by a sealed token, which the action opens. */
export const sealAccounts = (userIds: string[]): string =>
  Buffer.from(seal(userIds.join(' '), PURPOSE)).toString('base64url');

export function openAccounts(token: string): string[] {
  try {
    return openSealed(Buffer.from(token, 'base64url'), PURPOSE).split(' ');
  } catch (cause) {
    throw new ApiError('not_found', 'These accounts no longer exist', { cause });
  }
}

type AccountRow = { id: string; email: string | null; isBlocked: boolean; isNew: boolean };

/** From the primary, so that a block shows at once. */
async function withAccounts<Row extends { users: string[] }>(
  rows: Row[],
): Promise<(Omit<Row, 'users'> & { of: Accounts })[]> {
  const ids = [...new Set(rows.flatMap(({ users }) => users))];
  const found = await pool().query<AccountRow>(
    `SELECT u.id, CASE WHEN u.deleted_at IS NULL THEN u.email END AS email, u.created_at >= $2 AS "isNew",
            ${isBlockedSql('u')} AS "isBlocked"
     FROM "user" u WHERE u.id = ANY ($1)`,
    [ids, since(ABUSE.days)],
  );
  const accounts = new Map(found.rows.map((row) => [row.id, row]));
  return rows.map(({ users, ...row }) => {
    const known = users.flatMap((id) => accounts.get(id) ?? []);
    const shown = known
      .slice(0, NAMES)
      .map(({ id, email, isBlocked }) => ({ userRef: userRef(id), email, isBlocked }));
    return {
      ...row,
      of: {
        shown,
        count: known.length,
        created: known.filter(({ isNew }) => isNew).length,
        blocked: known.filter(({ isBlocked }) => isBlocked).length,
        token: sealAccounts(known.map(({ id }) => id)),
        key: keyedHash('accounts', users.join(' ')).toString('hex', 0, KEY_BYTES),
      },
    };
  });
}

const since = (days: number): Date => new Date(now() - days * DAY_MS);

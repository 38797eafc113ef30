import { inTransaction, pool } from '../base/db';
import { ApiError } from '../base/errors';
import { type LossReason, resumeUser } from '../ledger';
import type { Range } from '../reports/activity/install-activity';
import { userRef } from './find-user';
import { type Operator, recordAction, requireReason } from './record';

/**
 * Overruns, for operators: what providers billed beyond the hold. Sums are in microcredits, days in UTC. The
 * condition is that of the index ledger_transaction_overrun.
 */
const FROM_OVERRUNS = `FROM usage WHERE provider_cost > charge + 1
  AND created_at >= $1::date::timestamp AT TIME ZONE 'UTC' AND created_at < $2::date::timestamp AT TIME ZONE 'UTC'`;
const SUMS = 'count(*)::int AS requests, sum(provider_cost - charge)::bigint AS overrun';

export type OverrunSums = { requests: number; overrun: bigint };
export type Overruns = {
  total: OverrunSums;
  days: { day: string; model: string; overrun: bigint }[];
  models: (OverrunSums & { model: string })[];
  apps: (OverrunSums & { partnerId: string; name: string })[];
  users: (OverrunSums & { userRef: string; email: string | null })[];
  /** Calls that nobody was charged for, largest first; `estimated` is the part that may not have been billed. */
  losses: { reason: LossReason; requests: number; cost: bigint; estimated: bigint }[];
  /** Newest first. */
  latest: {
    requestId: string;
    userRef: string;
    appName: string;
    model: string;
    at: Date;
    held: bigint;
    cost: bigint;
  }[];
};

/** The largest of each kind, and the latest requests: `limit` of each. */
export async function readOverruns({ from, to }: Range, limit: number): Promise<Overruns> {
  const read = async <Row extends object>(query: string) =>
    (await pool().query<Row>(query, query.includes('$3') ? [from, to, limit] : [from, to])).rows;
  const largest = (column: string) =>
    `SELECT ${column} AS key, ${SUMS} ${FROM_OVERRUNS} GROUP BY 1 ORDER BY overrun DESC LIMIT $3`;
  const [totals, days, models, apps, users, losses, latest] = await Promise.all([
    read<OverrunSums>(
      `SELECT count(*)::int AS requests, coalesce(sum(provider_cost - charge), 0)::bigint AS overrun ${FROM_OVERRUNS}`,
    ),
    read<Overruns['days'][number]>(
      `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, model,
              sum(provider_cost - charge)::bigint AS overrun ${FROM_OVERRUNS} GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
    read<Overruns['models'][number]>(
      `SELECT o.key AS model, o.requests, o.overrun FROM (${largest('model')}) o`,
    ),
    read<Overruns['apps'][number]>(
      `SELECT o.key AS "partnerId", p.name, o.requests, o.overrun FROM (${largest('partner_id')}) o
       JOIN partner p ON p.id = o.key ORDER BY o.overrun DESC`,
    ),
    read<OverrunSums & NamedUser>(
      `SELECT o.key AS "userId", ${EMAIL} AS email, o.requests, o.overrun FROM (${largest('user_id')}) o
       JOIN "user" u ON u.id = o.key ORDER BY o.overrun DESC`,
    ),
    read<Overruns['losses'][number]>(
      `SELECT reason, count(DISTINCT request_id)::int AS requests, sum(cost)::bigint AS cost,
              coalesce(sum(cost) FILTER (WHERE is_estimated), 0)::bigint AS estimated
       FROM provider_loss
       WHERE at >= $1::date::timestamp AT TIME ZONE 'UTC' AND at < $2::date::timestamp AT TIME ZONE 'UTC'
       GROUP BY 1 ORDER BY cost DESC`,
    ),
    read<Omit<Overruns['latest'][number], 'userRef'> & { userId: string }>(
      `SELECT o.*, p.name AS "appName" FROM (
         SELECT request_id AS "requestId", user_id AS "userId", partner_id, model, created_at AS at, held,
                provider_cost AS cost ${FROM_OVERRUNS} ORDER BY created_at DESC LIMIT $3) o
       JOIN partner p ON p.id = o.partner_id ORDER BY o.at DESC`,
    ),
  ]);
  return {
    total: totals[0] ?? { requests: 0, overrun: 0n },
    days,
    models,
    apps,
    users: users.map(withRef),
    losses,
    latest: latest.map(withRef),
  };
}

type NamedUser = { userId: string; email: string | null };

const EMAIL = 'CASE WHEN u.deleted_at IS NULL THEN u.email END';

/** Pages identify a user by a sealed reference, never by the id. */
const withRef = <Row extends { userId: string }>({ userId, ...row }: Row) => ({
  ...row,
  userRef: userRef(userId),
});

/** A user or an app that is paused for review. `overrun` is the sum that passed the limit. */
export type Paused = { pausedAt: Date; overrun: bigint } & (
  | { kind: 'user'; userRef: string; email: string | null }
  | { kind: 'app'; partnerId: string; name: string }
);

/** Oldest first. */
export async function listPaused(): Promise<Paused[]> {
  const [users, apps] = await Promise.all([
    pool().query<{ pausedAt: Date; overrun: bigint } & NamedUser>(
      `SELECT w.paused_at AS "pausedAt", w.overrun, w.user_id AS "userId", ${EMAIL} AS email
       FROM wallet w JOIN "user" u ON u.id = w.user_id WHERE w.paused_at IS NOT NULL`,
    ),
    pool().query<{ pausedAt: Date; overrun: bigint; partnerId: string; name: string }>(
      `SELECT paused_at AS "pausedAt", overrun, id AS "partnerId", name FROM partner WHERE paused_at IS NOT NULL`,
    ),
  ]);
  return [
    ...users.rows.map((row): Paused => ({ kind: 'user', ...withRef(row) })),
    ...apps.rows.map((row): Paused => ({ kind: 'app', ...row })),
  ].sort((a, b) => a.pausedAt.getTime() - b.pausedAt.getTime());
}

/** Accepts requests of a paused user again. Apps are resumed by `changePartner`. */
export async function resumeUserAs(operator: Operator, userId: string, reason: string): Promise<void> {
  requireReason(reason);
  await inTransaction(async (tx) => {
    requirePaused(await resumeUser(tx, userId), 'user');
    const [before, after] = [{ paused: true }, { paused: false }];
    await recordAction(tx, { operator, what: 'user.resume', subject: userId, reason, before, after });
  });
}

export function requirePaused(wasPaused: boolean, who: 'user' | 'app'): void {
  if (!wasPaused) throw new ApiError('invalid_request', `This ${who} is not paused`);
}

import { now } from '../base/clock';
import type { Microcredits } from '../base/credits';
import { deleteInSteps, pool, type Tx } from '../base/db';

/** Budgets of run keys and of runs. `ledger_batch` decides and counts them: see `45-budgets.sql`. */

export type Budget = {
  credits: Microcredits | null;
  requests: number | null;
  spent: Microcredits;
  held: Microcredits;
  used: number;
  createdAt: Date;
  lastUsedAt: Date | null;
};

type Owner = { userId: string; partnerId: string };

/** The budget of a new run key. */
export async function openBudget(
  tx: Tx,
  budget: Owner & { id: string; credits: Microcredits; requests: number | null },
): Promise<void> {
  await tx.budget.create({ data: budget });
}

/** By their ids: those of the run keys of one user. */
export async function readBudgets(userId: string, ids: readonly string[]): Promise<Budget[]> {
  const { rows } = await pool().query<Budget>({
    name: 'read_budgets',
    text: `SELECT b.credits, b.requests, b.spent, b.held, b.used, b.created_at AS "createdAt", b.last_used_at AS "lastUsedAt"
           FROM unnest($2::text[]) WITH ORDINALITY AS n (id, place) JOIN budget b ON b.user_id = $1 AND b.id = n.id
           ORDER BY n.place`,
    values: [userId, ids],
  });
  return rows;
}

export type RunSum = Pick<Budget, 'spent' | 'held' | 'used'> & {
  /** The ceiling that the key itself set for its requests, and what that leaves; null for none. */
  credits: Microcredits | null;
  left: Microcredits | null;
  firstAt: Date;
  lastAt: Date;
};

/**
 * Sums a run by the caller's id. A run belongs to the key that names it: each run key has its own, and ordinary keys share
 * one in an app. A key reads its run with those of the keys below it. Null if no request was admitted.
 */
export async function readRun(
  { userId, partnerId, keyId, lineage }: Owner & { keyId: string; lineage: readonly string[] },
  id: string,
): Promise<RunSum | null> {
  const isOrdinary = lineage.length === 0;
  const { rows } = await pool().query<RunSum>({
    name: 'read_run',
    text: `SELECT sum(b.spent)::bigint AS spent, sum(b.held)::bigint AS held, sum(b.used)::integer AS used,
             sum(b.credits) FILTER (WHERE n.own)::bigint AS credits,
             sum(b.credits - b.spent - b.held) FILTER (WHERE n.own)::bigint AS left,
             min(b.created_at) AS "firstAt", max(b.last_used_at) AS "lastAt"
           FROM (SELECT $3 AS scope, true AS own UNION ALL
                 SELECT k.id, false FROM user_key k
                 WHERE k.user_id = $1 AND k.partner_id = $2 AND k.id <> $3 AND k.lineage <> '{}'
                   AND ($4::text IS NULL OR k.lineage @> ARRAY[$4])) n
           JOIN budget b ON b.user_id = $1 AND b.id = 'run:' || n.scope || ':' || $5 HAVING count(*) > 0`,
    values: [userId, partnerId, isOrdinary ? partnerId : keyId, isOrdinary ? null : keyId, id],
  });
  return rows[0] ?? null;
}

/** What is left of a budget: nothing that running requests hold. Null if nothing limits it. */
export const leftOf = ({ credits, spent, held }: Budget): Microcredits | null =>
  credits === null ? null : ((credits - spent - held) as Microcredits);

/**
 * Changes what a run key may spend. False unless it is a live key of the user that has not spent or holds more.
 */
export async function raiseBudget(userId: string, keyId: string, credits: Microcredits): Promise<boolean> {
  const { rows } = await pool().query<{ raised: boolean }>(
    'SELECT ledger_raise_budget($1, $2, $3) AS raised',
    [userId, keyId, credits],
  );
  return rows[0]?.raised === true;
}

/** All of a user's, whose keys are revoked. Requests that still run no longer draw on them. */
export async function removeBudgets(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM wallet WHERE user_id = ${userId} FOR UPDATE`;
  await tx.$executeRaw`UPDATE hold SET budgets = NULL WHERE user_id = ${userId} AND budgets IS NOT NULL`;
  await tx.budget.deleteMany({ where: { userId } });
}

/**
 * A run is forgotten 90 days after its last request, or a day if none was charged, and the budget of a run key 90 days after its end. A run key without
 * a charged request is forgotten a day after its end; others stay while the budget of a key above them may count them.
 */
export async function forgetOldBudgets(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM user_key WHERE id IN (
       SELECT k.id FROM user_key k WHERE k.lineage <> '{}' AND k.expires_at < $1::timestamptz - interval '1 day' AND (
         k.expires_at < $1::timestamptz - interval '180 days' OR EXISTS (
           SELECT FROM budget b WHERE b.user_id = k.user_id AND b.id = k.id AND b.used = 0)) LIMIT $2)`,
    new Date(now()),
  );
  await deleteInSteps(
    // `held` is checked again, because a request may have begun to draw on it.
    `DELETE FROM budget WHERE held = 0 AND (user_id, id) IN (
       SELECT b.user_id, b.id FROM budget b LEFT JOIN user_key k ON k.id = b.id
       WHERE b.held = 0 AND CASE
         WHEN b.id NOT LIKE 'run:%' THEN coalesce(k.expires_at, '-infinity') < $1::timestamptz - interval '90 days'
         ELSE b.last_used_at < $1::timestamptz - CASE WHEN b.used = 0 THEN interval '1 day' ELSE interval '90 days' END END
       LIMIT $2)`,
    new Date(now()),
  );
}

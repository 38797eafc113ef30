import type { Microcredits } from '../base/credits';
import { pool, prisma } from '../base/db';
import type { ReachedSpendingLimit } from './admission';
import { returnIdleHolds } from './kept-holds';
import { minimumBalance } from './minimum-balance';
import type { Spendable } from './wallet';

/** A user's pocket for one partner, or outside any app, with the balance of that partner. */
export type Pocket = {
  partnerId: string;
  /** Unspent credits that were bought or granted here; below zero after a refund of spent credits. */
  own: Microcredits;
  allowanceSaved: Microcredits | null;
  allowanceLeft: Microcredits;
  /** The unspent part of a paused allowance. */
  allowancePaused: Microcredits | null;
  balance: Microcredits;
  status: Spendable['status'];
  limit: PocketLimit | null;
};

/** The limit, or stop, that prevents spending now. */
export type PocketLimit = ReachedSpendingLimit & {
  /** Null for a stop. */
  most: Microcredits | null;
  /** Null for a limit. */
  stoppedAt: Date | null;
};

export type Pockets = {
  /** All of the user's credits, including what running requests hold. */
  money: Microcredits;
  held: Microcredits;
  /** Oldest first. */
  pockets: Pocket[];
};

type Row = Omit<Pocket, 'status' | 'limit'> & {
  status: Pocket['status'] | 'busy';
  refusal: string | null;
} & Pick<PocketLimit, 'resetsAt' | 'stoppedAt' | 'most'>;

/** A user's wallet, pocket by pocket. */
export async function readPockets(userId: string): Promise<Pockets> {
  await returnIdleHolds(userId);
  const [account, { rows }] = await Promise.all([
    prisma().wallet.findUnique({ where: { userId } }),
    pool().query<Row>(
      `SELECT u.partner_id AS "partnerId", u.own, u.allowance_saved AS "allowanceSaved", u.allowance_left AS "allowanceLeft",
              u.allowance_paused AS "allowancePaused", r.balance, r.status, l.refusal, l.resets_at AS "resetsAt",
              set.stopped_at AS "stoppedAt", CASE split_part(l.refusal, '_', 2)
                WHEN 'day' THEN set.per_day WHEN 'week' THEN set.per_week WHEN 'month' THEN set.per_month END AS most
       FROM user_app u CROSS JOIN LATERAL ledger_read(u.user_id, u.partner_id, $2) r
       LEFT JOIN LATERAL (
         SELECT l.refusal, l.resets_at FROM wallet a CROSS JOIN LATERAL ledger_limits(
           u.user_id, u.partner_id, a.limits_zone, r.limited_by = 'partner', NULL, NULL, $2, a.held, NULL) l
         WHERE a.user_id = u.user_id) l ON r.limited_by IS NOT NULL
       LEFT JOIN LATERAL (
         SELECT s.stopped_at, s.per_day, s.per_week, s.per_month FROM spending_limit s
         WHERE r.limited_by <> 'partner' AND s.user_id = u.user_id
           AND s.partner_id = CASE r.limited_by WHEN 'all' THEN '' ELSE u.partner_id END
         UNION ALL
         SELECT NULL, min(p.per_day), NULL, min(p.per_month) FROM ledger_partner_limits(u.partner_id, u.app_user_id) p
         HAVING r.limited_by = 'partner') set ON true
       WHERE u.user_id = $1 ORDER BY u.created_at, u.partner_id`,
      [userId, minimumBalance().toString()],
    ),
  ]);
  return {
    money: (account?.money ?? 0n) as Microcredits,
    held: (account?.held ?? 0n) as Microcredits,
    pockets: rows.map(toPocket),
  };
}

function toPocket({ refusal, resetsAt, stoppedAt, most, ...row }: Row): Pocket {
  const [, kind, scope] = (refusal?.split('_') ?? []) as ['limit', PocketLimit['kind'], PocketLimit['scope']];
  return {
    ...row,
    status: row.status === 'busy' ? 'ok' : row.status,
    limit:
      refusal === null
        ? null
        : { kind, scope, resetsAt, stoppedAt: kind === 'stop' ? stoppedAt : null, most },
  };
}

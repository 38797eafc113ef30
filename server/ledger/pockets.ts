import type { Microcredits } from '../base/credits';
import { pool, prisma } from '../base/db';
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
  limitedBy: Spendable['limitedBy'];
};

export type Pockets = {
  /** All of the user's credits, including what running requests hold. */
  money: Microcredits;
  held: Microcredits;
  /** Oldest first. */
  pockets: Pocket[];
};

type Row = Omit<Pocket, 'status'> & { status: Pocket['status'] | 'busy' };

/** A user's wallet, pocket by pocket. */
export async function readPockets(userId: string): Promise<Pockets> {
  await returnIdleHolds(userId);
  const [account, { rows }] = await Promise.all([
    prisma().wallet.findUnique({ where: { userId } }),
    pool().query<Row>(
      `SELECT u.partner_id AS "partnerId", u.own, u.allowance_saved AS "allowanceSaved", u.allowance_left AS "allowanceLeft",
              u.allowance_paused AS "allowancePaused", r.balance, r.status, r.limited_by AS "limitedBy"
       FROM user_app u CROSS JOIN LATERAL ledger_read(u.user_id, u.partner_id, $2) r
       WHERE u.user_id = $1 ORDER BY u.created_at, u.partner_id`,
      [userId, minimumBalance().toString()],
    ),
  ]);
  return {
    money: (account?.money ?? 0n) as Microcredits,
    held: (account?.held ?? 0n) as Microcredits,
    pockets: rows.map((row) => ({ ...row, status: row.status === 'busy' ? 'ok' : row.status })),
  };
}

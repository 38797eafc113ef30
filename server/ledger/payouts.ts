import type { PoolClient } from 'pg';
import { nowDate } from '../base/clock';
import type { Microcredits } from '../base/credits';
import { pool, prisma, querySlowly, type Tx } from '../base/db';
import { invariant } from '../base/errors';
import { earningsHold } from './claw-back';

export type PayoutState = 'planned' | 'sending' | 'waiting_for_balance' | 'sent' | 'returned' | 'failed';

export type AppEarnings = {
  partnerId: string;
  /** Past the maturity period, in whole days (UTC). */
  matured: Microcredits;
  maturing: Microcredits;
  /** The part of `matured` whose payments can still be disputed. */
  disputable: Microcredits;
  paidOut: Microcredits;
  /** Matured and not paid out. Negative if commission was reversed after it was paid out. */
  payable: Microcredits;
};

/** The earnings of each app of a team up to now, including those that are not rolled up yet. */
export async function readTeamEarnings(teamId: string): Promise<AppEarnings[]> {
  const { rows } = await pool().query<AppEarnings>(
    `SELECT e.partner_id AS "partnerId", e.matured, e.maturing, e.disputable, e.paid_out AS "paidOut", e.payable
     FROM ledger_earnings(ARRAY(SELECT id FROM partner WHERE team_id = $1), $2::interval, $3) e ORDER BY 1`,
    [teamId, earningsHold(), nowDate()],
  );
  return rows;
}

type TeamExposure = { teamId: string } & Pick<AppEarnings, 'payable' | 'maturing' | 'disputable' | 'paidOut'>;

/** What each team has earned on payments that can still be disputed, and what it is owed. */
export async function readExposure(): Promise<TeamExposure[]> {
  return querySlowly<TeamExposure>(
    `SELECT p.team_id AS "teamId", sum(e.payable)::bigint AS payable, sum(e.maturing)::bigint AS maturing,
            sum(e.disputable)::bigint AS disputable, sum(e.paid_out)::bigint AS "paidOut"
     FROM ledger_earnings(ARRAY(SELECT id FROM partner WHERE team_id IS NOT NULL), $1::interval, $2) e
     JOIN partner p ON p.id = e.partner_id GROUP BY 1 ORDER BY 1`,
    [earningsHold(), nowDate()],
  );
}

type NewPayout = {
  payoutId: string;
  teamId: string;
  /** The month in which it is made: `2026-10`. */
  period: string;
  /** Includes what has matured by then. */
  asOf: Date;
  method: 'stripe' | 'manual';
  minimum: Microcredits;
  /** Null if an operator has to approve it first. */
  approvedBy: string | null;
  processorAccountId: string | null;
  payee: object | null;
};

export type PayoutCreation =
  | { outcome: 'created'; payoutId: string; amount: Microcredits }
  /** The team has one in this month that neither failed nor was returned. */
  | { outcome: 'exists'; payoutId: string }
  /** `payable` is what the team is owed less its reserve. */
  | { outcome: 'below_minimum'; payable: Microcredits }
  | { outcome: 'held' };

type CreationRow = { outcome: PayoutCreation['outcome']; payout_id: string; amount: Microcredits };

/** Plans a team's payout of a month and books it, at most once (`ledger_create_payout`). `client` has a slow transaction. */
export async function createPayout(payout: NewPayout, client?: PoolClient): Promise<PayoutCreation> {
  const query = async (text: string, values: unknown[]) =>
    client ? (await client.query<CreationRow>(text, values)).rows : querySlowly<CreationRow>(text, values);
  const [row] = await query(
    `SELECT outcome, payout_id, amount
     FROM ledger_create_payout($1, $2, $3::date, $4, $5::interval, $6, $7, $8, $9, $10)`,
    [
      payout.payoutId,
      payout.teamId,
      `${payout.period}-01`,
      payout.asOf,
      earningsHold(),
      payout.method,
      payout.minimum,
      payout.approvedBy,
      payout.processorAccountId,
      payout.payee === null ? null : JSON.stringify(payout.payee),
    ],
  );
  invariant(row, 'ledger_create_payout returns a row');
  switch (row.outcome) {
    case 'created':
      return { outcome: row.outcome, payoutId: row.payout_id, amount: row.amount };
    case 'exists':
      return { outcome: row.outcome, payoutId: row.payout_id };
    case 'below_minimum':
      return { outcome: row.outcome, payable: row.amount };
    case 'held':
      return { outcome: row.outcome };
  }
}

type PayoutReturn = {
  payoutId: string;
  from: PayoutState[];
  to: 'returned' | 'failed';
  /** Why, for the partner and the operator. */
  failure: string;
};

/**
 * Ends a payout that is in one of the states as returned or failed, and books its amount back, in one call. False if it
 * is in none of them.
 */
export async function returnPayout(
  { payoutId, from, to, failure }: PayoutReturn,
  tx: Tx = prisma(),
): Promise<boolean> {
  const [row] = await tx.$queryRaw<
    { is_returned: boolean }[]
  >`SELECT ledger_return_payout(${payoutId}, ${from}, ${to}, ${failure}) AS is_returned`;
  invariant(row, 'ledger_return_payout returns a row');
  return row.is_returned;
}

import { nowDate } from '../../base/clock';
import { pool } from '../../base/db';
import type { PayoutState } from '../../ledger';
import { findPayout, type PayoutDetails } from './list-payouts';

/** Payouts of all teams, for operators. */

/** What an operator has to do about a payout, or has decided about it; null when nothing is due. */
export type Attention =
  | 'approve'
  | 'pay'
  | 'waiting_for_balance'
  | 'failed'
  | 'returned'
  | 'bank_failed'
  | 'reversed_in_part'
  | 'held';

export type ListedPayout = {
  id: string;
  teamId: string;
  teamName: string;
  /** `2026-10` */
  period: string;
  amount: bigint;
  method: 'manual' | 'stripe';
  state: PayoutState;
  attention: Attention | null;
  /** Why it waits, failed or was returned. */
  detail: string | null;
  /** By itself, whether or not its team is. */
  isHeld: boolean;
  /** The operator's reference or the transfer. */
  reference: string | null;
  createdAt: Date;
  sentAt: Date | null;
  /** The version of the payee details, which an approval is for. */
  payeeSavedAt: string | null;
};

/** An ended payout needs attention until the team has a newer one. */
const LISTED = `
  SELECT p.id, p.team_id AS "teamId", t.name AS "teamName", to_char(p.period, 'YYYY-MM') AS period, p.amount,
         p.method, p.state, coalesce(p.reference, p.processor_transfer_id) AS reference,
         p.created_at AS "createdAt", p.sent_at AS "sentAt",
         p.held_at IS NOT NULL AS "isHeld", p.payee ->> 'savedAt' AS "payeeSavedAt",
         coalesce(CASE WHEN p.state IN ('planned', 'waiting_for_balance') THEN coalesce(p.held_reason, t.payouts_held_reason) END,
                  p.failure, p.bank_failure) AS detail,
         CASE WHEN p.state IN ('planned', 'waiting_for_balance') AND coalesce(p.held_at, t.payouts_held_at) IS NOT NULL THEN 'held'
              WHEN p.state = 'planned' AND p.approved_by IS NULL THEN 'approve'
              WHEN p.state = 'planned' AND p.method = 'manual' THEN 'pay'
              WHEN p.state = 'waiting_for_balance' THEN p.state
              WHEN p.state = 'sent' AND p.reversed_minor IS NOT NULL THEN 'reversed_in_part'
              WHEN EXISTS (SELECT FROM payout n WHERE n.team_id = p.team_id AND n.created_at > p.created_at) THEN NULL
              WHEN p.state IN ('failed', 'returned') THEN p.state
              WHEN p.state = 'sent' AND p.bank_state = 'failed' THEN 'bank_failed'
         END AS attention
  FROM payout p JOIN team t ON t.id = p.team_id`;

/** The oldest first within each kind. Paused payouts come last. */
export async function listPayoutsNeedingAttention(): Promise<(ListedPayout & { attention: Attention })[]> {
  const { rows } = await pool().query<ListedPayout & { attention: Attention }>(
    `SELECT * FROM (${LISTED} WHERE p.state <> 'sent' OR p.bank_state = 'failed' OR p.reversed_minor IS NOT NULL) listed
     WHERE attention IS NOT NULL
     ORDER BY array_position(ARRAY['approve', 'pay', 'reversed_in_part', 'bank_failed', 'failed', 'returned', 'waiting_for_balance', 'held'], attention),
              "createdAt", id`,
  );
  return rows;
}

/** The payouts that wait for an operator, by what is due. Paused ones are not among them. */
export async function countPayoutsNeedingAttention(): Promise<Map<Attention, number>> {
  const counts = new Map<Attention, number>();
  for (const { attention } of await listPayoutsNeedingAttention())
    if (attention !== 'held') counts.set(attention, (counts.get(attention) ?? 0) + 1);
  return counts;
}

export async function countPayoutsByState(): Promise<Map<PayoutState, number>> {
  const { rows } = await pool().query<{ state: PayoutState; count: number }>(
    'SELECT state, count(*)::int AS count FROM payout GROUP BY 1',
  );
  return new Map(rows.map(({ state, count }) => [state, count]));
}

type Page = { limit: number; offset: number };
type Search = Page & { teamId?: string | undefined; text?: string | undefined };

/** Newest first. `text` is part of a team's or app's name or of a reference, or a payout's or transfer's id. */
export async function searchPayouts({ teamId, text = '', limit, offset }: Search): Promise<{
  payouts: ListedPayout[];
  total: number;
}> {
  const { rows } = await pool().query<ListedPayout & { total: number }>(
    `SELECT *, count(*) OVER ()::int AS total FROM (
       ${LISTED}
       WHERE ($1::text IS NULL OR p.team_id = $1)
         AND ($2 = '' OR p.id = $2 OR p.processor_transfer_id = $2 OR p.reference ILIKE $3 OR t.name ILIKE $3
              OR EXISTS (SELECT FROM partner a WHERE a.team_id = p.team_id AND a.name ILIKE $3))) listed
     ORDER BY "createdAt" DESC, id LIMIT $4 OFFSET $5`,
    [teamId ?? null, text, `%${text.replace(/[\\%_]/g, '\\$&')}%`, limit, offset],
  );
  return { payouts: rows.map(({ total: _, ...payout }) => payout), total: rows[0]?.total ?? 0 };
}

/** The payout as its team reads it, with what only operators know. */
export type PayoutFacts = PayoutDetails & ListedPayout & OperatorFacts;

type OperatorFacts = {
  approvedBy: string | null;
  teamHeldReason: string | null;
  processorAccountId: string | null;
  nextLookAt: Date | null;
};

export async function findPayoutFacts(payoutId: string): Promise<PayoutFacts | null> {
  const [payout, { rows }] = await Promise.all([
    findPayout(payoutId, null),
    pool().query<ListedPayout & OperatorFacts>(
      `SELECT listed.*, p.approved_by AS "approvedBy", t.payouts_held_reason AS "teamHeldReason",
              p.processor_account_id AS "processorAccountId", p.next_look_at AS "nextLookAt"
       FROM (${LISTED} WHERE p.id = $1) listed JOIN payout p ON p.id = listed.id JOIN team t ON t.id = p.team_id`,
      [payoutId],
    ),
  ]);
  const [facts] = rows;
  return payout && facts ? { ...payout, ...facts, amount: payout.amount } : null;
}

export type PayoutTeam = {
  id: string;
  name: string;
  /** Null for the default. */
  minimum: bigint | null;
  reserve: bigint;
  heldAt: Date | null;
  heldReason: string | null;
  apps: { id: string; name: string }[];
  /** Of its account at Stripe; null without one. */
  accountState: string | null;
};

export async function findPayoutTeam(teamId: string): Promise<PayoutTeam | null> {
  const { rows } = await pool().query<PayoutTeam>(
    `SELECT t.id, t.name, t.payout_minimum AS minimum, t.payout_reserve AS reserve, t.payouts_held_at AS "heldAt",
            t.payouts_held_reason AS "heldReason", a.state AS "accountState",
            coalesce((SELECT json_agg(json_build_object('id', p.id, 'name', p.name) ORDER BY p.created_at, p.id)
                      FROM partner p WHERE p.team_id = t.id), '[]') AS apps
     FROM team t LEFT JOIN payout_account a ON a.team_id = t.id WHERE t.id = $1`,
    [teamId],
  );
  return rows[0] ?? null;
}

type NamedTeam = { id: string; name: string; isHeld: boolean };

/** By team id. */
export async function nameTeams(): Promise<Map<string, NamedTeam>> {
  const { rows } = await pool().query<NamedTeam>(
    'SELECT id, name, payouts_held_at IS NOT NULL AS "isHeld" FROM team',
  );
  return new Map(rows.map((team) => [team.id, team]));
}

/** What was sent since the first of the month (UTC), returned payouts excluded. */
export async function sumSentThisMonth(): Promise<{ count: number; amount: bigint }> {
  const { rows } = await pool().query<{ count: number; amount: bigint }>(
    `SELECT count(*)::int AS count, coalesce(sum(amount), 0)::bigint AS amount FROM payout
     WHERE state = 'sent' AND sent_at >= date_trunc('month', $1::timestamptz, 'UTC')`,
    [nowDate()],
  );
  return rows[0] ?? { count: 0, amount: 0n };
}

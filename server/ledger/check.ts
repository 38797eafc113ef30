import type { ClientBase, PoolClient } from 'pg';
import { inSlowTransaction } from '../db';
import { BOOKING_INVARIANTS } from './booking-invariants';
import {
  ALLOWANCE_INVARIANT,
  EARNINGS_INVARIANT,
  GRANTED_INVARIANT,
  LEASE_INVARIANT,
  POCKET_INVARIANT,
  PRESENT_INVARIANTS,
  USAGE_DAY_INVARIANT,
  WALLET_INVARIANTS,
} from './invariants';
import { EARNINGS_DAY_INVARIANT, PAYOUT_INVARIANTS, PAYOUT_ITEM_INVARIANT } from './payout-invariants';
import { BONUS_INVARIANTS, PROMOTION_INVARIANTS } from './promotion-invariants';
import { INVOICE_INVARIANT, PURCHASE_INVARIANTS } from './purchase-invariants';

export type LedgerReport = {
  /** Empty if all invariants hold. */
  differences: string[];
  users: number;
  transactions: number;
};

/** Recomputes every balance from the postings, in one snapshot, and returns the differences. */
export function checkLedger(): Promise<LedgerReport> {
  return inSnapshot(async (client) => {
    const differences = [
      ...(await checkBooks(client)),
      ...(await findDifferences(client, [LEASE_INVARIANT])),
    ];
    const { rows } = await client.query<{ users: number; transactions: number }>(
      'SELECT (SELECT count(*)::int FROM wallet) AS users, (SELECT count(*)::int FROM ledger_transaction) AS transactions',
    );
    return { differences, users: rows[0]?.users ?? 0, transactions: rows[0]?.transactions ?? 0 };
  });
}

/** The same check without expired leases, in the caller's transaction: in a backup, no request is running. */
export async function checkBooks(client: ClientBase): Promise<string[]> {
  return [
    ...(await checkUsers(client, null)),
    ...(await findDifferences(client, [EARNINGS_INVARIANT], [null, null])),
    ...(await checkTeams(client, null)),
    ...(await findDifferences(client, GLOBAL_INVARIANTS)),
  ];
}

/** Checks the whole history of users; null means all. */
export async function checkUsers(client: ClientBase, users: string[] | null): Promise<string[]> {
  return [
    ...(await findDifferences(client, USER_INVARIANTS, [users])),
    ...(await findDifferences(client, [BOOKING_INVARIANTS], [users, null])),
  ];
}

/** Checks all payouts of teams, and what the teams have earned; null means all. */
export const checkTeams = (client: ClientBase, teams: string[] | null): Promise<string[]> =>
  findDifferences(client, PAYOUT_INVARIANTS, [teams]);

const GLOBAL_INVARIANTS = [
  ...PRESENT_INVARIANTS,
  ...PROMOTION_INVARIANTS,
  INVOICE_INVARIANT,
  EARNINGS_DAY_INVARIANT,
  PAYOUT_ITEM_INVARIANT,
];

const USER_INVARIANTS = [
  POCKET_INVARIANT,
  GRANTED_INVARIANT,
  ...WALLET_INVARIANTS,
  ALLOWANCE_INVARIANT,
  USAGE_DAY_INVARIANT,
  ...PURCHASE_INVARIANTS,
  ...BONUS_INVARIANTS,
];

type Parameter = string[] | string | Date | null;

/** Runs the queries of invariants with their parameters, and returns the differences. */
export async function findDifferences(
  client: ClientBase,
  invariants: string[],
  parameters: Parameter[] = [],
): Promise<string[]> {
  const differences: string[] = [];
  for (const query of invariants) {
    const { rows } = await client.query<Difference>(query, parameters);
    differences.push(...rows.map(describeDifference));
  }
  return differences;
}

type Difference = { invariant: string; subject: string; difference: string | null };

function describeDifference({ invariant, subject, difference }: Difference): string {
  return `${invariant}: ${subject}${difference === null ? ' does not' : ` differs by ${difference}`}`;
}

/** Runs `work` in one read snapshot. */
export const inSnapshot = <T>(work: (client: PoolClient) => Promise<T>): Promise<T> =>
  inSlowTransaction({ isolation: 'REPEATABLE READ', timeout: '0' }, work);

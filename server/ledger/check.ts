import type { ClientBase, PoolClient } from 'pg';
import { inSlowTransaction } from '../db';
import {
  BOOKING_INVARIANTS,
  EARNINGS_INVARIANT,
  LEASE_INVARIANT,
  POCKET_INVARIANT,
  WALLET_INVARIANTS,
} from './invariants';

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

/** The same check without leases, in the caller's transaction: in a backup, no request is running. */
export async function checkBooks(client: ClientBase): Promise<string[]> {
  return [
    ...(await findDifferences(client, [POCKET_INVARIANT, ...WALLET_INVARIANTS, BOOKING_INVARIANTS], [null])),
    ...(await findDifferences(client, [EARNINGS_INVARIANT])),
  ];
}

/** Runs the queries of invariants, with the value of their `$1`, and returns the differences. */
export async function findDifferences(
  client: ClientBase,
  invariants: string[],
  parameters: [string[] | string | null] | [] = [],
): Promise<string[]> {
  const differences: string[] = [];
  for (const query of invariants) {
    const { rows } = await client.query<{ invariant: string; subject: string; difference: string }>(
      query,
      parameters,
    );
    differences.push(...rows.map((row) => `${row.invariant}: ${row.subject} differs by ${row.difference}`));
  }
  return differences;
}

/** Runs `work` in one read snapshot. */
export const inSnapshot = <T>(work: (client: PoolClient) => Promise<T>): Promise<T> =>
  inSlowTransaction({ isolation: 'REPEATABLE READ', timeout: '0' }, work);

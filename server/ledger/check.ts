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
  /** Empty when everything holds. */
  differences: string[];
  users: number;
  transactions: number;
};

/** Recomputes every balance from the entries, in one snapshot, and tells what does not agree. */
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

/** The same of the books alone, in a transaction of the caller's: running requests may be long gone. */
export async function checkBooks(client: ClientBase): Promise<string[]> {
  return [
    ...(await findDifferences(client, [POCKET_INVARIANT, ...WALLET_INVARIANTS, BOOKING_INVARIANTS], [null])),
    ...(await findDifferences(client, [EARNINGS_INVARIANT])),
  ];
}

/** What does not hold of `invariants`, with what their `$1` stands for. */
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

/** Everything that `work` reads is of one moment. */
export const inSnapshot = <T>(work: (client: PoolClient) => Promise<T>): Promise<T> =>
  inSlowTransaction({ isolation: 'REPEATABLE READ', timeout: '0' }, work);

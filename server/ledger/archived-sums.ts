import type { PoolClient } from 'pg';
import { asJson } from './archive-files';

/** Totals of the receipts of a month: a row of `archived_month`, in text. */
export type ArchivedSums = {
  user_id: string;
  partner_id: string;
  requests: string;
  tokens: string;
  charge: string;
  earned: string;
  allowance_spent: string;
  moved: string;
  granted: string;
};

const AMOUNTS = ['requests', 'tokens', 'charge', 'earned', 'allowance_spent', 'moved', 'granted'] as const;
const COLUMNS = ['user_id', 'partner_id', ...AMOUNTS.map((name) => `${name}::text`)].join(', ');

/** Sums by user and app or pocket. */
export type MonthSums = Map<string, ArchivedSums>;

const keyOf = ({ user_id, partner_id }: ArchivedSums): string => `${user_id} ${partner_id}`;

/** Adds receipts, as lines of an archive, to the sums of their month. */
export async function addReceipts(
  client: PoolClient,
  sums: MonthSums,
  month: string,
  lines: readonly string[],
): Promise<void> {
  const { rows } = await client.query<ArchivedSums>(`SELECT ${COLUMNS} FROM ledger_archived_sums($1, $2)`, [
    firstDayOf(month),
    asJson(lines),
  ]);
  for (const row of rows) {
    const before = sums.get(keyOf(row));
    for (const name of AMOUNTS) row[name] = String(BigInt(before?.[name] ?? 0) + BigInt(row[name]));
    sums.set(keyOf(row), row);
  }
}

/** The sums that stayed in the database when the receipts were removed. */
export async function readArchivedMonth(client: PoolClient, month: string): Promise<MonthSums> {
  const { rows } = await client.query<ArchivedSums>(
    `SELECT ${COLUMNS} FROM archived_month WHERE month = $1`,
    [firstDayOf(month)],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

export const sumOf = (sums: MonthSums, name: (typeof AMOUNTS)[number]): string =>
  String([...sums.values()].reduce((sum, row) => sum + BigInt(row[name]), 0n));

export type Balance = ArchivedSums & { balance: string };

/** The sums with the balance of each pocket at the end of the month. */
export async function readBalances(
  client: PoolClient,
  month: string,
  sums: readonly ArchivedSums[],
): Promise<Balance[]> {
  const { rows } = await client.query<{ key: string; balance: string }>(
    `SELECT user_id || ' ' || partner_id AS key, sum(amount)::text AS balance FROM (
       SELECT user_id, partner_id, amount FROM ledger_entry
       WHERE account = 'pocket' AND user_id = ANY ($1) AND created_at < ($2::date + interval '1 month') AT TIME ZONE 'UTC'
       UNION ALL
       SELECT user_id, partner_id, moved FROM archived_month WHERE user_id = ANY ($1) AND month <= $2) e
     GROUP BY user_id, partner_id`,
    [[...new Set(sums.map(({ user_id }) => user_id))], firstDayOf(month)],
  );
  const balances = new Map(rows.map(({ key, balance }) => [key, balance]));
  return sums.map((row) => ({ ...row, balance: balances.get(keyOf(row)) ?? '0' }));
}

/** Describes where sums differ, without naming a user. */
export function compareSums(month: string, actual: MonthSums, expected: MonthSums): string[] {
  const keys = new Set([...actual.keys(), ...expected.keys()]);
  const differing = [...keys].filter((key) =>
    AMOUNTS.some((name) => (actual.get(key)?.[name] ?? '0') !== (expected.get(key)?.[name] ?? '0')),
  );
  return differing.length === 0 ? [] : [`${month}: the sums of ${differing.length} pockets differ`];
}

export const readSums = (rows: readonly ArchivedSums[]): MonthSums =>
  new Map(rows.map((row) => [keyOf(row), row]));

export const firstDayOf = (month: string): string => `${month}-01`;

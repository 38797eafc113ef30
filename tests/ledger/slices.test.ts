import { expect, test } from 'vitest';
import { pool } from '../../server/base/db';
import { newDatabase } from '../harness/database';

await newDatabase();

const ROWS = 6_000;
const AT_ONCE = 200;

/** One transaction per second, stored in the order of `place`: SQL over its number `n`. */
async function writeTransactions(place: string): Promise<void> {
  await pool().query(
    'BEGIN; ALTER TABLE ledger_transaction DISABLE TRIGGER USER; DELETE FROM ledger_transaction; COMMIT',
  );
  await pool().query(
    `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, created_at)
     SELECT 'usr_1', 'txn_' || n, 'prt_1', 'permission', n, 0, 0, '2026-10-01T00:00:00Z'::timestamptz + n * interval '1 second'
     FROM generate_series(1, $1) n ORDER BY ${place}`,
    [ROWS],
  );
}

/** How many transactions each slice has, from the first to the last. */
async function countBySlice(): Promise<number[]> {
  const counts: number[] = [];
  for (let since = '-infinity'; since !== 'infinity'; ) {
    const { rows } = await pool().query<{ until: string; count: number }>(
      `SELECT e.until::text, (SELECT count(*)::int FROM ledger_transaction WHERE created_at >= $1 AND created_at < e.until) AS count
       FROM ledger_slice_end($1, 'infinity', $2) AS e (until)`,
      [since, AT_ONCE],
    );
    const [slice = expect.fail('a slice has an end')] = rows;
    counts.push(slice.count);
    since = slice.until;
  }
  return counts;
}

test.each([
  ['in the order of time', 'n'],
  ['in no order', 'md5(n::text)'],
  ['the newest first', '-n'],
])('slices are short and have every transaction once, if they are stored %s', async (_, place) => {
  await writeTransactions(place);
  const counts = await countBySlice();
  expect(counts.reduce((sum, count) => sum + count)).toBe(ROWS);
  expect(Math.max(...counts)).toBeLessThan(2 * AT_ONCE);
  expect(Math.min(...counts.slice(0, -1))).toBeGreaterThanOrEqual(AT_ONCE / 2);
});

test('a slice ends after transactions of the same time', async () => {
  await writeTransactions('n');
  await pool().query("UPDATE ledger_transaction SET created_at = '2026-10-01T00:00:00Z'");
  expect(await countBySlice()).toEqual([ROWS, 0]);
});

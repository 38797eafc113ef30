import { afterEach, beforeEach, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { newDatabase } from '../harness/database';
import { forge } from './forged-rows';
import { newWallet } from './wallets';

await newDatabase();

/** More than fit into one step. */
const BOOKED = 11_000;
const NO_RECEIPT = 'every charged request has a receipt';

/** Bookings without receipts, each of which is a difference, in the last hour but one. */
beforeEach(async () => {
  const { userId, apps } = await newWallet(['A']);
  await forge([
    'DELETE FROM ledger_transaction',
    'DELETE FROM audit_run',
    "UPDATE watermark SET up_to = '2000-01-01'",
    `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, credits, balance_after, held, provider_cost,
       partner_share, created_at)
     SELECT '${userId}', 'txn_' || n, '${apps.A?.id}', 'usage', 0, 0, 0, 0, 0,
            clock_timestamp() - interval '1 hour' - n * interval '1 ms'
     FROM generate_series(1, ${BOOKED}) AS n ORDER BY n DESC`,
  ]);
});

afterEach(() => setClock());

/** The bookings that a run of audits recorded, each as often as it was found. */
async function readFound(): Promise<string[]> {
  const { rows } = await pool().query<{ difference: string }>(
    'SELECT unnest(differences) AS difference FROM audit_run WHERE users = 0 ORDER BY 1',
  );
  return rows.map(({ difference }) => difference).filter((difference) => difference.startsWith(NO_RECEIPT));
}

const sortedNames = (): string[] =>
  Array.from({ length: BOOKED }, (_, n) => `${NO_RECEIPT}: txn_${n + 1} differs by 0`).sort();

async function readMark(): Promise<string> {
  const { rows } = await pool().query<{ up_to: string }>(
    "SELECT up_to::text FROM watermark WHERE name = 'audit'",
  );
  return rows[0]?.up_to ?? '';
}

test('every booking is in one step of one audit, even if an audit stops after its first step', async () => {
  const stopAtOnce = async () => {
    throw new DOMException('The process stops.', 'AbortError');
  };
  expect(await auditRecent(0, stopAtOnce)).toBeNull();
  const foundFirst = (await readFound()).length;
  expect(foundFirst).toBeGreaterThan(0);
  expect(foundFirst).toBeLessThan(BOOKED / 2);
  expect(await auditRecent(0)).not.toBeNull();
  expect(await readFound()).toEqual(sortedNames());
});

test('an audit that is overtaken leaves the rest to the other one', async () => {
  const others: Promise<unknown>[] = [];
  const letAnotherIn = async () => {
    if (others.length > 0) return;
    others.push(auditRecent(0));
    await Promise.all(others);
  };
  expect(await auditRecent(0, letAnotherIn)).toBeNull();
  expect(await Promise.all(others)).toEqual([expect.objectContaining({ users: 1 })]);
  expect(await readFound()).toEqual(sortedNames());
});

test('between two steps of an audit or of a check, no transaction is open and no snapshot is held', async () => {
  let steps = 0;
  const marks = new Set<string>();
  const look = async () => {
    steps++;
    marks.add(await readMark());
    const { rows } = await pool().query<{ open: bigint }>(
      `SELECT count(*) AS open FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
         AND (backend_xmin IS NOT NULL OR state LIKE 'idle in transaction%')`,
    );
    expect(rows[0]?.open).toBe(0n);
  };
  await auditRecent(0, look);
  expect(steps).toBeGreaterThan(5);
  // One step each for two slices.
  expect(marks.size).toBe(2);
  steps = 0;
  const { differences, transactions } = await checkLedger(look);
  expect(steps).toBeGreaterThan(5);
  expect(transactions).toBe(BOOKED);
  expect(differences.filter((difference) => difference.startsWith(NO_RECEIPT)).sort()).toEqual(sortedNames());
});

test('a check compares the earnings of every hour once, however many periods it takes', async () => {
  // Even on a slow machine, both checks divide users and teams into the same steps.
  const frozen = Date.now();
  setClock(() => frozen);
  let steps = 0;
  const count = async () => void steps++;
  await checkLedger(count);
  const stepsWithoutHours = steps;
  const hour = (n: number) => `'2020-01-01T00:00:00Z'::timestamptz + ${n} * interval '1 hour'`;
  await forge([
    `INSERT INTO earnings_rollup (partner_id, hour, earned)
     SELECT 'prt_' || partner, h, 0
     FROM generate_series(1, 12) AS partner, generate_series(${hour(0)}, ${hour(9_999)}, '1 hour') AS h`,
    `UPDATE earnings_rollup SET earned = 5
     WHERE partner_id = 'prt_7' AND hour IN (${[0, 4_166, 4_167, 8_333, 8_334, 9_999].map(hour)})`,
  ]);
  steps = 0;
  const { differences } = await checkLedger(count);
  const found = differences.filter((difference) => difference.startsWith('earnings by hour'));
  expect(found).toEqual(
    Array.from({ length: 6 }, () => 'earnings by hour equal the postings to partners: prt_7 differs by 5'),
  );
  expect(steps - stepsWithoutHours).toBeLessThan(10);
});

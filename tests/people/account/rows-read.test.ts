import { expect, test, vi } from 'vitest';
import { pool } from '@/server/base/db';
import { readEarnings, readHistory, rollUpUsage } from '@/server/ledger';
import { rollUpEarnings } from '@/server/ledger/earnings';
import { listAppRequests, readEarningsDays } from '@/server/reports/activity/partner-activity';
import { rollUpActivity } from '@/server/reports/activity/roll-up';
import { listUsedApps, readLatestRequests } from '@/server/reports/activity/user-activity';
import { readEntries } from '@/server/reports/statements/entries';
import { newDatabase } from '../../harness';
import { joinApp, newUser } from './person';

await newDatabase();

/** One request per minute, for ten days: ten in each slot of the index. */
const MINUTES = 14_400;
const FIRST = '2026-10-01T00:00:00Z';

async function writeHistory(userId: string, partnerId: string): Promise<void> {
  await pool().query(
    `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, credits, balance_after, created_at, held, rate_bp,
       provider_cost, partner_share, model, provider, price_version, input_tokens, cache_read_tokens, cache_write_tokens,
       cache_write_1h_tokens, output_tokens, reasoning_tokens, estimated, cost_reported, outcome)
     SELECT $1, 'txn_' || $1 || n, $2, 'usage', -1, 0, $3::timestamptz + n * interval '1 minute', 1, 0, 1, 0, 'test/model', 'test',
       'test@1', 1, 0, 0, 0, 1, 0, false, true, 'completed'
     FROM generate_series(0, $4 - 1) n`,
    [userId, partnerId, FIRST, MINUTES],
  );
}

/** How many transactions PostgreSQL reads during some work. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const client = await pool().connect();
  const readSoFar = async (): Promise<number> => {
    const { rows } = await client.query<{ read: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'ledger_transaction'`,
    );
    return rows[0]?.read ?? expect.fail('the table does not exist');
  };
  const spy = vi.spyOn(pool(), 'query').mockImplementation(client.query.bind(client) as never);
  try {
    await client.query('BEGIN');
    const before = await readSoFar();
    await work();
    return (await readSoFar()) - before;
  } finally {
    spy.mockRestore();
    await client.query('ROLLBACK');
    client.release();
  }
}

test('a list of a user reads little more than it shows, however long the history is', async () => {
  const userId = await newUser();
  const { partnerId } = await joinApp(userId, 'Notes');
  await writeHistory(userId, partnerId);
  for (let n = 0; n < 3; n++) {
    const other = await newUser();
    const { partnerId: app } = await joinApp(other, 'Chat');
    await writeHistory(other, app);
  }
  await rollUpUsage('0 seconds');
  await pool().query('ANALYZE');
  const owner = { userId, partnerId };

  const slot = 10;
  // By whole pages of the table, if the planner prefers the index on time.
  const day = MINUTES / 10 + 2 * 50;
  expect(await countReads(() => listUsedApps(userId))).toBeLessThanOrEqual(1 + slot);
  expect(await countReads(() => readLatestRequests(userId, 5))).toBeLessThanOrEqual(5 + slot + day);
  expect(await countReads(() => readHistory(owner, { limit: 20, offset: 100 }))).toBeLessThanOrEqual(
    120 + slot,
  );
  expect(await countReads(() => readHistory(owner, { limit: 20, offset: 13_000 }))).toBeLessThanOrEqual(
    MINUTES / 10 + slot,
  );
  expect(await countReads(() => readEntries(pool(), userId, '2026-10-02'))).toBeLessThanOrEqual(day + slot);
  const { rows } = await pool().query(
    'SELECT app_user_id FROM user_app WHERE user_id = $1 AND partner_id = $2',
    [userId, partnerId],
  );
  const ofDay = { from: '2026-10-02', to: '2026-10-03', appUserId: rows[0]?.app_user_id };
  const listed = () => listAppRequests(partnerId, ofDay, { offset: 0, limit: 20 });
  // Counted first, then shown.
  expect(await countReads(listed)).toBeLessThanOrEqual(2 * day);
  expect(await countReads(listed)).toBeGreaterThan(0);
});

test('an app’s earnings are read from their sums, without the postings that are in them', async () => {
  const userId = await newUser();
  const { partnerId } = await joinApp(userId, 'Notes');
  await writeHistory(userId, partnerId);
  await rollUpEarnings('0 seconds');
  await rollUpActivity('0 seconds');
  // Adds the new pages to the index on time, too.
  await pool().query('VACUUM ANALYZE ledger_transaction');
  const days = { from: '2026-10-01', to: '2026-10-12' };
  // The index tells by pages where new rows may be.
  const near = 1_000;
  expect(await countReads(() => readEarnings(partnerId))).toBeLessThan(near);
  expect(await countReads(() => readEarningsDays(partnerId, days))).toBeLessThan(2 * near);
});

import { expect, test } from 'vitest';
import { chargeFor } from '../../server/base/credits';
import { pool } from '../../server/base/db';
import { newId } from '../../server/base/ids';
import { writeBatch } from '../../server/ledger/batch';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet, type Wallet } from './wallets';

await newDatabase();

const OTHERS = 2_000;

/** Adds wallets of other users and updates the planner's statistics. */
async function addOtherWallets({ apps }: Wallet): Promise<void> {
  const others = 'SELECT $2::text || n AS id FROM generate_series(1, $1) n';
  const given = [OTHERS, apps.A?.id];
  await pool().query(`INSERT INTO wallet (user_id) SELECT id FROM (${others}) o`, given);
  await pool().query(
    `INSERT INTO user_app (user_id, partner_id, app_user_id) SELECT id, $2, id FROM (${others}) o`,
    given,
  );
  await pool().query('ANALYZE wallet, user_app, hold');
}

test('a settlement reads only the rows of its user, however many wallets there are', async () => {
  const wallet = await newWallet(['A', 'B']);
  await buy(wallet, 'B', 100);
  await buy(wallet, 'A', 100);
  await addOtherWallets(wallet);
  const admission = await hold(wallet, 'A', 40);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  const charge = chargeFor(exactly(3), 0);

  const client = await pool().connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query(writeBatch([{ ...admission.hold, charge, receipt: receipt() }], []));
    expect(rows).toMatchObject([{ n: 1, outcome: 'settled' }]);
    const { rows: reads } = await client.query<{ relname: string; tuples: number }>(
      `SELECT relname, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS tuples FROM pg_stat_xact_user_tables
       WHERE relname IN ('wallet', 'user_app', 'hold', 'ledger_transaction')`,
    );
    for (const { relname, tuples } of reads) expect(tuples, relname).toBeLessThan(10);
    expect(reads).toHaveLength(4);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

test('a batch finds every row by an index scan, even in tables with few rows on many pages', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 100);
  await addOtherWallets(wallet);
  await pool().query(`DELETE FROM user_app WHERE user_id <> $1`, [wallet.userId]);
  await pool().query(`DELETE FROM wallet WHERE user_id <> $1`, [wallet.userId]);
  await pool().query('ANALYZE wallet, user_app');
  const admission = await hold(wallet, 'A', 40);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  const settlement = { ...admission.hold, charge: chargeFor(exactly(3), 0), receipt: receipt() };
  const { keyHash } = wallet.apps.A ?? expect.fail();
  const request = {
    keyHash,
    requestId: newId('req'),
    model: 'test/model',
    need: exactly(0),
    want: exactly(1),
  };

  const client = await pool().connect();
  const plans: string[] = [];
  const collectPlan = ({ message = '' }) => void plans.push(message);
  try {
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;
      SET auto_explain.log_nested_statements = on; SET auto_explain.log_level = notice`);
    client.on('notice', collectPlan);
    await client.query(writeBatch([settlement], [request]));
  } finally {
    client.off('notice', collectPlan);
    client.release(true);
  }
  const scans = plans.join('\n').match(/[A-Z][A-Za-z ]* (?:Scan|Join)\b(?: using \w+)?/g) ?? [];
  expect(scans).toContain('Index Scan using hold_pkey');
  expect(scans).toContain('Index Scan using user_key_hash_key');
  const others = scans.filter((scan) => !/^(Index|CTE|Function|Subquery) Scan|^Nested Loop/.test(scan));
  expect(others).toEqual([]);
});

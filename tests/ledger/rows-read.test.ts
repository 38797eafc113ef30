import { expect, test } from 'vitest';
import { chargeFor } from '../../server/credits';
import { pool } from '../../server/db';
import { writeBatch } from '../../server/ledger/batch';
import { newDatabase } from '../harness/database';
import { receipt } from './receipt';
import { buy, exactly, hold, newWallet, type Wallet } from './wallets';

await newDatabase();

const OTHERS = 400;

/** Wallets of other users, as the planner's statistics know them. */
async function addOtherWallets({ apps }: Wallet): Promise<void> {
  await pool().query("INSERT INTO account (user_id) SELECT 'usr_other' || n FROM generate_series(1, $1) n", [
    OTHERS,
  ]);
  await pool().query(
    "INSERT INTO user_app (user_id, app_id, app_user_id) SELECT 'usr_other' || n, $2, 'au_' || n FROM generate_series(1, $1) n",
    [OTHERS, apps.A?.id],
  );
  await pool().query('ANALYZE account, user_app, hold');
}

test('settling reads the rows of its own user and no others, however many wallets there are', async () => {
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
       WHERE relname IN ('account', 'user_app', 'hold', 'ledger_transaction')`,
    );
    for (const { relname, tuples } of reads) expect(tuples, relname).toBeLessThan(10);
    expect(reads).toHaveLength(4);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

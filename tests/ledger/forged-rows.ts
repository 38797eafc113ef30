import { inSlowTransaction } from '@/server/db';

/** Does what only a superuser can: runs statements without triggers. Returns how many rows each changed. */
export function forge(statements: readonly string[]): Promise<number[]> {
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
    await client.query("SET LOCAL session_replication_role = 'replica'");
    const counts: number[] = [];
    for (const statement of statements) counts.push((await client.query(statement)).rowCount ?? 0);
    return counts;
  });
}

const TABLES = [
  'wallet',
  'user_app',
  'hold',
  'ledger_transaction',
  'usage_day',
  'model_price',
  'earnings_rollup',
  'earnings_day',
  'payout',
  'payout_line',
  'payout_item',
  'payout_transaction',
  'watermark',
  'checkout_session',
  'purchase',
  'promotion',
  'promotion_redemption',
];

/** Applies the statements, does the work and restores every row that they changed. */
export async function whileForged(statements: readonly string[], work: () => Promise<void>): Promise<void> {
  await forge(TABLES.map((table) => `CREATE TABLE kept_${table} AS TABLE ${table}`));
  try {
    const counts = await forge(statements);
    if (counts.every((count) => count === 0)) throw new Error(`nothing changed: ${statements.join('; ')}`);
    await work();
  } finally {
    await forge(
      TABLES.flatMap((table) => [
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} TABLE kept_${table}`,
        `DROP TABLE kept_${table}`,
      ]),
    );
  }
}

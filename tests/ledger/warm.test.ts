import { expect, test } from 'vitest';
import { LEDGER_CONNECTIONS, ledgerPool } from '@/server/base/db';
import { warmLedger } from '@/server/ledger';
import { newDatabase } from '../harness/database';

await newDatabase();

test('a process that has started has planned the statement of the ledger on every connection', async () => {
  await warmLedger();
  const clients = await Promise.all(Array.from({ length: LEDGER_CONNECTIONS }, () => ledgerPool().connect()));
  try {
    expect(ledgerPool().totalCount).toBe(LEDGER_CONNECTIONS);
    for (const client of clients) {
      const { rows } = await client.query('SELECT name FROM pg_prepared_statements');
      expect(rows).toEqual([{ name: 'ledger_batch' }]);
    }
  } finally {
    for (const client of clients) client.release();
  }
});

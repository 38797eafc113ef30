import { pool } from '@/server/base/db';

/** The clock of limits, and of the transactions from which a new limit counts what was spent before. */
export async function replaceLimitClock(): Promise<void> {
  await pool().query(`
    CREATE TABLE test_clock (at timestamptz NOT NULL);
    INSERT INTO test_clock VALUES ('2026-11-18T12:00:00Z');
    CREATE OR REPLACE FUNCTION ledger_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM test_clock';
    ALTER TABLE ledger_transaction ALTER COLUMN created_at SET DEFAULT ledger_clock()`);
}

export const setTime = (at: string | Date) => pool().query('UPDATE test_clock SET at = $1', [at]);

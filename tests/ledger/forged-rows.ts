import { inSlowTransaction } from '@/server/base/db';

/**
 * Does what only a superuser can: runs statements without triggers. Returns how many rows each changed,
 * null for one that changes no rows by nature, such as ALTER TABLE.
 */
export function forge(statements: readonly string[]): Promise<(number | null)[]> {
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
    await client.query("SET LOCAL session_replication_role = 'replica'");
    const counts: (number | null)[] = [];
    for (const statement of statements) counts.push((await client.query(statement)).rowCount);
    return counts;
  });
}

const spentSince = (start: string): string => `coalesce((
  SELECT sum(-t.credits) FROM ledger_transaction t
  WHERE t.user_id = u.user_id AND t.partner_id = u.partner_id AND t.kind = 'usage' AND t.created_at >= timezone('UTC', ${start})
    AND t.created_at < timezone('UTC', u.spent_on + interval '1 day')), 0)`;

/** For requests that were moved in time: limits count those of the day and of its month. */
export const RECOUNT_SPENT = `UPDATE user_app u SET day_spent = ${spentSince('u.spent_on::timestamp')},
  month_spent = ${spentSince("date_trunc('month', u.spent_on::timestamp)")} WHERE u.spent_on IS NOT NULL`;

/** The tables that the statements change, and the watermarks, which an audit moves. */
function findChanged(statements: readonly string[]): string[] {
  const names = statements.flatMap((text) =>
    [...text.matchAll(/\b(?:UPDATE|DELETE FROM|INSERT INTO) (\w+)/g)].map(([, name = '']) => name),
  );
  // A receipt is a view of its transaction.
  const tables = names.map((name) => (name === 'usage' ? 'ledger_transaction' : name));
  return [...new Set([...tables, 'watermark'])];
}

/** Applies the statements, does the work and restores every row that they changed. */
export async function whileForged(statements: readonly string[], work: () => Promise<void>): Promise<void> {
  const tables = findChanged(statements);
  await forge(tables.map((table) => `CREATE TABLE kept_${table} AS TABLE ${table}`));
  try {
    const counts = await forge(statements);
    const idle = statements.filter((_, index) => counts[index] === 0);
    if (idle.length > 0) throw new Error(`nothing changed: ${idle.join('; ')}`);
    await work();
  } finally {
    await forge(
      tables.flatMap((table) => [
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} TABLE kept_${table}`,
        `DROP TABLE kept_${table}`,
      ]),
    );
  }
}

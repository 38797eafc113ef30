import type { PoolClient } from 'pg';
import { log } from '../log';
import { findDifferences, inSnapshot } from './check';
import { USER_PROMISES } from './promises';

/** How often somebody looks; with several instances still once in this time. */
export const AUDIT_EVERY_SECONDS = 60;
/** Transactions that committed late are looked at again. */
const OVERLAP = '1 minute';

export type Audit = { users: number; differences: string[] };

/**
 * Checks the users whose money moved since the last audit, and writes down what it found. Null
 * when another instance looked a moment ago.
 */
export async function auditRecent(everySeconds = AUDIT_EVERY_SECONDS): Promise<Audit | null> {
  const audit = await inSnapshot(async (client) => {
    const since = await claimTurn(client, everySeconds);
    return since === null ? null : auditSince(client, since);
  }).catch(nullWhenOvertaken);
  if (audit && audit.differences.length > 0)
    log().error({ differences: audit.differences }, 'the ledger does not agree');
  return audit;
}

const SERIALIZATION_FAILURE = '40001';

/** Another instance took the turn between our snapshot and our claim. */
function nullWhenOvertaken(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === SERIALIZATION_FAILURE) return null;
  throw error;
}

async function claimTurn(client: PoolClient, everySeconds: number): Promise<Date | null> {
  const { rows } = await client.query<{ up_to: Date }>(
    `WITH last AS (
       SELECT up_to FROM watermark
       WHERE name = 'audit' AND up_to <= clock_timestamp() - make_interval(secs => $1) FOR UPDATE SKIP LOCKED)
     UPDATE watermark w SET up_to = clock_timestamp() FROM last WHERE w.name = 'audit' RETURNING last.up_to`,
    [everySeconds],
  );
  return rows[0]?.up_to ?? null;
}

async function auditSince(client: PoolClient, since: Date): Promise<Audit> {
  const { rows } = await client.query<{ user_id: string }>(
    'SELECT DISTINCT user_id FROM ledger_transaction WHERE created_at >= $1::timestamptz - $2::interval',
    [since, OVERLAP],
  );
  const users = rows.map((row) => row.user_id);
  const differences = await findDifferences(client, USER_PROMISES, users);
  await client.query('INSERT INTO audit_run (users, differences) VALUES ($1, $2)', [
    users.length,
    differences,
  ]);
  return { users: users.length, differences };
}

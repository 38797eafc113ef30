import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { explainSqlError } from './explain-sql-error';
import { onDatabase } from './on-database';
import { findPending, findUnfinished, readRecorded, requireSupportedRelease } from './recorded-migrations';
import {
  applyOutdatedFiles,
  findOutdatedFiles,
  type Migration,
  noteRelease,
  type Release,
  readAppliedRelease,
  readRelease,
} from './sql-files';
import { StartError } from './start-error';

/**
 * Brings a database to the schema of this release: first the migrations, then the SQL files that changed.
 * Migrations are recorded as `prisma migrate deploy` records them, so that Prisma understands the database.
 */

/** Prisma's own lock, so that this and `prisma migrate deploy` wait for each other. */
const LOCK_ID = 72_707_369;

/** Returns the names of what was applied: nothing if the database was up to date. */
export function migrate(databaseUrl: string, release = readRelease()): Promise<string[]> {
  return onDatabase(databaseUrl, async (client) => {
    if ((await findPendingWork(client, release)).length === 0) return [];
    // The role's own timeout is meant for requests, not for a wait or a migration.
    await client.query('SET statement_timeout = 0');
    // Several instances may start at once. The lock ends with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_ID]);
    const migrations = await applyMigrations(client);
    const files = await applyOutdatedFiles(client, release);
    if (migrations.length > 0) await noteRelease(client, release);
    return [...migrations, ...files];
  });
}

/** Throws if `migrate` would change the database. */
export async function requireMigrated(databaseUrl: string, release = readRelease()): Promise<void> {
  const pending = await listPending(databaseUrl, release);
  if (pending.length > 0)
    throw new StartError(
      `The database is not up to date with this release, and MIGRATE is never. Pending: ${pending.join(', ')}. Run: npm run svc -- db migrate`,
    );
}

/** Whether a start would find nothing to apply. */
export const isMigrated = async (databaseUrl: string): Promise<boolean> =>
  (await listPending(databaseUrl, readRelease())).length === 0;

const listPending = (databaseUrl: string, release: Release): Promise<string[]> =>
  onDatabase(databaseUrl, (client) => findPendingWork(client, release));

/** The migrations or, if there are none, the SQL files: their record is part of the schema. */
async function findPendingWork(client: pg.Client, release: Release): Promise<string[]> {
  const recorded = await readRecorded(client);
  const unfinished = findUnfinished(recorded);
  // `applyMigrations` reports it.
  if (unfinished !== undefined) return [unfinished];
  requireSupportedRelease(release.version, await readAppliedRelease(client), recorded);
  const migrations = findPending(recorded).map(({ name }) => name);
  if (migrations.length > 0) return migrations;
  return (await findOutdatedFiles(client, release)).map(({ name }) => name);
}

async function applyMigrations(client: pg.Client): Promise<string[]> {
  const recorded = await readRecorded(client);
  const unfinished = findUnfinished(recorded);
  if (unfinished !== undefined)
    throw new StartError(
      `Migration ${unfinished} was started by another tool and did not finish. Undo what it left in the database, then run: DELETE FROM _prisma_migrations WHERE migration_name = '${unfinished}'`,
    );
  const pending = findPending(recorded);
  if (pending.length > 0) await client.query(CREATE_RECORD);
  for (const migration of pending) await applyMigration(client, migration);
  return pending.map(({ name }) => name);
}

/** One transaction: a migration that fails leaves nothing behind, not even its record. */
async function applyMigration(client: pg.Client, { name, text, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(text);
  } catch (error) {
    await client.query('ROLLBACK');
    throw new StartError(`Migration ${name} failed and was rolled back: ${explainSqlError(error, text)}.`);
  }
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
  await client.query('COMMIT');
}

/** As Prisma creates it. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

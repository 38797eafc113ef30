import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { withSchemaEngine } from './schema-engine';
import { StartError } from './start-error';

/** Brings a database to the schema of this code, as `prisma migrate deploy` would. */

export const MIGRATIONS_DIR = path.resolve('prisma/migrations');
/** Ours: the engine takes Prisma's own lock beside it, so it and `prisma migrate deploy` wait for each other. */
const LOCK_ID = 3_704_211;
const NO_SUCH_TABLE = '42P01';

/** Returns the names of what was applied: nothing when the database was up to date. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A lost connection fails the query that waits on it.
  client.on('error', () => {});
  await client.connect();
  try {
    if ((await findPending(client)).length === 0) return [];
    // Several instances may start at once; the lock goes with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_ID]);
    return (await findPending(client)).length === 0
      ? []
      : await apply(databaseUrl, await findInterrupted(client));
  } finally {
    await client.end();
  }
}

async function apply(databaseUrl: string, interrupted: string[]): Promise<string[]> {
  try {
    return await withSchemaEngine(databaseUrl, async (engine) => {
      // A migration is one transaction: what did not finish left nothing behind, and may run again.
      for (const migrationName of interrupted) await engine.markMigrationRolledBack({ migrationName });
      const migrationsList = readMigrations();
      return (await engine.applyMigrations({ migrationsList, filters: NO_FILTERS })).appliedMigrationNames;
    });
  } catch (error) {
    throw new StartError(`The database could not be brought up to date: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The engine appends its own stack.
  return message.split(/\n +0: /)[0]?.trim() ?? message;
}

export const NO_FILTERS = { externalTables: [], externalEnums: [] };

async function findInterrupted(client: pg.Client): Promise<string[]> {
  return selectNames(client, 'finished_at IS NULL AND rolled_back_at IS NULL');
}

/** Migrations on disk that the database has not finished. */
async function findPending(client: pg.Client): Promise<string[]> {
  const finished = new Set(await selectNames(client, 'finished_at IS NOT NULL AND rolled_back_at IS NULL'));
  return listMigrations().filter((name) => !finished.has(name));
}

async function selectNames(client: pg.Client, condition: string): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations WHERE ${condition}`,
    );
    return rows.map((row) => row.name);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === NO_SUCH_TABLE) return [];
    throw error;
  }
}

function listMigrations(): string[] {
  if (!existsSync(MIGRATIONS_DIR)) return [];
  return readdirSync(MIGRATIONS_DIR, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function readMigrations(): MigrationList {
  const lockfile = path.join(MIGRATIONS_DIR, 'migration_lock.toml');
  return {
    baseDir: MIGRATIONS_DIR,
    lockfile: {
      path: 'migration_lock.toml',
      content: existsSync(lockfile) ? readFileSync(lockfile, 'utf8') : null,
    },
    shadowDbInitScript: '',
    migrationDirectories: listMigrations().map((name) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: readMigration(name) } },
    })),
  };
}

/** Changes whenever a migration does. */
export function hashMigrations(): string {
  const hash = createHash('sha256');
  for (const name of listMigrations()) hash.update(name).update(readMigration(name));
  return hash.digest('hex');
}

function readMigration(name: string): string {
  return readFileSync(path.join(MIGRATIONS_DIR, name, 'migration.sql'), 'utf8');
}

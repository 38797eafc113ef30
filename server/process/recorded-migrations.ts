import pg from 'pg';
import { isNextRelease, isOlder, type Migration, NO_SUCH_TABLE, readMigrations } from './sql-files';
import { StartError } from './start-error';

/** The migrations that a database has, and whether this release can work with it. */

type Recorded = { name: string; checksum: string; finished: boolean };

export async function readRecorded(client: pg.Client): Promise<Recorded[]> {
  try {
    const { rows } = await client.query<Recorded>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
    );
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === NO_SUCH_TABLE) return [];
    throw error;
  }
}

/** A release works with its own schema and with that of the next one, so that instances are replaced one by one. */
export function requireSupportedRelease(own: string, applied: string | null, recorded: Recorded[]): void {
  const known = new Set(readMigrations().map(({ name }) => name));
  const migration = recorded.findLast(({ name }) => !known.has(name))?.name;
  if (applied !== null && isOlder(own, applied)) {
    if (isNextRelease(own, applied)) return;
    throw new StartError(
      `Release ${applied} has updated this database, and release ${own} works only with its own schema and that of the next release. Start release ${applied}, or restore a backup that was made before the update.`,
    );
  }
  if (migration !== undefined && !isFromDevelopment(migration))
    throw new StartError(
      `The database has migration ${migration}, which release ${own} does not have, and no newer release applied it. Start the version that applied it, or restore a backup that was made before.`,
    );
}

const isFromDevelopment = (migration: string): boolean => migration < (readMigrations().at(-1)?.name ?? '');

/** Returns what can be applied. */
export function findPending(recorded: Recorded[]): Migration[] {
  const migrations = readMigrations();
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of recorded) {
    const migration = known.get(name);
    if (migration === undefined && isFromDevelopment(name))
      throw new StartError(
        `The database was created by a development version: it has migration ${name}, which this release does not have. It cannot be upgraded. Use an empty database (a new DATA_DIR or DATABASE_URL).`,
      );
    if (migration !== undefined && migration.checksum !== checksum)
      throw new StartError(
        `Migration ${name} was changed after it was applied. Restore prisma/migrations/${name}/migration.sql and put the change in a new migration.`,
      );
  }
  const names = new Set(recorded.map(({ name }) => name));
  return migrations.filter(({ name }) => !names.has(name));
}

/** Other tools record a migration before they run it; this one does so in the same transaction. */
export const findUnfinished = (recorded: Recorded[]): string | undefined =>
  recorded.find(({ finished }) => !finished)?.name;

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { explainSqlError } from './explain-sql-error';
import { StartError } from './start-error';

/**
 * The SQL of this release: the migrations, and the functions, views and triggers that hold the rules of the
 * ledger and of activity.
 */

export const NO_SUCH_TABLE = '42P01';
export const MIGRATIONS_DIR = path.resolve('prisma/migrations');

export type Migration = { name: string; text: string; checksum: string };
export type SqlFile = { name: string; text: string };
export type Release = { version: string; files: SqlFile[] };

/** Their SQL files are applied in this order, those of a folder by name. */
const SQL_FOLDERS = ['server/ledger/sql', 'server/reports/activity'];

export function readMigrations(): Migration[] {
  return readdirSync(MIGRATIONS_DIR, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const text = readFileSync(path.join(MIGRATIONS_DIR, name, 'migration.sql'), 'utf8');
      return { name, text, checksum: hashOf(text) };
    });
}

export function readRelease(): Release {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const files = SQL_FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .sort()
      .map((file) => `${folder}/${file}`),
  );
  return { version, files: files.map((name) => ({ name, text: readFileSync(name, 'utf8') })) };
}

/** The files that the database runs in another version. None if a newer release has applied its own. */
export async function findOutdatedFiles(client: pg.Client, { version, files }: Release): Promise<SqlFile[]> {
  const { rows } = await client.query<{ name: string; hash: string; version: string }>(
    'SELECT name, hash, version FROM sql_file',
  );
  if (rows.some((row) => isOlder(version, row.version))) return [];
  const hashes = new Map(rows.map(({ name, hash }) => [name, hash]));
  return files.filter(({ name, text }) => hashes.get(name) !== hashOf(text));
}

/** The newest release that changed this database; null for an empty one. */
export async function readAppliedRelease(client: pg.Client): Promise<string | null> {
  try {
    const { rows } = await client.query<{ version: string }>('SELECT DISTINCT version FROM sql_file');
    const versions = rows.map(({ version }) => version);
    return versions.reduce<string | null>((a, b) => (a === null || isOlder(a, b) ? b : a), null);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE) return null;
    throw error;
  }
}

/** For a release that changed tables and no SQL file. */
export async function noteRelease(client: pg.Client, { version }: Release): Promise<void> {
  const applied = await readAppliedRelease(client);
  if (applied !== null && isOlder(applied, version))
    await client.query('UPDATE sql_file SET version = $1', [version]);
}

/** Applies all of them or none, forgets files that the release no longer has, and returns the names of those applied. */
export async function applyOutdatedFiles(client: pg.Client, release: Release): Promise<string[]> {
  const outdated = await findOutdatedFiles(client, release);
  if (outdated.length === 0) return [];
  await client.query('BEGIN');
  await client.query('DELETE FROM sql_file WHERE name <> ALL ($1)', [release.files.map(({ name }) => name)]);
  for (const { name, text } of outdated) {
    try {
      await client.query(text);
    } catch (error) {
      const reason = explainSqlError(error, text);
      throw new StartError(
        `${name} could not be applied: ${reason}. No SQL file was changed in the database.`,
      );
    }
    await client.query(
      `INSERT INTO sql_file (name, hash, version) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, version = excluded.version, applied_at = now()`,
      [name, hashOf(text), release.version],
    );
  }
  await client.query('COMMIT');
  return outdated.map(({ name }) => name);
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Compares releases such as 1.9.2 and 1.10.0. */
export const isOlder = (version: string, than: string): boolean =>
  version.localeCompare(than, 'en', { numeric: true }) < 0;

/** Whether `later` is of the same minor version or of the one that follows. */
export function isNextRelease(version: string, later: string): boolean {
  const [[major, minor = 0], [laterMajor, laterMinor = 0]] = [version, later].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major === laterMajor && laterMinor <= minor + 1;
}

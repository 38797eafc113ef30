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

/** In order: a file comes after those it uses. */
const NAMES = [
  'server/ledger/sql/charge.sql',
  'server/ledger/sql/spendable.sql',
  'server/ledger/sql/idle.sql',
  'server/ledger/sql/status.sql',
  'server/ledger/sql/posting.sql',
  'server/ledger/sql/postings.sql',
  'server/ledger/sql/pocket-posting.sql',
  'server/ledger/sql/part.sql',
  'server/ledger/sql/earnings-hold.sql',
  'server/ledger/sql/dispute-period.sql',
  'server/ledger/sql/usage.sql',
  'server/ledger/sql/entries.sql',
  'server/ledger/sql/entry.sql',
  'server/ledger/sql/slice-end.sql',
  'server/ledger/sql/match-earnings.sql',
  'server/ledger/sql/refuse-change.sql',
  'server/ledger/sql/refuse-unless-archiving.sql',
  'server/ledger/sql/refuse-unless-deleted.sql',
  'server/ledger/sql/append-only.sql',
  'server/ledger/sql/open-pocket.sql',
  'server/ledger/sql/deposit.sql',
  'server/ledger/sql/take.sql',
  'server/ledger/sql/save-allowance.sql',
  'server/ledger/sql/pause-allowance.sql',
  'server/ledger/sql/resume-allowance.sql',
  'server/ledger/sql/clock.sql',
  'server/ledger/sql/instant.sql',
  'server/ledger/sql/period-start.sql',
  'server/ledger/sql/period-end.sql',
  'server/ledger/sql/today.sql',
  'server/ledger/sql/next-period-end.sql',
  'server/ledger/sql/partner-limits.sql',
  'server/ledger/sql/spent-in-app.sql',
  'server/ledger/sql/partner-limit-marks.sql',
  'server/ledger/sql/partner-limit-marks-new.sql',
  'server/ledger/sql/limits.sql',
  'server/ledger/sql/count-spent.sql',
  'server/ledger/sql/limits-of.sql',
  'server/ledger/sql/save-limits.sql',
  'server/ledger/sql/forget-limits.sql',
  'server/ledger/sql/stop.sql',
  'server/ledger/sql/resume-spending.sql',
  'server/ledger/sql/read.sql',
  'server/ledger/sql/draw.sql',
  'server/ledger/sql/count-overrun.sql',
  'server/ledger/sql/record-loss.sql',
  'server/ledger/sql/settlement-postings.sql',
  'server/ledger/sql/reverse-unpaid.sql',
  'server/ledger/sql/corrected-postings.sql',
  'server/ledger/sql/correct.sql',
  'server/ledger/sql/close-proposal.sql',
  'server/ledger/sql/key-restriction.sql',
  'server/ledger/sql/keeps.sql',
  'server/ledger/sql/batch.sql',
  'server/ledger/sql/resume-user.sql',
  'server/ledger/sql/resume-partner.sql',
  'server/ledger/sql/remake-hold.sql',
  'server/ledger/sql/renew-leases.sql',
  'server/ledger/sql/abandoned-holds.sql',
  'server/ledger/sql/claw-back.sql',
  'server/ledger/sql/promotion-bonus.sql',
  'server/ledger/sql/promotion-accounts.sql',
  'server/ledger/sql/promotion-refusal.sql',
  'server/ledger/sql/take-promotion.sql',
  'server/ledger/sql/reserve-promotion.sql',
  'server/ledger/sql/book-promotion.sql',
  'server/ledger/sql/redeem-gift.sql',
  'server/ledger/sql/release-promotion.sql',
  'server/ledger/sql/earning.sql',
  'server/ledger/sql/roll-up-earnings.sql',
  'server/ledger/sql/matured-until.sql',
  'server/ledger/sql/paid-line.sql',
  'server/ledger/sql/earnings.sql',
  'server/ledger/sql/create-payout.sql',
  'server/ledger/sql/return-payout.sql',
  'server/ledger/sql/roll-up-usage.sql',
  'server/ledger/sql/usage-days.sql',
  'server/ledger/sql/archivable.sql',
  'server/ledger/sql/archived-sums.sql',
  'server/ledger/sql/remove-archived.sql',
  'server/reports/activity/sql/roll-up.sql',
  'server/reports/activity/sql/pending.sql',
  'server/reports/activity/sql/by-partner.sql',
  'server/reports/activity/sql/roll-up-app-users.sql',
  'server/reports/activity/sql/pending-app-users.sql',
];

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
  return { version, files: NAMES.map((name) => ({ name, text: readFileSync(name, 'utf8') })) };
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

/** Applies all of them or none, and returns their names. */
export async function applyOutdatedFiles(client: pg.Client, release: Release): Promise<string[]> {
  const outdated = await findOutdatedFiles(client, release);
  await client.query('BEGIN');
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

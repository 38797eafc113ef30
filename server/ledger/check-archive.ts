import type { PoolClient } from 'pg';
import {
  ArchiveError,
  asJson,
  listMonths,
  type Manifest,
  readLines,
  readManifest,
  requireUnchanged,
} from './archive-files';
import {
  addReceipts,
  type Balance,
  compareSums,
  firstDayOf,
  type MonthSums,
  readArchivedMonth,
  readBalances,
  readSums,
  sumOf,
} from './archived-sums';
import { BOOKING_INVARIANTS } from './booking-invariants';
import { findDifferences } from './differences';
import { type Pause, type Step, takeSteps } from './steps';

const PAUSES = 1;
const USERS_PER_STEP = 500;

export type ArchiveReport = { differences: string[]; months: number; receipts: number };

/**
 * Checks the files of an archive: that they are the ones that were written, that each receipt follows from its tokens and
 * price, that they add up to the archived balances, and that these agree with what the database has kept. It only reads.
 */
export async function checkArchive(dir: string, pause: Pause): Promise<ArchiveReport> {
  const step = takeSteps(pause, PAUSES);
  const months = await listMonths(dir);
  if (months.length === 0) throw new ArchiveError(`${dir} has no archived month`);
  const differences = [...(await step((client) => findMissingMonths(client, months)))];
  let receipts = 0;
  for (const month of months) {
    const manifest = await readManifest(dir, month);
    receipts += manifest.receipts;
    try {
      differences.push(...(await checkMonth(step, dir, manifest)));
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      differences.push(error.message);
    }
  }
  return { differences, months: months.length, receipts };
}

/** Months whose receipts are no longer in the database. */
async function findMissingMonths(client: PoolClient, months: string[]): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(
    "SELECT DISTINCT to_char(month, 'YYYY-MM') AS month FROM archived_month ORDER BY 1",
  );
  return rows.flatMap(({ month }) =>
    months.includes(month) ? [] : [`${month}: the receipts were removed, and the archive does not have them`],
  );
}

async function checkMonth(step: Step, dir: string, manifest: Manifest): Promise<string[]> {
  const { month } = manifest;
  await requireUnchanged(dir, manifest);
  const differences: string[] = [];
  const sums: MonthSums = new Map();
  const invariants = await step(invariantsOfArchive);
  for await (const lines of readLines(dir, month, 'receipts'))
    await step(async (client) => {
      differences.push(...(await findDifferences(client, [invariants], [null, null, null, asJson(lines)])));
      await addReceipts(client, sums, month, lines);
    });
  const counted = [sumOf(sums, 'requests'), sumOf(sums, 'charge'), sumOf(sums, 'earned')];
  if (counted.join() !== [manifest.receipts, manifest.charge, manifest.earned].join())
    differences.push(`${month}: the receipts differ from the sums of the manifest`);
  const balances: Balance[] = [];
  for await (const lines of readLines(dir, month, 'balances'))
    balances.push(...lines.map((line) => JSON.parse(line) as Balance));
  differences.push(...compareSums(`${month}, balances`, sums, readSums(balances)));
  const kept = await step((client) => readArchivedMonth(client, month));
  if (await step((client) => isRemoved(client, month)))
    differences.push(...compareSums(`${month}, database`, kept, sums));
  let wrong = 0;
  for (let from = 0; from < balances.length; from += USERS_PER_STEP) {
    const part = balances.slice(from, from + USERS_PER_STEP);
    const now = await step((client) => readBalances(client, month, part));
    wrong += now.filter(({ balance }, n) => balance !== part[n]?.balance).length;
  }
  if (wrong > 0) differences.push(`${month}: the closing balances of ${wrong} pockets differ`);
  return differences;
}

/** False also while the removal is not complete. */
async function isRemoved(client: PoolClient, month: string): Promise<boolean> {
  const { rows } = await client.query<{ removed: boolean }>(
    `SELECT up_to >= ($1::date + interval '1 month') AT TIME ZONE 'UTC' AND NOT EXISTS (
       SELECT FROM ledger_archivable($1::date::timestamp AT TIME ZONE 'UTC', ($1::date + interval '1 month') AT TIME ZONE 'UTC'))
       AS removed
     FROM watermark WHERE name = 'archive'`,
    [firstDayOf(month)],
  );
  return rows[0]?.removed ?? false;
}

/** The invariants of bookings, over rows of an archive (`$4`) in place of the tables. */
async function invariantsOfArchive(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ usage: string }>(
    "SELECT rtrim(pg_get_viewdef('usage'::regclass), ';') AS usage",
  );
  return BOOKING_INVARIANTS.replace(
    'WITH',
    `WITH ledger_transaction AS MATERIALIZED (SELECT * FROM json_populate_recordset(NULL::ledger_transaction, $4)),
     usage AS (${rows[0]?.usage}),`,
  );
}

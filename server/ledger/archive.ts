import { mkdir } from 'node:fs/promises';
import type { PoolClient } from 'pg';
import { pool } from '../base/db';
import {
  ArchiveError,
  asJson,
  isArchived,
  listMonths,
  readLines,
  readManifest,
  requireUnchanged,
  writeManifest,
  writePart,
} from './archive-files';
import {
  type ArchivedSums,
  addReceipts,
  compareSums,
  firstDayOf,
  type MonthSums,
  readArchivedMonth,
  readBalances,
  readSums,
  sumOf,
} from './archived-sums';
import { findSlice } from './check-bookings';
import { earningsHold } from './claw-back';
import { type Pause, type Step, takeSteps } from './steps';

/** Pauses take as long as steps: archiving uses half of a core. */
const PAUSES = 1;
const USERS_PER_STEP = 500;

export type ArchivedMonth = { month: string; receipts: number };

/** The latest month that `before` may name: everything booked before it is final. */
export async function findLatestCutoff(pause: Pause): Promise<string> {
  return takeSteps(
    pause,
    PAUSES,
  )(async (client) => {
    const { rows } = await client.query<{ month: string }>(
      `SELECT to_char(least(
         clock_timestamp() - greatest(ledger_dispute_period(), $1::interval,
           (SELECT make_interval(days => max(earnings_hold_days)) FROM partner)),
         (SELECT min(up_to) FROM watermark WHERE name IN ('audit', 'audit_users', 'earnings', 'usage', 'activity', 'app_users')))
         AT TIME ZONE 'UTC', 'YYYY-MM') AS month`,
      [earningsHold()],
    );
    return rows[0]?.month ?? '';
  });
}

/** Whether the role of DATABASE_URL may remove receipts: the owner of the tables may, the service need not. */
export async function mayRemove(): Promise<boolean> {
  const { rows } = await pool().query<{ may: boolean }>(
    "SELECT has_table_privilege('ledger_transaction', 'DELETE') AND has_table_privilege('archived_month', 'INSERT') AS may",
  );
  return rows[0]?.may ?? false;
}

/**
 * Writes the receipts of the months before `before` to files and compares them, as read back, with the database. Months
 * whose files are complete are skipped, so an interrupted run is continued.
 */
export async function writeArchive(
  { dir, before }: { dir: string; before: string },
  pause: Pause,
): Promise<ArchivedMonth[]> {
  const step = takeSteps(pause, PAUSES);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const written: ArchivedMonth[] = [];
  for (const month of await step((client) => findMonths(client, before))) {
    if (isArchived(dir, month)) continue;
    const receipts = await writeMonth(step, dir, month);
    if (receipts > 0) written.push({ month, receipts });
  }
  return written;
}

/** The months that were not removed before, from the first with a receipt. */
async function findMonths(client: PoolClient, before: string): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(
    `SELECT to_char(generate_series(
       date_trunc('month', greatest(min(t.created_at), (SELECT up_to FROM watermark WHERE name = 'archive'))),
       $1::timestamp AT TIME ZONE 'UTC' - interval '1 day', '1 month') AT TIME ZONE 'UTC', 'YYYY-MM') AS month
     FROM ledger_transaction t WHERE t.kind = 'usage'`,
    [firstDayOf(before)],
  );
  return rows.map(({ month }) => month);
}

async function writeMonth(step: Step, dir: string, month: string): Promise<number> {
  const ids: string[] = [];
  let receipts = 0;
  const hashOfReceipts = await writePart(
    dir,
    month,
    'receipts',
    readReceipts(step, month, (rows) => {
      receipts += rows.length;
      for (const { id } of rows) {
        if (ids[0] === undefined || id < ids[0]) ids[0] = id;
        if (ids[1] === undefined || id > ids[1]) ids[1] = id;
      }
    }),
  );
  const sums: MonthSums = new Map();
  for await (const lines of readLines(dir, month, 'receipts'))
    await step(async (client) => {
      await requireSame(client, month, lines);
      await addReceipts(client, sums, month, lines);
    });
  if (sumOf(sums, 'requests') !== String(receipts))
    throw new ArchiveError(`${month}: not all of the ${receipts} receipts were read back`);
  const hashOfBalances = await writePart(dir, month, 'balances', readBalanceLines(step, month, sums));
  const [first, last] = ids;
  if (first !== undefined && last !== undefined)
    await writeManifest(dir, {
      month,
      receipts,
      ids: [first, last],
      charge: sumOf(sums, 'charge'),
      earned: sumOf(sums, 'earned'),
      sha256: { receipts: hashOfReceipts, balances: hashOfBalances },
    });
  return receipts;
}

type Row = { id: string; line: string };

async function* readReceipts(
  step: Step,
  month: string,
  onRows: (rows: Row[]) => void,
): AsyncGenerator<string> {
  let [since, end] = await step((client) => readBounds(client, month));
  for (let isLast = false; !isLast; ) {
    const rows = await step(async (client) => {
      const slice = await findSlice(client, since, end);
      const { rows } = await client.query<Row>(
        `SELECT t.id, row_to_json(t)::text AS line FROM ledger_archivable($1, $2) t ORDER BY t.created_at, t.id`,
        [since, slice.until],
      );
      ({ until: since, isLast } = slice);
      return rows;
    });
    onRows(rows);
    if (rows.length > 0) yield rows.map(({ line }) => `${line}\n`).join('');
  }
}

async function readBounds(client: PoolClient, month: string): Promise<[string, string]> {
  const { rows } = await client.query<{ since: string; until: string }>(
    `SELECT ($1::date::timestamp AT TIME ZONE 'UTC')::text AS since,
            (($1::date + interval '1 month') AT TIME ZONE 'UTC')::text AS until`,
    [firstDayOf(month)],
  );
  return [rows[0]?.since ?? '', rows[0]?.until ?? ''];
}

async function requireSame(client: PoolClient, month: string, lines: string[]): Promise<void> {
  const { rows } = await client.query<{ same: number }>(
    `SELECT count(*)::int AS same FROM json_populate_recordset(NULL::ledger_transaction, $1) a
     JOIN ledger_transaction t ON t.id = a.id WHERE t IS NOT DISTINCT FROM a`,
    [asJson(lines)],
  );
  if (rows[0]?.same !== lines.length)
    throw new ArchiveError(`${month}: a receipt that was read back differs from the one in the database`);
}

async function* readBalanceLines(step: Step, month: string, sums: MonthSums): AsyncGenerator<string> {
  const all = [...sums.values()].sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
  for (let from = 0; from < all.length; from += USERS_PER_STEP) {
    const part = all.slice(from, from + USERS_PER_STEP);
    const balances = await step((client) => readBalances(client, month, part));
    yield balances.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

/**
 * Removes the receipts of the archived months before `before` from the database. Their sums by user and app stay. Each
 * receipt is compared with the archive in the statement that removes it; those that were removed before are skipped, so an
 * interrupted run is continued.
 */
export async function removeArchived(
  { dir, before }: { dir: string; before: string },
  pause: Pause,
): Promise<ArchivedMonth[]> {
  const step = takeSteps(pause, PAUSES);
  const months = (await listMonths(dir)).filter((month) => month < before);
  for (const month of months) await requireUnchanged(dir, await readManifest(dir, month));
  const removed: ArchivedMonth[] = [];
  for (const month of months) {
    await step((client) => beginRemoval(client, dir, month));
    let receipts = 0;
    for await (const lines of readLines(dir, month, 'receipts'))
      receipts += await step((client) => removeReceipts(client, month, lines));
    const kept = await step((client) => readArchivedMonth(client, month));
    const [difference] = compareSums(month, kept, await readFileSums(dir, month));
    if (difference !== undefined) throw new ArchiveError(`${difference} from the archive after the removal`);
    if (receipts > 0) removed.push({ month, receipts });
  }
  return removed;
}

/** From here on, the invariants of this month and earlier ones compare sums by month. */
async function beginRemoval(client: PoolClient, dir: string, month: string): Promise<void> {
  await requireUncorrected(client, dir, month);
  await client.query(
    `UPDATE watermark SET up_to = greatest(up_to, ($1::date + interval '1 month') AT TIME ZONE 'UTC') WHERE name = 'archive'`,
    [firstDayOf(month)],
  );
}

/** A receipt that is corrected after it was written to the archive has to stay. */
async function requireUncorrected(client: PoolClient, dir: string, month: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT DISTINCT t.id FROM correction c JOIN ledger_transaction t ON t.id = c.transaction_id
     WHERE t.created_at >= $1::date::timestamp AT TIME ZONE 'UTC'
       AND t.created_at < ($1::date + interval '1 month') AT TIME ZONE 'UTC'`,
    [firstDayOf(month)],
  );
  if (rows.length === 0) return;
  const corrected = new Set(rows.map(({ id }) => id));
  for await (const lines of readLines(dir, month, 'receipts'))
    if (lines.some((line) => corrected.has((JSON.parse(line) as { id: string }).id)))
      throw new ArchiveError(
        `${month}: a receipt was corrected after it was archived: delete the files of this month, and archive it again`,
      );
}

async function removeReceipts(client: PoolClient, month: string, lines: string[]): Promise<number> {
  const { rows } = await client.query<{ removed: number }>(
    'SELECT ledger_remove_archived($1, $2) AS removed',
    [firstDayOf(month), asJson(lines)],
  );
  return rows[0]?.removed ?? 0;
}

async function readFileSums(dir: string, month: string): Promise<MonthSums> {
  const rows: ArchivedSums[] = [];
  for await (const lines of readLines(dir, month, 'balances'))
    rows.push(...lines.map((line) => JSON.parse(line) as ArchivedSums));
  return readSums(rows);
}

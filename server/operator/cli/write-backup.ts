import { existsSync, type WriteStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { nowDate } from '../../base/clock';
import {
  FORMAT,
  type Head,
  quote,
  readMigrations,
  readTables,
  type TableHead,
  VERSION,
} from './backup-format';
import { CommandRefused } from './command';

const ROWS_AT_ONCE = 1_000;

/** Writes a consistent snapshot while the service keeps running. Returns the row counts by table. */
export async function writeBackup(databaseUrl: string, file: string): Promise<Record<string, number>> {
  if (existsSync(file)) throw exists(file);
  const counts: Record<string, number> = {};
  const draft = `${file}.part`;
  const out = await openDraft(draft);
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL timezone = 'UTC'");
    await pipeline(Readable.from(linesOf(client, counts)), createGzip(), out);
    await client.query('COMMIT');
    // The file gets its name only once it is complete, and never replaces an existing file.
    await link(draft, file);
  } catch (error) {
    throw isTaken(error) ? exists(file) : error;
  } finally {
    await client.end();
    out.destroy();
    await rm(draft, { force: true });
  }
  return counts;
}

/** Anyone who can read the file can read every row. */
async function openDraft(draft: string): Promise<WriteStream> {
  try {
    return (await open(draft, 'wx', 0o600)).createWriteStream();
  } catch (error) {
    throw new CommandRefused(
      isTaken(error)
        ? `${draft} already exists: a backup is writing it, or was interrupted. If none is running, remove it.`
        : `Cannot write ${draft} (${codeOf(error)}). Check that its folder exists and can be written to.`,
    );
  }
}

const exists = (file: string) => new CommandRefused(`${file} already exists`);
const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
const isTaken = (error: unknown): boolean => codeOf(error) === 'EEXIST';

async function* linesOf(client: pg.ClientBase, counts: Record<string, number>): AsyncGenerator<string> {
  const tables = await readTables(client);
  const head: Head = {
    format: FORMAT,
    version: VERSION,
    createdAt: nowDate().toISOString(),
    migrations: await readMigrations(client),
    tables: tables.map(({ table }) => table),
  };
  yield toLine(head);
  for (const table of tables) {
    yield toLine(table);
    yield* rowsOf(client, table, counts);
  }
  yield toLine({ end: counts });
}

async function* rowsOf(
  client: pg.ClientBase,
  { table }: TableHead,
  counts: Record<string, number>,
): AsyncGenerator<string> {
  counts[table] = 0;
  await client.query(
    `DECLARE every_row NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS row FROM ${quote(table)} t`,
  );
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${ROWS_AT_ONCE} FROM every_row`);
    if (rows.length === 0) break;
    counts[table] += rows.length;
    yield rows.map(({ row }) => `${row}\n`).join('');
  }
  await client.query('CLOSE every_row');
}

const toLine = (value: object): string => `${JSON.stringify(value)}\n`;

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { checkBooks } from '../../ledger';
import { migrate } from '../../process/migrate';
import {
  type End,
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
/** The migrations write rows to this table; the backup has its own. */
const SEEDED_TABLE = 'watermark';

type Restored = { rows: Record<string, number>; differences: string[] };

/**
 * Restores a backup into an empty database with the same schema, in one transaction that commits only
 * if the ledger passes the audit, or despite its differences. A database without tables is migrated first.
 */
export async function readBackup(
  databaseUrl: string,
  file: string,
  { despiteDifferences = false } = {},
): Promise<Restored> {
  const lines = readLines(file);
  const head = await readHead(lines);
  await migrate(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL timezone = 'UTC'");
    await requireSameSchema(client, head);
    await requireEmpty(client);
    const rows = await insertRows(client, lines);
    await moveSequences(client);
    const differences = await checkBooks(client);
    if (!despiteDifferences) requireNone(differences);
    await client.query('COMMIT');
    return { rows, differences };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    await client.end();
  }
}

async function* readLines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const unzipped = createGunzip();
  source.on('error', (error) => unzipped.destroy(error));
  try {
    let begun = '';
    for await (const chunk of source.pipe(unzipped).setEncoding('utf8')) {
      const lines = (begun + chunk).split('\n');
      begun = lines.pop() ?? '';
      yield* lines;
    }
    if (begun !== '') yield begun;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') throw new CommandRefused(`File not found: ${file}`);
    if (code.startsWith('Z_')) throw new CommandRefused(`${file} is incomplete or corrupt`);
    throw error;
  } finally {
    source.destroy();
  }
}

async function readHead(lines: AsyncGenerator<string>): Promise<Head> {
  const { value } = await lines.next();
  const head = parse(value) as Partial<Head> | null;
  if (head?.format !== FORMAT) throw new CommandRefused('This file is not a backup created by db backup');
  if (head.version !== VERSION)
    throw new CommandRefused(`Unsupported backup format ${head.version}: expected ${VERSION}`);
  return head as Head;
}

function parse(line: unknown): unknown {
  try {
    return JSON.parse(String(line));
  } catch {
    return null;
  }
}

async function requireSameSchema(client: pg.ClientBase, { migrations }: Head): Promise<void> {
  const present = await readMigrations(client);
  const missing = migrations.filter((name) => !present.includes(name));
  const beyond = present.filter((name) => !migrations.includes(name));
  if (missing.length + beyond.length === 0) return;
  const name = (missing[0] ?? beyond[0] ?? '').split(' ')[0];
  throw new CommandRefused(
    `The backup has a different schema (${missing.length > 0 ? 'the database lacks' : 'the backup lacks'} ${name}). Restore it with the version that created it, then upgrade`,
  );
}

async function requireEmpty(client: pg.ClientBase): Promise<void> {
  const tables = (await readTables(client)).map(({ table }) => table);
  // Blocks other writers from here on.
  await client.query(`LOCK TABLE ${tables.map(quote).join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
  for (const table of tables.filter((name) => name !== SEEDED_TABLE)) {
    const { rowCount } = await client.query(`SELECT 1 FROM ${quote(table)} LIMIT 1`);
    if (rowCount !== 0) {
      throw new CommandRefused(
        `The database is not empty (${table} has rows). Restore into a new one: set an unused DATA_DIR or DATABASE_URL`,
      );
    }
  }
  await client.query(`DELETE FROM ${quote(SEEDED_TABLE)}`);
}

async function insertRows(
  client: pg.ClientBase,
  lines: AsyncGenerator<string>,
): Promise<Record<string, number>> {
  const known = new Map((await readTables(client)).map((head) => [head.table, head]));
  const counts: Record<string, number> = {};
  let table: TableHead | undefined;
  let waiting: string[] = [];
  const flush = async () => {
    if (table && waiting.length > 0) await insert(client, table, waiting);
    waiting = [];
  };
  for await (const line of lines) {
    const mark = readMark(line);
    if (mark === null) {
      if (!table) throw damaged();
      counts[table.table] = (counts[table.table] ?? 0) + 1;
      if (waiting.push(line) === ROWS_AT_ONCE) await flush();
      continue;
    }
    await flush();
    if ('end' in mark) {
      requireCounts(mark.end, counts);
      return mark.end;
    }
    table = known.get(mark.table);
    if (!table || table.columns.join() !== mark.columns.join()) throw damaged();
  }
  throw new CommandRefused('The backup is incomplete: its end is missing');
}

/** Lines that are not rows. A row starts with its first column, which never has one of these names. */
function readMark(line: string): TableHead | End | null {
  if (!line.startsWith('{"table":"') && !line.startsWith('{"end":{')) return null;
  return parse(line) as TableHead | End;
}

async function insert(client: pg.ClientBase, { table, columns }: TableHead, rows: string[]): Promise<void> {
  const names = columns.map(quote).join(', ');
  await client.query(
    `INSERT INTO ${quote(table)} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${quote(table)}, $1::json)`,
    [`[${rows.join(',')}]`],
  );
}

function requireCounts(said: Record<string, number>, found: Record<string, number>): void {
  const differs = Object.entries(said).find(([table, count]) => (found[table] ?? 0) !== count);
  if (differs)
    throw new CommandRefused(`The backup is corrupt: ${differs[0]} should have ${differs[1]} rows`);
}

const damaged = () => new CommandRefused('The backup is corrupt: unexpected line');

/** Advances the sequences past the restored rows. */
async function moveSequences(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `SELECT table_name AS table, column_name AS column,
            pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
     FROM information_schema.columns WHERE table_schema = 'public'
       AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL`,
  );
  for (const { table, column, sequence } of rows) {
    await client.query(
      `SELECT setval($1::regclass, coalesce(max(${quote(column)}), 0) + 1, false) FROM ${quote(table)}`,
      [sequence],
    );
  }
}

function requireNone(differences: string[]): void {
  if (differences.length === 0) return;
  const others = differences.length === 1 ? '' : ` (and ${differences.length - 1} more)`;
  throw new CommandRefused(
    `The backup was not restored because its ledger failed the audit: ${differences[0]}${others}. If it had these differences when it was made, restore it with --despite-differences`,
  );
}

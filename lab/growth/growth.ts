import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { readOptions } from '../../scripts/read-options.mjs';
import { now } from '../../server/base/clock';
import { closeDatabase } from '../../server/base/db';
import { syncCatalog } from '../../server/gateway/pricing/sync-catalog';
import { checkLedger } from '../../server/ledger';
import { findLatestCutoff, removeArchived, writeArchive } from '../../server/ledger/archive';
import { checkArchive } from '../../server/ledger/check-archive';
import { withoutPause } from '../../server/ledger/steps';
import { startEmbeddedPostgres } from '../../server/process/embedded-postgres';
import { migrate } from '../../server/process/migrate';
import { readRelease } from '../../server/process/sql-files';
import { PARTITION, people, requests, type Size, SUMS } from './fill';
import { type Figures, type Load, openLoad } from './load';
import { measurePages } from './pages';

/**
 * `npm run growth`: a year of ten million requests, the same partitioned by month, and an empty database, on one server:
 * what admission and settlement, the heaviest pages, `ledger check` and the archive take. README.md has the figures.
 */

const PARTS = ['load', 'pages', 'check', 'archive', 'partitions'];
const HELP = `npm run growth -- [options]

  --requests N     how many requests the year has (10000000)
  --users N        of how many users (20000)
  --rounds N       rounds of load on each database (6)
  --seconds N      how long each of them takes (4)
  --data DIR       where the databases are (.data/growth); they are removed afterwards
  --only PARTS     some of: ${PARTS.join(', ')}`;

const values = readOptions({
  requests: { type: 'string', default: '10000000' },
  users: { type: 'string', default: '20000' },
  rounds: { type: 'string', default: '6' },
  seconds: { type: 'string', default: '4' },
  data: { type: 'string', default: '.data/growth' },
  only: { type: 'string', default: PARTS.join(',') },
  help: { type: 'boolean', default: false },
});
if (values.help) stop(HELP, 0);
const size: Size = { requests: atLeast('requests', 1_000), users: atLeast('users', 200), keys: 200 };
const [roundCount, roundSeconds] = [atLeast('rounds', 1), atLeast('seconds', 1)];
const parts = new Set(values.only.split(','));
for (const part of parts)
  if (!PARTS.includes(part)) stop(`--only: expected some of ${PARTS.join(', ')}, separated by commas`);
/** The database of the settings. */
const YEAR = 'svc';

mkdirSync(values.data, { recursive: true });
const folder = mkdtempSync(path.join(values.data, 'run-'));
const server = await startEmbeddedPostgres({ dataDir: folder, durable: false });
try {
  await measure();
} finally {
  await closeDatabase();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function stop(message: string, code = 1): never {
  console[code === 0 ? 'log' : 'error'](message);
  process.exit(code);
}

function atLeast(name: 'requests' | 'users' | 'rounds' | 'seconds', least: number): number {
  const value = Number(values[name]);
  return Number.isInteger(value) && value >= least
    ? value
    : stop(`--${name}: expected an integer of at least ${least}`);
}

function urlOf(database: string): string {
  return Object.assign(new URL(server.url), { pathname: `/${database}` }).href;
}

async function on(database: string, ...statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    await client.query(
      "SET timezone = 'UTC'; SET statement_timeout = 0; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'",
    );
    let result: pg.QueryResult | undefined;
    for (const statement of statements) result = await client.query(statement);
    return result as pg.QueryResult;
  } finally {
    await client.end();
  }
}

/** Settings are read once, so another database takes the name of the first one for a moment. */
async function inPlaceOfYear<T>(database: string, work: () => Promise<T>): Promise<T> {
  const swap = async (from: string, to: string) => {
    await closeDatabase();
    await on(
      'postgres',
      `ALTER DATABASE ${from} RENAME TO aside`,
      `ALTER DATABASE ${to} RENAME TO ${from}`,
      `ALTER DATABASE aside RENAME TO ${to}`,
    );
  };
  if (database === YEAR) return work();
  await swap(YEAR, database);
  return work().finally(() => swap(YEAR, database));
}

async function timed<T>(title: string, work: () => Promise<T>): Promise<T> {
  const beganMs = now();
  const result = await work();
  console.log(`${title}: ${((now() - beganMs) / 1_000).toFixed(1)} s`);
  return result;
}

async function measure(): Promise<void> {
  process.env.DATABASE_URL = server.url;
  await migrate(server.url);
  await syncCatalog();
  await on('svc', people(size));
  await closeDatabase();
  await on('postgres', 'CREATE DATABASE empty TEMPLATE svc');
  await on('empty', 'VACUUM (ANALYZE)');
  await timed(`writing ${size.requests} requests`, fillYear);
  if (parts.has('partitions')) await timed('partitioning', partition);
  const databases = ['empty', YEAR, ...(parts.has('partitions') ? ['months'] : [])];
  await describeSizes(databases);
  if (parts.has('check')) await check();
  if (parts.has('load')) await compareLoads(databases);
  if (parts.has('pages')) await comparePages(databases.slice(1));
  if (parts.has('archive')) await archive(databases);
}

async function fillYear(): Promise<void> {
  const { rows } = await on(
    YEAR,
    `SELECT i.indexname AS name, i.indexdef AS text, c.conname AS key FROM pg_indexes i
     LEFT JOIN pg_constraint c ON c.conname = i.indexname WHERE i.tablename = 'ledger_transaction'`,
  );
  const indexes = rows as { name: string; text: string; key: string | null }[];
  await on(
    YEAR,
    ...indexes.map(({ name, key }) =>
      key === null ? `DROP INDEX ${name}` : `ALTER TABLE ledger_transaction DROP CONSTRAINT ${name}`,
    ),
    'SELECT setseed(0.5)',
    requests(size, 1, size.requests, "(now() - interval '365 days')", "interval '364 days 23 hours'"),
    ...indexes.map(({ text, key }) =>
      key === null ? text : 'ALTER TABLE ledger_transaction ADD PRIMARY KEY (id) WITH (fillfactor = 80)',
    ),
    SUMS,
    'VACUUM (ANALYZE)',
  );
}

async function partition(): Promise<void> {
  await on('postgres', 'CREATE DATABASE months TEMPLATE svc STRATEGY FILE_COPY');
  await on('months', PARTITION, ...readRelease().files.map(({ text }) => text), 'VACUUM (ANALYZE)');
}

async function describeSizes(databases: string[]): Promise<void> {
  for (const database of databases) {
    const { rows } = await on(
      database,
      `SELECT pg_size_pretty(pg_database_size(current_database())) AS size,
         (SELECT pg_size_pretty(sum(pg_total_relation_size(oid))) FROM pg_class
          WHERE relname ~ '^ledger_transaction(_[0-9]+)?$' AND relkind = 'r') AS history`,
    );
    console.log(`${database}: ${rows[0].size}, of which history ${rows[0].history}`);
  }
}

async function check(): Promise<void> {
  const { differences, transactions } = await timed('ledger check of the year, without its pauses', () =>
    checkLedger(withoutPause),
  );
  console.log(
    `${transactions} transactions, ${differences.length} differences ${differences.slice(0, 5).join('; ')}`,
  );
}

/** In turn, so that whatever else the machine does affects all of them. */
async function compareLoads(databases: string[]): Promise<void> {
  const loads: [string, Load][] = [];
  for (const name of databases) loads.push([name, await openLoad(urlOf(name), size.keys)]);
  for (const lanes of [1, 20]) {
    for (const [, load] of loads) await load.run(lanes, 2);
    const rounds: Record<string, Figures[]> = {};
    for (let round = 0; round < roundCount; round++)
      for (const [name, load] of loads)
        rounds[name] = [...(rounds[name] ?? []), await load.run(lanes, roundSeconds)];
    const ratios = (name: string, of: (figures: Figures) => number) =>
      median((rounds[name] ?? []).map((figures, n) => of(figures) / of(rounds.empty?.[n] as Figures)));
    console.table(
      databases.map((name) => ({
        database: name,
        lanes,
        requests: (rounds[name] ?? []).reduce((sum, figures) => sum + figures.requests, 0),
        'ms per request': round(median((rounds[name] ?? []).map((figures) => figures.msPerRequest))),
        'CPU ms per request': round(median((rounds[name] ?? []).map((figures) => figures.cpuMsPerRequest))),
        'time / empty': round(ratios(name, (figures) => figures.msPerRequest)),
        'CPU / empty': round(ratios(name, (figures) => figures.cpuMsPerRequest)),
      })),
    );
  }
  for (const [, load] of loads) await load.close();
}

async function comparePages(databases: string[]): Promise<void> {
  const user = 'usr_growth000000000000';
  const columns: Record<string, Record<string, number>> = {};
  for (const database of databases) {
    columns[database] = await inPlaceOfYear(database, () => measurePages(user, 'prt_growth00'));
  }
  const names = Object.keys(columns[YEAR] ?? {});
  console.table(
    names.map((page) => ({
      page,
      ...Object.fromEntries(databases.map((name) => [name, columns[name]?.[page]])),
    })),
  );
}

async function archive(databases: string[]): Promise<void> {
  const dir = path.join(folder, 'archive');
  const before = await findLatestCutoff(withoutPause);
  const written = await timed(`archiving before ${before}`, () =>
    writeArchive({ dir, before }, withoutPause),
  );
  const receipts = written.reduce((sum, month) => sum + month.receipts, 0);
  console.log(`${receipts} receipts of ${written.length} months`);
  await timed('checking the archive', () => checkArchive(dir, withoutPause)).then(({ differences }) =>
    console.log(`${differences.length} differences ${differences.slice(0, 3).join('; ')}`),
  );
  await timed('removing them', () => removeArchived({ dir, before }, withoutPause));
  await timed('vacuum', () => on(YEAR, 'VACUUM (ANALYZE) ledger_transaction'));
  await check();
  // What is booked from now on fills the space that became free.
  const count = Math.round(receipts / 5);
  await on(
    YEAR,
    requests(size, 2 * size.requests, count, "(now() - interval '50 minutes')", "interval '49 minutes'"),
  );
  await on(YEAR, 'VACUUM (ANALYZE)');
  await describeSizes([YEAR]);
  await compareSlices('in the space that became free');
  await compareLoads(databases.slice(0, 2));
  await on(
    YEAR,
    'DROP INDEX ledger_transaction_created',
    'CREATE INDEX ledger_transaction_created ON ledger_transaction USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on)',
  );
  await compareSlices('the same, with an index of one interval for each range');
}

/** What an audit reads for a slice of 5,000 bookings: the newest, and one of four months ago. */
async function compareSlices(title: string): Promise<void> {
  for (const since of ["now() - interval '20 minutes'", "now() - interval '100 days'"]) {
    const { rows } = await on(
      YEAR,
      'SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off',
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT count(*) FROM ledger_transaction
       WHERE created_at >= ${since} AND created_at < ${since} + interval '30 seconds'`,
    );
    const [plan] = rows[0]['QUERY PLAN'];
    const pages = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'];
    console.log(`${title}, 30 seconds of ${since}: ${pages} pages, ${Math.round(plan['Execution Time'])} ms`);
  }
}

function median(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function round(value: number): number {
  return Number(value.toFixed(3));
}

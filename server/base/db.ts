import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '../../prisma/client/client';
import { settings } from './env';

/**
 * Three pools for one database, and one for its replica, if it has one (replica.ts). The ledger has its own connections for its batches, so that pages and sweeps
 * cannot take them. Other hand-written statements share a small `pg` pool. Everything else uses Prisma.
 */
type Pools = { ledger?: pg.Pool; shared?: pg.Pool; prisma?: PrismaClient; replica?: pg.Pool };

const SLOT = Symbol.for('svc database');

const thread = globalThis as { [SLOT]?: Pools };
thread[SLOT] ??= {};
/** One set per thread: Next bundles this file several times, and each copy would open its own. */
const opened = thread[SLOT];

/** Waiting requests share one statement. The second connection is used only while the first is slow. */
export const LEDGER_CONNECTIONS = 2;
/** The size of the other two pools, in the API thread and in the page thread. */
const EQUAL_POOLS = 4;

/** The server cancels longer statements. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * After that, a server that does not respond has vanished, or waits for its standby to confirm a commit, which no timeout of
 * its own ends. Without this, a query would hang for 15 minutes, and a background job with it.
 */
const UNRESPONSIVE_MS = 2_000;

/** Zero is none. */
const longestWait = (statementMs: number): number =>
  Number.isFinite(statementMs) ? statementMs + UNRESPONSIVE_MS : 0;

/** A pooler may accept a connection and then have none to the server. */
const CONNECT_TIMEOUT_MS = 2_000;

const INT8 = 20;
const types = {
  // int8 arrives as bigint: money is never a float.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8
      ? (text: string) => BigInt(text)
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

const connection = (name: keyof Pools) => ({
  connectionString: databaseUrl(),
  application_name: `svc ${name}`,
  max: Math.floor((settings().DATABASE_CONNECTIONS - LEDGER_CONNECTIONS) / EQUAL_POOLS),
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: longestWait(STATEMENT_TIMEOUT_MS),
  // Detects a server that vanished while the connection is idle.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
});

/**
 * Settings of each connection. As statements, because poolers refuse or ignore them as parameters of the start.
 * Prisma's adapter writes times without a zone, so all pools must use the same one.
 */
const PREPARATION = {
  text: `SET timezone = 'UTC'; SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  query_timeout: CONNECT_TIMEOUT_MS,
};

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, types, onConnect: (client) => client.query(PREPARATION) });
  // The next query replaces a connection that breaks while idle. Without a listener the error would end the process.
  pool.on('error', () => {});
  // So does one that breaks in the instant between being handed over and being used.
  pool.on('connect', (client) => client.on('error', () => {}));
  // A query that is given up keeps its connection busy: the next one would wait behind it.
  pool.on('release', (_, client) => void (isBusy(client) && client.end()));
  return pool;
}

/** What `pg` knows of a connection, and its types do not. */
type Internals = { readyForQuery: boolean; connectionParameters: { query_timeout: number } };

const internalsOf = (client: pg.PoolClient) => client as pg.PoolClient & Internals;

const isBusy = (client: pg.PoolClient): boolean => !internalsOf(client).readyForQuery;

export function pool(): pg.Pool {
  opened.shared ??= openPool(connection('shared'));
  return opened.shared;
}

/** Null without DATABASE_REPLICA_URL. */
export function replicaPool(): pg.Pool | null {
  const connectionString = settings().DATABASE_REPLICA_URL;
  if (connectionString === undefined) return null;
  opened.replica ??= openPool({ ...connection('replica'), connectionString });
  return opened.replica;
}

/** Only for statements that a paid request waits for. */
export function ledgerPool(): pg.Pool {
  opened.ledger ??= openLedgerPool(databaseUrl());
  return opened.ledger;
}

export function openLedgerPool(connectionString: string): pg.Pool {
  return openPool({
    ...connection('ledger'),
    connectionString,
    max: LEDGER_CONNECTIONS,
    // Keeps idle connections and their query plans, so that no request waits for either after a quiet minute.
    idleTimeoutMillis: 0,
    // Longer, because a paid request that is given up is lost, and its outcome unknown.
    query_timeout: 10_000,
  });
}

const SLOW_TIMEOUTS_MS = { '5s': STATEMENT_TIMEOUT_MS, '1min': 60_000, '0': Number.POSITIVE_INFINITY };

type Slow = { isolation: 'READ COMMITTED' | 'REPEATABLE READ'; timeout: keyof typeof SLOW_TIMEOUTS_MS };

/** Runs several hand-written statements in one long transaction. A timeout of 0 means none. */
export function inSlowTransaction<T>(
  { isolation, timeout }: Slow,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return onConnection(async (client) => {
    const limits = internalsOf(client).connectionParameters;
    const usual = limits.query_timeout;
    try {
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL statement_timeout = '${timeout}'`);
      limits.query_timeout = longestWait(SLOW_TIMEOUTS_MS[timeout]);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } finally {
      limits.query_timeout = usual;
    }
  });
}

/** Runs a statement that no request waits for. After downtime it may have a large backlog. */
export function querySlowly<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
    const { rows } = await client.query<Row>(text, values);
    return rows;
  });
}

/** Repeats a statement that does the next part of a backlog, each time in a transaction of its own, while it returns `more`. */
export async function repeatSlowly(text: string, values: unknown[]): Promise<void> {
  for (let more = true; more; ) more = (await querySlowly<{ more: boolean }>(text, values))[0]?.more === true;
}

const ROWS_PER_STEP = 1_000;

/**
 * Deletes old rows in bounded steps, so that none blocks other work. `statement` takes the cutoff
 * time (`$1`) and the maximum number of rows (`$2`).
 */
export async function deleteInSteps(statement: string, before: Date): Promise<void> {
  let deleted: number | null;
  do {
    ({ rowCount: deleted } = await pool().query(statement, [before, ROWS_PER_STEP]));
  } while (deleted === ROWS_PER_STEP);
}

/**
 * One connection for several statements. If one of them fails, the connection is closed, which also ends its transaction:
 * a server that has vanished would not respond to a ROLLBACK.
 */
export async function onConnection<T>(work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
  const connection = await pool().connect();
  let isDone = false;
  try {
    const result = await work(connection);
    isDone = true;
    return result;
  } finally {
    connection.release(!isDone);
  }
}

export function prisma(): PrismaClient {
  // Minimal: the error without the query's values.
  opened.prisma ??= new PrismaClient({
    adapter: new PrismaPg(openPool(connection('prisma')), { disposeExternalPool: true }),
    errorFormat: 'minimal',
  });
  return opened.prisma;
}

export type PoolCounts = { pool: string; open: number; idle: number; waiting: number };

/** Of this thread, without Prisma's. */
export function countDatabaseConnections(): PoolCounts[] {
  const { ledger, shared, replica } = opened;
  return Object.entries({ ledger, shared, replica }).flatMap(([name, pool]) =>
    pool === undefined
      ? []
      : [{ pool: name, open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }],
  );
}

export type Tx = Prisma.TransactionClient;

const ATTEMPTS = 5;
/** Serialization failure or deadlock: nothing was written, so the work can be retried. */
const RETRYABLE = /P2034|40001|40P01|deadlock detected/;

/** Runs `work` in one transaction. No network call belongs inside. */
export async function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await prisma().$transaction(work, { timeout: 10_000, maxWait: 5_000 });
    } catch (error) {
      if (attempt >= ATTEMPTS || !RETRYABLE.test(String(error))) throw error;
    }
  }
}

export async function closeDatabase(): Promise<void> {
  const { ledger, shared, prisma, replica } = opened;
  await Promise.all([ledger?.end(), shared?.end(), prisma?.$disconnect(), replica?.end()]);
  for (const name of Object.keys(opened)) delete opened[name as keyof Pools];
}

function databaseUrl(): string {
  const url = settings().DATABASE_URL;
  if (url === undefined)
    throw new Error('DATABASE_URL is not set yet: the process has to start the database first');
  return url;
}

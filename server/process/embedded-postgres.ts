import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { now } from '../base/clock';
import { openDataDir } from './data-dir';
import { type Cluster, createCluster, findCluster, removeDrafts } from './postgres-cluster';
import { findUnprivilegedAccount, type Notice, preparePrograms } from './postgres-programs';
import { connectToServer, startServer, stopServer } from './postgres-server';
import { StartError } from './start-error';

/** A real PostgreSQL under DATA_DIR, for an install that sets no DATABASE_URL. */

export type EmbeddedPostgres = {
  /** Connection string of the database `svc`. */
  url: string;
  /** Stops the server if this process owns it. */
  stop(): Promise<void>;
  /** Asks the server to stop and does not wait for it. */
  abandon(): void;
};

export type EmbeddedPostgresOptions = {
  dataDir: string;
  /** False for tests only: a crash of the machine may then lose data. */
  durable?: boolean;
  /** Of the service. */
  connections?: number;
  onNotice?: Notice;
};

/** A service owns its server until it stops, a command for a moment. */
type Purpose = 'service' | 'command';

export class DataDirInUse extends StartError {
  override name = 'DataDirInUse';
}

/** Starts the server of this data directory and owns it until `stop`. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
  purpose: Purpose = 'service',
): Promise<EmbeddedPostgres> {
  const dataDir = openDataDir(options.dataDir);
  const cluster = findCluster(dataDir) ?? (await newCluster(dataDir, options));
  const session = await ownServer(cluster, options, purpose);
  removeDrafts(dataDir);
  const pid = cluster.findServer()?.pid;
  if (pid === undefined) throw new StartError(`PostgreSQL stopped unexpectedly. See ${cluster.logFile}`);
  const release = keepLock(session, cluster, purpose);
  const stop = () => stopServer(cluster, pid).finally(release);
  try {
    await openDatabase(session);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: cluster.urlAt(session.port, 'svc'),
    stop,
    abandon: () => process.kill(pid, 'SIGINT'),
  };
}

/** For commands: uses the server of a running service, else starts one for this command. */
export async function useEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = findCluster(openDataDir(options.dataDir));
  const session = cluster && (await connectToServer(cluster));
  if (!session) return startEmbeddedPostgres(options, 'command');
  try {
    const owner = await findOwner(session);
    if (owner?.purpose !== 'service') return await startEmbeddedPostgres(options, 'command');
    await openDatabase(session);
    return { url: cluster.urlAt(session.port, 'svc'), stop: async () => {}, abandon: () => {} };
  } finally {
    await session.end();
  }
}

function newCluster(dataDir: string, { onNotice }: EmbeddedPostgresOptions): Promise<Cluster> {
  const account = findUnprivilegedAccount();
  if (account) onNotice?.(`Running as root: PostgreSQL runs as the account "${account.name}".`);
  return createCluster(dataDir, preparePrograms(account, onNotice), account);
}

const COMMAND_TIMEOUT_MS = 15_000;
/** Held in the database `postgres`, where nothing else takes a lock. It ends with the process that holds it. */
const OWNER_LOCK = 1;

/**
 * Starts the server unless one runs, and holds the lock that makes this process its owner. A server
 * whose owner was killed is taken over.
 */
async function ownServer(
  cluster: Cluster,
  options: EmbeddedPostgresOptions,
  purpose: Purpose,
): Promise<pg.Client> {
  const deadline = now() + COMMAND_TIMEOUT_MS;
  for (;;) {
    const session = await connectToServer(cluster);
    if (!session) {
      await startServer(cluster, options);
      continue;
    }
    if (await takeLock(session, purpose)) return session;
    const owner = await findOwner(session);
    await session.end();
    // PostgreSQL takes a moment to notice that a killed process has ended.
    const isService = owner?.purpose === 'service' && isRunning(Number(owner.pid));
    if (isService || now() > deadline) throw inUse(cluster, owner);
    await sleep(100);
  }
}

/**
 * When a process of PostgreSQL dies, for example out of memory, PostgreSQL ends all connections and restarts.
 * Returns a function that gives up the lock.
 */
function keepLock(session: pg.Client, cluster: Cluster, purpose: Purpose): () => Promise<void> {
  let current: pg.Client | undefined = session;
  const watch = (client: pg.Client) =>
    client.once('end', async () => {
      const next = current && (await connectToServer(cluster).catch(() => undefined));
      if (!next) return;
      if (!current || !(await takeLock(next, purpose))) return next.end();
      current = next;
      watch(next);
    });
  watch(session);
  return async () => {
    const last = current;
    current = undefined;
    await last?.end();
  };
}

/** False also when the server stops at this moment. */
async function takeLock(session: pg.Client, purpose: Purpose): Promise<boolean> {
  try {
    await session.query(`SET application_name = 'svc ${purpose} ${process.pid}'`);
    const { rows } = await session.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${OWNER_LOCK}) AS taken`,
    );
    return rows[0]?.taken ?? false;
  } catch {
    return false;
  }
}

type Owner = { purpose: string; pid: string };

async function findOwner(session: pg.Client): Promise<Owner | undefined> {
  try {
    const { rows } = await session.query<Owner>(
      `SELECT split_part(application_name, ' ', 2) AS purpose, split_part(application_name, ' ', 3) AS pid
       FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE locktype = 'advisory' AND objid = ${OWNER_LOCK} AND granted AND datname = current_database()`,
    );
    return rows[0];
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function inUse(cluster: Cluster, owner: Owner | undefined): DataDirInUse {
  const pid = owner?.pid ?? 'unknown';
  return new DataDirInUse(
    [
      `Process ${pid} is already running on the database in ${cluster.directory}.`,
      `Stop it first (kill ${pid}), or set another DATA_DIR and PORT for this one.`,
    ].join('\n'),
  );
}

const DUPLICATE_DATABASE = '42P04';

/** The database `svc` exists from the first start on. */
async function openDatabase(session: pg.Client): Promise<void> {
  const { rowCount } = await session.query("SELECT FROM pg_database WHERE datname = 'svc'");
  if (rowCount) return;
  await session.query('CREATE DATABASE svc').catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== DUPLICATE_DATABASE) throw error;
  });
}

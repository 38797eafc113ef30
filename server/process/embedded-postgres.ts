import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { now } from '../clock';
import { openDataDir } from './data-dir';
import { findLockOwner, type LockPurpose, lockDataDir } from './lock-file';
import { isRoot, requirePostgresAccount } from './postgres-account';
import { preparePostgresBinaries } from './postgres-binaries';
import { type Cluster, findCluster, makeCluster, removeLeftovers } from './postgres-cluster';
import { adoptServer, type RunningServer, runServer } from './postgres-server';
import { StartError } from './start-error';

/** A real PostgreSQL under DATA_DIR, for an install that names no database of its own. */

export type EmbeddedPostgres = {
  /** Connection string of the database `svc`. */
  url: string;
  /** Stops the server if this process is the one responsible for it. */
  stop(): Promise<void>;
  /** Tells the server to stop and does not wait for it. */
  abandon(): void;
};

export type EmbeddedPostgresOptions = {
  dataDir: string;
  purpose?: LockPurpose;
  /** False for tests only: a crash of the machine may then lose data. */
  durable?: boolean;
  onProgress?: (message: string) => void;
};

/** Starts the server of this data directory and owns it until `stop`. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = openDataDir(options.dataDir);
  const lock = await lockDataDir(dataDir, options.purpose ?? 'server');
  try {
    const { cluster, server } = await start(dataDir, options);
    try {
      const url = await openDatabase(cluster, server.port);
      return {
        url,
        stop: () => server.stop().finally(() => lock.release()),
        abandon: () => process.kill(server.pid, 'SIGINT'),
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** For commands: uses the server that runs on this data directory, else starts one for the moment. */
export async function useEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = openDataDir(options.dataDir);
  const url = findLockOwner(dataDir)?.purpose === 'server' ? await waitForServer(dataDir) : undefined;
  return url === undefined
    ? startEmbeddedPostgres({ ...options, purpose: 'command' })
    : { url, stop: async () => {}, abandon: () => {} };
}

async function start(
  dataDir: string,
  options: EmbeddedPostgresOptions,
): Promise<{ cluster: Cluster; server: RunningServer }> {
  const found = findCluster(dataDir);
  const adopted = found && (await adoptServer(found));
  if (adopted) return { cluster: found, server: adopted };

  const account = found && isRoot() ? found.owner : requirePostgresAccount();
  const binaries = preparePostgresBinaries(account);
  removeLeftovers(dataDir);
  if (!found) options.onProgress?.('Making the database');
  const cluster = found ?? (await makeCluster(dataDir, binaries, account));
  const server = await runServer(cluster, binaries, account, { durable: options.durable ?? true });
  return { cluster, server };
}

/** The database `svc` exists from the first start on. */
async function openDatabase(cluster: Cluster, port: number): Promise<string> {
  const url = cluster.urlAt(port, 'svc');
  if (await canConnect(url)) return url;
  const client = new pg.Client({ connectionString: cluster.urlAt(port, 'postgres') });
  await client.connect();
  try {
    await client.query('CREATE DATABASE svc');
  } finally {
    await client.end();
  }
  return url;
}

const NO_SUCH_DATABASE = '3D000';

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === NO_SUCH_DATABASE) return false;
    throw error;
  } finally {
    await client.end();
  }
}

const SERVER_PATIENCE_MS = 30_000;

/** The address of another process's server, which may still be starting; undefined when that process ends. */
async function waitForServer(dataDir: string): Promise<string | undefined> {
  const deadline = now() + SERVER_PATIENCE_MS;
  while (findLockOwner(dataDir) !== undefined) {
    const cluster = findCluster(dataDir);
    const port = cluster?.runningPort();
    if (cluster && port && (await canConnect(cluster.urlAt(port, 'svc')).catch(() => false)))
      return cluster.urlAt(port, 'svc');
    if (now() > deadline) {
      throw new StartError(
        `The database in ${path.join(dataDir, 'postgres')} belongs to a running process but does not answer.`,
      );
    }
    await sleep(100);
  }
  return undefined;
}

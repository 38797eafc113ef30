import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fchownSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { now } from '../clock';
import { choosePort } from './listen';
import type { SystemAccount } from './postgres-account';
import type { PostgresBinaries } from './postgres-binaries';
import { type Cluster, cannotRun, postgresEnvironment } from './postgres-cluster';
import { birthOf, commandOf } from './process-identity';
import { StartError } from './start-error';

/** The running server of a cluster: started, or taken over from a process that died. */

export type RunningServer = { port: number; pid: number; stop(): Promise<void> };

/** Crash recovery after a power cut may take a while. */
const START_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 30_000;
const POLL_MS = 10;
const LOG_LIMIT_BYTES = 10_000_000;

/** A server that outlived its process and still serves these very files. */
export async function adoptServer(cluster: Cluster): Promise<RunningServer | undefined> {
  const left = cluster.readPidFile();
  if (left === undefined) return undefined;
  const deadline = now() + START_PATIENCE_MS;
  // It may still be starting or stopping.
  while (isServerOf(cluster, left.pid)) {
    const port = cluster.runningPort();
    if (port !== undefined && (await isServing(cluster, port)))
      return { port, pid: left.pid, stop: () => stopServer(left.pid) };
    if (now() > deadline)
      throw new StartError(
        `PostgreSQL (process ${left.pid}) runs on ${cluster.directory} but does not answer. Stop it and try again.`,
      );
    await sleep(5 * POLL_MS);
  }
  // The pid now belongs to something else, or to nobody.
  cluster.removePidFile();
  return undefined;
}

export async function runServer(
  cluster: Cluster,
  binaries: PostgresBinaries,
  account: SystemAccount | undefined,
  options: { durable: boolean },
): Promise<RunningServer> {
  const port = await choosePort(cluster.lastPort);
  const args = argumentsFor(cluster, port, options.durable);
  const deadline = now() + START_PATIENCE_MS;
  for (;;) {
    const child = spawnServer(cluster, binaries.postgres, account, args);
    try {
      const pid = await waitUntilReady(cluster, child, binaries.postgres);
      cluster.rememberPort(port);
      // The server must not keep this process alive, nor die with its terminal: stopping it is our decision.
      child.unref();
      return { port, pid, stop: () => stopServer(pid) };
    } catch (error) {
      if (!metAnother(cluster, child) || now() > deadline) throw error;
      await sleep(5 * POLL_MS);
    }
  }
}

/** Of a server that was killed some processes live on for a moment; until then no other one may start. */
function metAnother(cluster: Cluster, child: ChildProcess): boolean {
  const refusal = `[${child.pid}] FATAL:  pre-existing shared memory block`;
  return child.pid !== undefined && tailOf(cluster.logFile).includes(refusal);
}

function argumentsFor(cluster: Cluster, port: number, durable: boolean): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 60,
    shared_buffers: '128MB',
    max_wal_size: '512MB',
    max_parallel_workers_per_gather: 0,
    io_method: 'sync',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log tells what went wrong, never the statement or the values: those are people's data.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return [
    '-D',
    cluster.directory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

function spawnServer(
  cluster: Cluster,
  program: string,
  account: SystemAccount | undefined,
  args: string[],
): ChildProcess {
  if ((statSync(cluster.logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES)
    rmSync(cluster.logFile);
  const logFile = openSync(cluster.logFile, 'a', 0o600);
  if (account) fchownSync(logFile, account.uid, account.gid);
  try {
    return spawn(program, args, {
      ...account,
      cwd: '/',
      env: postgresEnvironment(),
      // A group of its own: Ctrl-C in the terminal must reach us only.
      detached: true,
      stdio: ['ignore', logFile, logFile],
    });
  } finally {
    closeSync(logFile);
  }
}

async function waitUntilReady(cluster: Cluster, child: ChildProcess, program: string): Promise<number> {
  let failure: StartError | undefined;
  child.once('error', (error) => {
    failure = cannotRun(program, error);
  });
  const deadline = now() + START_PATIENCE_MS;
  while (failure === undefined && child.exitCode === null && child.signalCode === null) {
    const found = cluster.readPidFile();
    if (found?.ready && found.pid === child.pid) return found.pid;
    if (now() > deadline) {
      child.kill('SIGINT');
      throw new StartError(
        `PostgreSQL did not get ready within ${START_PATIENCE_MS / 1000} s. See ${cluster.logFile}`,
      );
    }
    await sleep(POLL_MS);
  }
  throw (
    failure ??
    new StartError(
      `PostgreSQL ended while starting. The end of ${cluster.logFile}:\n${tailOf(cluster.logFile)}`,
    )
  );
}

/** Rolls back what runs, writes everything down, ends. */
async function stopServer(pid: number): Promise<void> {
  if (birthOf(pid) === undefined) return;
  process.kill(pid, 'SIGINT');
  const deadline = now() + STOP_PATIENCE_MS;
  while (birthOf(pid) !== undefined) {
    if (now() > deadline) {
      // Ends at once; the next start recovers from the write-ahead log.
      process.kill(pid, 'SIGQUIT');
      return;
    }
    await sleep(POLL_MS);
  }
}

function isServerOf(cluster: Cluster, pid: number): boolean {
  return commandOf(pid).includes(`-D ${cluster.directory} `);
}

async function isServing(cluster: Cluster, port: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: cluster.urlAt(port, 'postgres'),
    connectionTimeoutMillis: 2_000,
  });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
}

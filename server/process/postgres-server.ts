import { rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { now } from '../base/clock';
import { readOptional } from './data-dir';
import { choosePort } from './listen';
import { type Cluster, markOf, WORKING_DIRECTORY } from './postgres-cluster';
import { type Notice, preparePrograms, runProgram } from './postgres-programs';
import { StartError } from './start-error';

/** The running server of a cluster: started here, or found running because its process was killed. */

/** Recovery after a power failure may take a while. */
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 10;
const LOG_LIMIT_BYTES = 10_000_000;

/** A connection to the server of these files. Waits while it starts or stops; undefined when none runs. */
export async function connectToServer(cluster: Cluster): Promise<pg.Client | undefined> {
  const deadline = now() + START_TIMEOUT_MS;
  for (;;) {
    const server = cluster.findServer();
    if (!server) return undefined;
    const client = server.ready ? await connect(cluster.urlAt(server.port, 'postgres')) : undefined;
    if (client) return client;
    if (now() > deadline)
      throw new StartError(
        `PostgreSQL (process ${server.pid}) runs on ${cluster.directory} but does not respond. Stop it and try again.`,
      );
    await sleep(POLL_MS);
  }
}

async function connect(connectionString: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  // Without a listener, a server that stops would end this process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch {
    await client.end().catch(() => {});
    return undefined;
  }
}

/** Starts a server and returns when it accepts connections. */
export async function startServer(
  cluster: Cluster,
  options: { durable?: boolean; connections?: number; onNotice?: Notice },
): Promise<void> {
  const { directory, account, logFile } = cluster;
  const { pgCtl } = preparePrograms(account, options.onNotice);
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) rmSync(logFile);
  const deadline = now() + START_TIMEOUT_MS;
  for (;;) {
    const settings = settingsOf(cluster, await choosePort(cluster.facts.port), options);
    const place = account ? WORKING_DIRECTORY : directory;
    const args = ['start', '-s', '-w', '-t', String(START_TIMEOUT_MS / 1000), '-D', place];
    try {
      return await runProgram(pgCtl, [...args, '-l', `${place}/svc.log`, '-o', settings], cluster);
    } catch (error) {
      const log = tailOf(logFile);
      if (!BLOCKED.test(log) || now() > deadline)
        throw new StartError(`${error instanceof Error ? error.message : error} From ${logFile}:\n${log}`);
      if (cluster.findServer()) return;
      await sleep(5 * POLL_MS);
    }
  }
}

/** Another start was faster, or processes of a killed server have not ended yet. */
const BLOCKED = /FATAL: {2}(pre-existing shared memory block|lock file "postmaster.pid" already exists)/;

/** Connections next to those of the service: of commands, backups and the sandboxes. */
const FOR_COMMANDS = 26;

/** One cluster for both test runners and the servers they start, which nothing has to survive. */
const FOR_TESTS = {
  max_connections: 250,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Many databases, each of which would be visited in that time.
  autovacuum_naptime: '1min',
};

function settingsOf(
  cluster: Cluster,
  port: number,
  { durable = true, connections = 0 }: { durable?: boolean; connections?: number },
): string {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: Math.max(60, connections + FOR_COMMANDS),
    shared_buffers: '128MB',
    max_wal_size: '512MB',
    max_parallel_workers_per_gather: 0,
    io_method: 'sync',
    // Every request leaves dead rows in the same few tables, whose storage settings say when they are vacuumed.
    autovacuum_naptime: '3s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log says what went wrong, without the statement or its values: those are people's data.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(durable ? {} : FOR_TESTS),
  };
  const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  // pg_ctl passes these through a shell.
  return [markOf(cluster.directory), ...pairs]
    .map((setting) => `-c '${setting.replaceAll("'", "'\\''")}'`)
    .join(' ');
}

/** Rolls back what runs, writes everything to disk, ends. */
export async function stopServer(cluster: Cluster, pid: number): Promise<void> {
  const isRunning = () => cluster.findServer()?.pid === pid;
  if (!isRunning()) return;
  process.kill(pid, 'SIGINT');
  const deadline = now() + STOP_TIMEOUT_MS;
  while (isRunning()) {
    // SIGQUIT ends it at once; the next start recovers from the write-ahead log.
    if (now() > deadline) return void process.kill(pid, 'SIGQUIT');
    await sleep(POLL_MS);
  }
}

function tailOf(file: string): string {
  return (readOptional(file) ?? '').trimEnd().split('\n').slice(-8).join('\n');
}

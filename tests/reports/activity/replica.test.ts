import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { closeDatabase, replicaPool } from '@/server/base/db';
import { readReplicaState } from '@/server/base/replica';
import { startEmbeddedPostgres } from '@/server/process/embedded-postgres';
import { readMetrics } from '@/server/process/metrics/metrics';
import { migrate } from '@/server/process/migrate';
import { Cluster } from '@/server/process/postgres-cluster';
import { startServer, stopServer } from '@/server/process/postgres-server';
import { readDays } from '@/server/reports/activity/install-activity';
import { listAppRequests, readAppDays } from '@/server/reports/activity/partner-activity';
import { freePort } from '../../harness/free-port';
import { until } from '../../harness/until';

/** A primary and a streaming replica of it, made as an operator makes one, from a copy of its files. */

const folder = mkdtempSync(path.join(tmpdir(), 'svc-replica-'));
const primary = await startEmbeddedPostgres({ dataDir: folder, durable: false });
await migrate(primary.url);
const original = path.join(folder, 'postgres');
const directory = path.join(folder, 'replica');
const owner = new pg.Client({ connectionString: primary.url });
await owner.connect();
// A commit that is not flushed yet reaches no replica.
await owner.query('SET synchronous_commit = on');

let replica: pg.Client;

async function startReplica(): Promise<void> {
  await owner.query("SELECT pg_backup_start('replica', true)");
  cpSync(original, directory, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !/postmaster\.(pid|opts)$/.test(source),
  });
  const { rows } = await owner.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  const { hostname, port, username, password } = new URL(primary.url);
  writeFileSync(path.join(directory, 'backup_label'), rows[0]?.labelfile ?? '');
  writeFileSync(path.join(directory, 'standby.signal'), '');
  writeFileSync(
    path.join(directory, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  );
  // It comes back on the same port.
  const facts = { ...new Cluster(original).facts, port: await freePort() };
  writeFileSync(path.join(directory, 'svc.json'), JSON.stringify(facts));
  handOver();
  await start();
}

/** PostgreSQL refuses the files of another account. */
function handOver(): void {
  const { uid, gid } = new Cluster(original).account ?? {};
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, directory]);
}

async function start(): Promise<void> {
  await startServer(new Cluster(directory), { durable: false });
  const server = new Cluster(directory).findServer();
  const url = Object.assign(new URL(primary.url), { port: String(server?.port) }).href;
  process.env.DATABASE_REPLICA_URL = url;
  replica = new pg.Client({ connectionString: url });
  replica.on('error', () => {});
  await replica.connect();
}

async function stop(): Promise<void> {
  const cluster = new Cluster(directory);
  const server = cluster.findServer();
  await replica.end();
  if (server !== undefined) await stopServer(cluster, server.pid);
}

beforeAll(async () => {
  process.env.DATABASE_URL = primary.url;
  await startReplica();
}, 60_000);

afterAll(async () => {
  setClock();
  await closeDatabase();
  await stop();
  await owner.end();
  await primary.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Every reading checks the replica again. */
let skippedMs = 0;
setClock(() => {
  skippedMs += 6_000;
  return Date.now() + skippedMs;
});

const YEAR = { from: '2026-01-01', to: '2027-01-01' };
const countRequests = async (): Promise<number> =>
  (await readDays(YEAR)).reduce((sum, { requests }) => sum + requests, 0);

async function bookDay(requests: number): Promise<void> {
  await owner.query(
    `INSERT INTO activity_partner_day VALUES ('prt_x', '2026-05-01', 'm', 'p', $1, 0, 1, 0, 1, 1, 1, 0)
     ON CONFLICT (partner_id, day, model, provider) DO UPDATE SET requests = excluded.requests`,
    [requests],
  );
}

const isSame = async (): Promise<boolean> => {
  const { rows } = await owner.query<{ at: string }>('SELECT pg_current_wal_lsn()::text AS at');
  const { rows: replayed } = await replica.query<{ is: boolean }>(
    'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS is',
    [rows[0]?.at],
  );
  return replayed[0]?.is === true;
};

test('dashboards read from the replica, and nothing is written to it', async () => {
  await bookDay(7);
  await until(isSame, (is) => is);
  expect(await readReplicaState()).toEqual({ isUsable: true, lagSeconds: 0, reason: '' });
  expect(await countRequests()).toBe(7);
  expect(await readAppDays('prt_x', YEAR)).toMatchObject([{ requests: 7 }]);
  expect(await listAppRequests('prt_x', YEAR, { offset: 0, limit: 10 })).toEqual({ requests: [], total: 7 });
  const { rows } = await owner.query("SELECT FROM pg_stat_activity WHERE application_name = 'svc shared'");
  expect(rows).toEqual([]);
  expect(await readMetrics()).toMatch(/^svc_database_replica_used 1$/m);
});

test('while the replica is behind, the primary answers', async () => {
  await replica.query('SELECT pg_wal_replay_pause()');
  await bookDay(8);
  const state = await until(readReplicaState, (read) => read?.isUsable === false);
  expect(state?.reason).toBe('it is more than 10 seconds behind');
  expect(await countRequests()).toBe(8);
  const metrics = await readMetrics();
  expect(metrics).toMatch(/^svc_database_replica_used 0$/m);
  expect(metrics).toMatch(/^svc_database_replica_lag_seconds 1\d\.\d+$/m);
  await replica.query('SELECT pg_wal_replay_resume()');
  await until(isSame, (is) => is);
  expect((await readReplicaState())?.isUsable).toBe(true);
}, 30_000);

test('without the replica, the primary answers, and the replica again once it is back', async () => {
  expect(await countRequests()).toBe(8);
  await bookDay(9);
  await stop();
  expect(await countRequests()).toBe(9);
  expect(await readReplicaState()).toMatchObject({ isUsable: false, lagSeconds: null });
  expect(await readMetrics()).toMatch(/^svc_database_replica_used 0$/m);
  await start();
  await until(isSame, (is) => is);
  expect((await readReplicaState())?.isUsable).toBe(true);
}, 60_000);

test('a server that is no replica, or no longer one, is not read', async () => {
  await replica.query('SELECT pg_promote()');
  await bookDay(10);
  expect(await readReplicaState()).toMatchObject({ isUsable: false, reason: 'it is not a replica' });
  expect(await countRequests()).toBe(10);
  expect(replicaPool()).not.toBeNull();
}, 30_000);

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  DataDirInUse,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  useEmbeddedPostgres,
} from '@/server/process/embedded-postgres';
import { bundleProgram } from '../harness/programs';

const dataDir = path.resolve(`.data/test-process-${process.pid}`);
const postgresDir = path.join(dataDir, 'postgres');
const holder = bundleProgram('tests/process/hold-database.ts');
const start = (): Promise<EmbeddedPostgres> => startEmbeddedPostgres({ dataDir, durable: false });

// Each test finds a database that was created and stopped properly.
beforeEach(async () => {
  await (await start()).stop();
});

afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

test('what was written is there after a restart, at the same address, and nothing runs in between', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)');
  await first.stop();
  await expect(query(first.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  await second.stop();
});

test('a server that outlived its killed process is taken over, and stopped with the new one', async () => {
  const { child, url } = await holdDatabase();
  const pid = postmasterPid();
  await kill(child);
  expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  const adopted = await start();
  expect([adopted.url, postmasterPid()]).toEqual([url, pid]);
  await adopted.stop();
  await expect(query(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
});

test('a server that was killed is waited for until the last of its processes is gone', async () => {
  const { child, url } = await holdDatabase();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const lingering = rows[0]?.pid ?? 0;
  process.kill(lingering, 'SIGSTOP');
  process.kill(postmasterPid(), 'SIGKILL');
  await kill(child);
  const started = start();
  const refused = () =>
    readFileSync(path.join(postgresDir, 'svc.log'), 'utf8').includes('shared memory block');
  await expect.poll(refused).toBe(true);
  process.kill(lingering, 'SIGCONT');
  const database = await started;
  expect(await query(database.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  await database.stop();
});

test('a pid file that names another living process does not keep the database from starting', async () => {
  writeFileSync(
    path.join(postgresDir, 'postmaster.pid'),
    `${process.pid}\n${postgresDir}\n1\n1\n\n127.0.0.1\n1 1\nready   \n`,
  );
  const database = await start();
  expect(postmasterPid()).not.toBe(process.pid);
  await database.stop();
});

test('a second process on the same data directory is refused and learns who owns it', async () => {
  const { child } = await holdDatabase();
  await expect(start()).rejects.toThrow(DataDirInUse);
  await expect(start()).rejects.toThrow(`Process ${child.pid} is already running`);
  await kill(child);
  await (await start()).stop();
});

test('a process that was killed is not in the way of the next, though PostgreSQL notices its end later', async () => {
  const { child, url } = await holdDatabase();
  const [lock] = await query(url, `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted`);
  const { pid } = lock as { pid: number };
  process.kill(pid, 'SIGSTOP');
  await kill(child);
  const end = vi.spyOn(pg.Client.prototype, 'end');
  onTestFinished(() => end.mockRestore());
  const started = start();
  // It has found the lock taken.
  await Promise.race([expect.poll(() => end.mock.calls.length).toBeGreaterThan(0), started]).finally(() =>
    process.kill(pid, 'SIGCONT'),
  );
  await (await started).stop();
});

test('a database that recovers from the death of one of its processes keeps its owner', async () => {
  const { child, url } = await holdDatabase();
  const [checkpointer] = await query(url, CHECKPOINTER);
  process.kill((checkpointer as { pid: number }).pid, 'SIGKILL');
  await expect.poll(() => query(url, CHECKPOINTER).catch(() => [checkpointer])).not.toEqual([checkpointer]);
  await expect
    .poll(() => query(url, OWNERS).catch(() => []))
    .toEqual([{ owner: `svc service ${child.pid}` }]);
  await expect(start()).rejects.toThrow(DataDirInUse);
  await kill(child);
  await (await start()).stop();
});

test('a command uses the database of a running server and leaves it running', async () => {
  const { child, url } = await holdDatabase();
  const used = await useEmbeddedPostgres({ dataDir });
  await used.stop();
  expect(used.url).toBe(url);
  expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  await kill(child);
  await (await start()).stop();
});

test('a port that another program took is replaced by a free one', async () => {
  const first = await start();
  const port = Number(new URL(first.url).port);
  await first.stop();
  const taker = createServer().listen(port, '127.0.0.1');
  await once(taker, 'listening');
  const second = await start();
  expect(Number(new URL(second.url).port)).not.toBe(port);
  await second.stop();
  taker.close();
});

test.skipIf(process.getuid?.() !== 0)(
  'as root, PostgreSQL runs as an account that exists, in a directory only root may reach',
  async () => {
    const place = mkdtempSync(path.join(tmpdir(), 'svc-root-'));
    const accounts = readFileSync('/etc/passwd', 'utf8');
    const notices: string[] = [];
    const database = await startEmbeddedPostgres({
      dataDir: place,
      durable: false,
      onNotice: (notice) => notices.push(notice),
    });
    const { uid } = statSync(path.join(place, 'postgres'));
    expect(uid).not.toBe(0);
    expect(accounts).toContain(`:${uid}:`);
    expect(notices).toEqual([
      expect.stringMatching(/^Running as root: PostgreSQL runs as the account "\w+"/),
    ]);
    await database.stop();
    expect(statSync(place)).toMatchObject({
      uid: 0,
      mode: expect.toSatisfy((mode) => (mode & 0o777) === 0o700),
    });
    expect(readFileSync('/etc/passwd', 'utf8')).toBe(accounts);
    rmSync(place, { recursive: true });
  },
);

test('of two first starts at the same time one gets the database, and the other is refused', async () => {
  const place = mkdtempSync(path.join(tmpdir(), 'svc-twice-'));
  const starts = await Promise.allSettled(
    [1, 2].map(() => startEmbeddedPostgres({ dataDir: place, durable: false })),
  );
  const [started, refused] = starts.sort((a, b) => (a.status < b.status ? -1 : 1));
  expect(refused).toMatchObject({ reason: expect.any(DataDirInUse) });
  expect(readdirSync(place)).toEqual(['postgres']);
  if (started?.status === 'fulfilled') await started.value.stop();
  rmSync(place, { recursive: true });
});

test('what an interrupted first start left behind is cleared away', async () => {
  const leftover = path.join(dataDir, 'postgres.new-leftover');
  mkdirSync(leftover);
  await (await start()).stop();
  expect(existsSync(leftover)).toBe(false);
});

const CHECKPOINTER = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`;
const OWNERS = `SELECT application_name AS owner FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted`;

async function holdDatabase(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [holder, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: output.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function postmasterPid(): number {
  return Number(readFileSync(path.join(postgresDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

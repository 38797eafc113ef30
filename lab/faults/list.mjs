// @ts-check
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeKey, runCommand } from '../bench/funded-keys.mjs';
import { query } from '../bench/product-database.mjs';
import { findFreePort } from '../bench/servers.mjs';
import { FAILOVERS } from '../failover/faults.mjs';
import { disconnect, overspend } from './clients.mjs';
import { killBackups, killMigrations, startTwice } from './commands.mjs';
import { exhaustMemory } from './exhaust-memory.mjs';
import { freeze } from './processes.mjs';
import { muddleEvents } from './processor-events.mjs';
import { slowDown } from './slow-database.mjs';

/**
 * What breaks, and what clients may see of it. `docs/reliability.md` has the promises in words.
 *
 * @typedef {import('./world.mjs').World} World
 *
 * @typedef {object} Fault
 * @property {string} title
 * @property {(world: World) => Promise<string | void>} inject returns when the fault is over, with what it measured
 * @property {(world: World) => Promise<void>} [afterwards] what a supervisor or an operator does, still under load
 * @property {string[]} [allowed] outcomes besides `ok`: see `steady-load.mjs`
 * @property {number} recoverSeconds requests that are sent so long after the fault must succeed
 * @property {number} longestSeconds no request takes longer
 * @property {number} [longestGapSeconds] some request succeeds at least so often
 * @property {boolean} [onCluster] happens to machines of a cluster, with instances of its own
 * @property {string} [needs] a reason to skip it on this machine
 * @property {number} [megabytes] runs on a file system of this size, with instances of its own
 */

const MB = 1024 * 1024;
const FAULT_MS = 5_000;
/** A provider that fails is called again after 15 seconds. */
const COOLDOWN_SECONDS = 17;
/** One that hangs fails later, and its cooldown begins then. */
const FIRST_BYTE_SECONDS = 10;
/** A request may wait for its batch, be refused, and have its stream of two seconds. */
const PATIENT_SECONDS = 15;
/** How long a client of a request waits that is refused as the statement is given up after ten seconds. */
const BUSY = ['busy'];
const OF_PROVIDER = ['busy', '502', '504', 'broken'];

const FAKETIME = [
  process.env.FAKETIME_LIBRARY ?? '',
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((file) => existsSync(file));
const REDIS = process.env.REDIS_SERVER ?? 'redis-server';

/** @param {import('./upstream.mjs').Mode} mode @returns {Fault} */
const provider = (mode) => ({
  title: `the provider ${mode}`,
  inject: async (world) => {
    await world.setUpstream(mode);
    await sleep(2 * FAULT_MS);
    await world.setUpstream('works');
  },
  allowed: OF_PROVIDER,
  recoverSeconds: COOLDOWN_SECONDS + (mode === 'hangs' ? FIRST_BYTE_SECONDS : 0),
  longestSeconds: 3 * PATIENT_SECONDS,
});

/** @param {string} offset @returns {Fault} */
const clock = (offset) => ({
  title: `the clock of an instance is ${offset}`,
  ...(FAKETIME === undefined && { needs: 'libfaketime' }),
  inject: async (world) => {
    const skewed = { LD_PRELOAD: FAKETIME ?? '', FAKETIME: offset, DONT_FAKE_MONOTONIC: '1' };
    await world.restart(1, skewed);
    const date = (await fetch(`${world.instance(1).origin}/v1/models`)).headers.get('date');
    const minutes = Math.round((Date.parse(date ?? '') - Date.now()) / 60_000);
    await sleep(2 * FAULT_MS);
    await world.restart(1);
    return `its responses were dated ${minutes} min off`;
  },
  recoverSeconds: 0,
  longestSeconds: PATIENT_SECONDS,
});

/** @param {number} seconds @param {string[]} allowed @returns {Fault} */
const stall = (seconds, allowed) => ({
  title: `PostgreSQL stalls for ${seconds} s (SIGSTOP)`,
  inject: async (world) => freeze(world.databasePids(), seconds * 1_000),
  allowed,
  recoverSeconds: 2,
  longestSeconds: PATIENT_SECONDS + seconds,
});

/** @type {Record<string, Fault>} */
export const FAULTS = {
  none: {
    title: 'none',
    inject: async () => sleep(FAULT_MS),
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'app-kill': {
    title: 'kill -9 of an instance in mid-stream',
    inject: async (world) => world.instance(1).stop('SIGKILL'),
    afterwards: async (world) => world.restart(1),
    // Only what ran on it when it was killed: recovery takes no time.
    allowed: ['502 of the proxy', 'broken'],
    recoverSeconds: 0.5,
    longestSeconds: PATIENT_SECONDS,
  },
  'app-stall': {
    title: 'an instance stalls for 5 s (SIGSTOP)',
    inject: async (world) => freeze([world.instance(1).pid ?? 0], FAULT_MS),
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'app-stall-past-lease': {
    title: 'an instance stalls for 130 s, longer than its leases',
    inject: async (world) => freeze([world.instance(1).pid ?? 0], 130_000),
    allowed: ['502 of the proxy', 'broken', 'no response', 'ECONNRESET'],
    recoverSeconds: 2,
    longestSeconds: 150,
  },
  'app-out-of-memory': {
    title: 'an instance runs out of memory',
    inject: (world) => exhaustMemory(world, 1),
    afterwards: (world) => world.restart(1),
    allowed: ['502 of the proxy', 'broken'],
    recoverSeconds: 0.5,
    // A full heap is collected again and again before the process ends.
    longestSeconds: 2 * PATIENT_SECONDS,
  },
  'second-start': {
    title: 'a second start on a data directory in use',
    inject: startTwice,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'migration-kill': {
    title: 'kill -9 of `svc db migrate`',
    inject: killMigrations,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'backup-kill': {
    title: 'kill -9 of `svc db backup`',
    inject: killBackups,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'database-restart': {
    title: 'PostgreSQL restarts',
    inject: async (world) => world.database?.restart(),
    allowed: BUSY,
    recoverSeconds: 2,
    longestSeconds: PATIENT_SECONDS,
  },
  'database-kill': {
    title: 'kill -9 of PostgreSQL, as at a power loss',
    inject: async (world) => world.database?.kill(),
    allowed: BUSY,
    recoverSeconds: 2,
    longestSeconds: PATIENT_SECONDS,
  },
  'database-slow': {
    title: 'each statement takes 50 ms longer',
    inject: (world) => slowDown(world, { addedMs: 50, forMs: 2 * FAULT_MS }),
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'database-stall-2': stall(2, []),
  'database-stall-15': stall(15, BUSY),
  'connections-cut': {
    title: 'all database connections are cut, ten times',
    inject: cutConnections,
    allowed: BUSY,
    recoverSeconds: 1,
    longestSeconds: PATIENT_SECONDS,
  },
  'provider-refuses': provider('refuses'),
  'provider-hangs': provider('hangs'),
  'provider-stalls': provider('stalls'),
  'provider-resets': provider('resets'),
  'provider-malformed': provider('malformed'),
  'provider-fails': provider('fails'),
  'provider-drips': provider('drips'),
  'clients-disconnect': {
    title: '200 clients disconnect before or in a stream',
    inject: disconnect,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  overspend: {
    title: 'a user with 1.2 credits sends a thousand requests at once',
    inject: overspend,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'processor-events': {
    title: 'events of the processor are repeated, reordered and lost',
    inject: muddleEvents,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  'clock-ahead': clock('+10m'),
  'clock-behind': clock('-10m'),
  'disk-full': {
    title: 'the disk of PostgreSQL is full',
    ...(process.getuid?.() !== 0 && { needs: 'root, to mount a small file system' }),
    megabytes: 400,
    inject: fillDisk,
    allowed: BUSY,
    recoverSeconds: 2,
    // A response that has begun waits for its settlement, and so for the disk.
    longestSeconds: PATIENT_SECONDS + (2 * FAULT_MS) / 1_000,
  },
  'mail-and-webhooks': {
    title: 'mail server and webhook endpoints are down',
    inject: silenceMailAndWebhooks,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  redis: {
    title: 'Redis stalls for 5 s, then is killed',
    ...(!canRun(REDIS) && { needs: 'redis-server' }),
    inject: breakRedis,
    recoverSeconds: 0,
    longestSeconds: PATIENT_SECONDS,
  },
  ...FAILOVERS,
};

/** @param {World} world */
async function cutConnections(world) {
  const database = { pid: 0, url: world.databaseUrl };
  for (let times = 0; times < 10; times += 1) {
    await query(
      database,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND application_name LIKE 'svc %'`,
    );
    await sleep(FAULT_MS / 10);
  }
}

/** @param {World} world */
async function fillDisk(world) {
  const ballast = path.join(world.dataDir, 'ballast');
  const { bavail, bsize } = statfsSync(world.dataDir);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - MB));
  // The rest in small steps: a file system may refuse a large write that does not fit as a whole.
  try {
    for (;;) writeFileSync(ballast, Buffer.alloc(4_096), { flag: 'a' });
  } catch {
    // Full.
  }
  const isRunning = () => isAlive(world.databasePids()[0] ?? 0);
  await sleep(2 * FAULT_MS);
  const read = await fetch(`${world.instance(0).origin}/v1/credits/balance`, {
    headers: { authorization: `Bearer ${world.keys[0]}` },
  });
  const ready = await fetch(`${world.instance(0).origin}/readyz`);
  const noted = `reading a balance: ${read.status}, /readyz: ${ready.status}`;
  execFileSync('rm', [ballast]);
  if (isRunning()) return noted;
  await world.database?.restart();
  return `${noted}; PostgreSQL had stopped and was started again`;
}

/** @param {World} world */
async function silenceMailAndWebhooks(world) {
  const nobody = await findFreePort();
  const first = world.instance(0);
  await world.restart(0, { WEBHOOK_ALLOW_LOOPBACK: 'true' });
  const { publishable_key } = await runCommand(first, [
    'partner',
    'create',
    '--name',
    'quiet',
    '--rate',
    '25',
  ]);
  const silent = { ...first, env: { ...first.env, WEBHOOK_ALLOW_LOOPBACK: 'true' } };
  await runCommand(silent, ['partner', 'webhook', publishable_key, '--url', `http://127.0.0.1:${nobody}/`]);
  await world.restart(1, { SMTP_URL: `smtp://127.0.0.1:${nobody}`, MAIL_FROM: 'svc <svc@example.com>' });
  let slowestMs = 0;
  for (let n = 0; n < 10; n += 1) {
    await makeKey(world.instance(0), publishable_key, `webhooks-${n}@example.com`);
    const beganMs = performance.now();
    const body = JSON.stringify({ publishable_key, email: `mail-${n}@example.com` });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${world.instance(1).origin}/v1/auth/send-code`, { method: 'POST', headers, body });
    slowestMs = Math.max(slowestMs, performance.now() - beganMs);
  }
  const [row] = await query(
    { pid: 0, url: world.databaseUrl },
    'SELECT count(*)::int AS failed FROM delivery_attempt',
  );
  await world.restart(0);
  await world.restart(1);
  return `${row.failed} failed deliveries, slowest sign-in ${Math.round(slowestMs)} ms`;
}

/** @param {World} world */
async function breakRedis(world) {
  const port = await findFreePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn(REDIS, args, { stdio: 'ignore', cwd: world.dataDir });
  try {
    for (const n of [0, 1]) await world.restart(n, { REDIS_URL: `redis://127.0.0.1:${port}` });
    await sleep(1_000);
    await freeze([redis.pid ?? 0], FAULT_MS);
  } finally {
    const ended = once(redis, 'exit');
    redis.kill('SIGKILL');
    await ended;
  }
  await sleep(FAULT_MS);
  for (const n of [0, 1]) await world.restart(n);
}

/** @param {string} program */
function canRun(program) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

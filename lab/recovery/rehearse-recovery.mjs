// @ts-check
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { readOptions } from '../../scripts/read-options.mjs';
import {
  findNewestMajor,
  findPrograms,
  handOver,
  runProgram,
  startCluster,
} from '../../scripts/recovery/cluster.mjs';
import { pointAt, restore, runOn } from '../../scripts/recovery/restore.mjs';
import { buildAll, enterProject, fail, installDependencies } from '../../scripts/steps.mjs';
import { makeFundedKeys } from '../bench/funded-keys.mjs';
import { startLoad } from '../bench/rounds.mjs';
import { startMockUpstream, startProduct, stopServers } from '../bench/servers.mjs';
import { WORKLOADS } from '../bench/workloads.mjs';

/**
 * `npm run rehearse-recovery`: loses a PostgreSQL server with its disk while paid requests run, and restores it from
 * a base backup and archived write-ahead log: once to the end, once to a point in time. docs/operating.md has the
 * settings and the commands; this proves them on this machine.
 *
 * @typedef {import('../../scripts/recovery/cluster.mjs').Cluster} Cluster
 */

const USERS = 8;
const PASSWORD = 'rehearsal';
const SECONDS = 4;

const values = readOptions({ bin: { type: 'string' } });
/** @type {(() => Promise<void> | void)[]} */
const cleanUps = [];

async function rehearse() {
  enterProject();
  await installDependencies({ dev: true });
  await buildAll();
  const major = findNewestMajor(values.bin);
  const programs = findPrograms(major, values.bin);
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-rehearsal-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const [data, wal, backup] = ['data', 'wal', 'backup'].map((name) => path.join(folder, name));
  if (data === undefined || wal === undefined || backup === undefined) return;

  const primary = await makePrimary(programs, { folder, data, wal });
  const url = `postgresql://svc:${PASSWORD}@127.0.0.1:${primary.port}/svc`;
  const upstream = await startMockUpstream();
  const product = await startProduct(upstream.origin, path.join(folder, 'svc'), { DATABASE_URL: url });
  cleanUps.push(stopServers);
  const keys = await makeFundedKeys(product, { pid: primary.pid, url }, USERS);
  const { drive, stop } = startLoad();
  cleanUps.push(stop);
  const load = (/** @type {number} */ seconds) =>
    drive(
      {
        name: 'svc',
        kind: 'svc',
        origins: [product.origin],
        pids: [],
        lastOutput: product.lastOutput,
        headers: keys.map((key) => ({ authorization: `Bearer ${key}` })),
      },
      WORKLOADS.c32 ?? fail('the load c32 is gone'),
      seconds,
    );

  const duringBackup = load(SECONDS);
  runProgram(
    path.join(programs, 'pg_basebackup'),
    [
      '-D',
      backup,
      '--format=plain',
      '--checkpoint=fast',
      '-h',
      '127.0.0.1',
      '-p',
      String(primary.port),
      '-U',
      'postgres',
    ],
    { PGPASSWORD: PASSWORD },
  );
  await duringBackup;
  const chosen = await readState(url);
  await load(SECONDS);
  const archived = await archiveAll(primary.port, url);
  const lost = load(60).catch(() => 'the load ended with the database');
  await waitForMore(url, archived.receipts);
  const last = await readState(url);
  await primary.stop('SIGKILL');
  rmSync(data, { recursive: true });
  await stopServers();
  await lost;

  console.log(`\nPostgreSQL ${major}; requests booked before the disk was lost: ${last.receipts}`);
  const toEnd = await drill({ url, backup, wal });
  const toPoint = await drill({ url, backup, wal, until: chosen.time });
  const problems = [
    ...toEnd.problems,
    ...toPoint.problems,
    ...(toEnd.receipts < archived.receipts
      ? [`only ${toEnd.receipts} of ${archived.receipts} archived requests`]
      : []),
    ...(toPoint.receipts === chosen.receipts
      ? []
      : [`${toPoint.receipts} requests at a time that had ${chosen.receipts}`]),
  ];
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** @param {string} programs @param {{ folder: string, data: string, wal: string }} folders */
async function makePrimary(programs, { folder, data, wal }) {
  mkdirSync(wal);
  const password = path.join(folder, 'password');
  writeFileSync(password, PASSWORD);
  handOver(folder);
  runProgram(path.join(programs, 'initdb'), [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${password}`,
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  const primary = await startCluster(programs, data, {
    archive_mode: 'on',
    archive_command: `test ! -f "${wal}/%f" && cp "%p" "${wal}/%f"`,
  });
  cleanUps.push(() => primary.stop('SIGQUIT'));
  const admin = `postgresql://postgres:${PASSWORD}@127.0.0.1:${primary.port}/postgres`;
  await query(admin, `CREATE ROLE svc LOGIN PASSWORD '${PASSWORD}'`);
  await query(admin, 'CREATE DATABASE svc OWNER svc');
  return primary;
}

/** Restores, counts, checks and prints. @param {{ url: string, backup: string, wal: string, until?: string }} what */
async function drill({ url, ...what }) {
  const restored = await restore({ ...what, bin: values.bin });
  try {
    const at = pointAt(url, restored.port);
    const { receipts } = await readState(at);
    const check = await runOn(at, ['ledger', 'check']);
    console.log(
      `restored ${what.until === undefined ? 'to the end of the archive' : 'to a point in time'}: ${receipts} requests; ` +
        `copied in ${restored.copySeconds.toFixed(1)} s, replayed in ${restored.replaySeconds.toFixed(1)} s, ` +
        `ledger checked in ${check.seconds.toFixed(1)} s: ${check.output.split('\n').at(-1)}`,
    );
    return { receipts, problems: check.ok ? [] : [check.output] };
  } finally {
    await restored.remove();
  }
}

/** @param {string} url */
async function readState(url) {
  const [row] = await query(
    url,
    `SELECT clock_timestamp()::text AS time, (SELECT count(*)::int FROM usage) AS receipts`,
  );
  return /** @type {{ time: string, receipts: number }} */ (row);
}

/** Waits until everything booked so far is in the archive. @param {number} port @param {string} url */
async function archiveAll(port, url) {
  const state = await readState(url);
  const admin = `postgresql://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const [row] = await query(admin, 'SELECT pg_walfile_name(pg_switch_wal()) AS segment');
  const done = `SELECT coalesce(last_archived_wal >= '${row.segment}', false) AS done FROM pg_stat_archiver`;
  while (!(await query(admin, done))[0].done) await new Promise((resolve) => setTimeout(resolve, 100));
  return state;
}

/** @param {string} url @param {number} receipts */
async function waitForMore(url, receipts) {
  while ((await readState(url)).receipts < receipts + 100)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** @param {string} url @param {string} text */
async function query(url, text) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function cleanUp() {
  for (const undo of cleanUps.splice(0).reverse()) await undo();
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await cleanUp();
    process.exit(130);
  });
}
try {
  await rehearse();
} finally {
  await cleanUp();
}

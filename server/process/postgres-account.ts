import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './start-error';

/** PostgreSQL refuses to run as root. For root it runs as the system user `postgres`. */

export type SystemAccount = { uid: number; gid: number };

const NAME = 'postgres';

/** The account to run as, or undefined when we may run PostgreSQL as ourselves. */
export function requirePostgresAccount(): SystemAccount | undefined {
  if (!isRoot()) return undefined;
  const found = findAccount() ?? makeAccount();
  if (found) return found;
  throw new StartError(
    [
      'PostgreSQL does not run as root, and the system user "postgres" could not be made.',
      'Start as another user, make that user yourself, or set DATABASE_URL.',
    ].join('\n'),
  );
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function findAccount(): SystemAccount | undefined {
  const uid = run('id', ['-u', NAME]);
  const gid = run('id', ['-g', NAME]);
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

function makeAccount(): SystemAccount | undefined {
  // The group may exist already: then this fails, and rightly so.
  run('groupadd', ['--system', NAME]);
  run('useradd', ['--system', '--gid', NAME, '--no-create-home', '--shell', '/usr/sbin/nologin', NAME]);
  return findAccount();
}

function run(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Whether the account may pass through every directory on the way to `directory`, itself included. */
export function canReach(account: SystemAccount | undefined, directory: string): boolean {
  if (account === undefined) return true;
  const parent = path.dirname(directory);
  return mayEnter(account, directory) && (parent === directory || canReach(account, parent));
}

function mayEnter({ uid, gid }: SystemAccount, directory: string): boolean {
  const stat = statSync(directory);
  if (stat.uid === uid) return (stat.mode & 0o100) !== 0;
  if (stat.gid === gid) return (stat.mode & 0o010) !== 0;
  return (stat.mode & 0o001) !== 0;
}

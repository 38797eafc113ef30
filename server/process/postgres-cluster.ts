import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { readOptional, writePrivate } from './data-dir';
import { choosePort } from './listen';
import { type Account, isRoot, type Programs, runProgram } from './postgres-programs';
import { StartError } from './start-error';

/** The files of one PostgreSQL server, and in `svc.json` its password and preferred port. */

type Facts = { password: string; port?: number };

export class Cluster {
  readonly logFile: string;
  readonly facts: Facts;

  constructor(readonly directory: string) {
    this.logFile = path.join(directory, 'svc.log');
    const facts = readOptional(path.join(directory, 'svc.json'));
    if (facts === undefined)
      throw new StartError(`${directory}/svc.json is missing. It holds the password of that database.`);
    this.facts = JSON.parse(facts) as Facts;
  }

  urlAt(port: number, database: string): string {
    return `postgresql://svc:${this.facts.password}@127.0.0.1:${port}/${database}`;
  }

  /** The account PostgreSQL must run as when we are root: it only accepts files of its own. */
  get account(): Account | undefined {
    return isRoot() ? statSync(this.directory) : undefined;
  }

  /** The server running on these files, whichever process started it. */
  findServer(): { pid: number; port: number; ready: boolean } | undefined {
    const pidFile = path.join(this.directory, 'postmaster.pid');
    const lines = readOptional(pidFile)?.split('\n');
    if (lines === undefined) return undefined;
    const pid = Number(lines[0]);
    if (commandOf(pid).includes(`${markOf(this.directory)} `))
      return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
    // That server has ended. Its pid may belong to another program, which would keep PostgreSQL from starting.
    rmSync(pidFile, { force: true });
    return undefined;
  }
}

/** A setting that PostgreSQL ignores. It shows in the command line which files a server runs on. */
export const markOf = (directory: string): string => `svc.directory=${directory}`;

/** The absolute path of a directory for an account that may be barred from its parents. */
export const WORKING_DIRECTORY = '/proc/self/cwd';

const NAME = 'postgres';
const DRAFT_PREFIX = 'postgres.new-';

export function findCluster(dataDir: string): Cluster | undefined {
  const directory = path.join(dataDir, NAME);
  if (!existsSync(directory)) return undefined;
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new StartError(
      `${directory} belongs to another user. Start as that user, or set DATA_DIR to another directory.`,
    );
  }
  return existsSync(path.join(directory, 'PG_VERSION')) ? new Cluster(realpathSync(directory)) : undefined;
}

/** Creates the files next to their place and moves them there when complete. */
export async function createCluster(
  dataDir: string,
  { initdb }: Programs,
  account: Account | undefined,
): Promise<Cluster> {
  const draft = mkdtempSync(path.join(dataDir, DRAFT_PREFIX));
  const passwordFile = `${draft}.password`;
  const password = randomBytes(24).toString('base64url');
  const place = path.join(dataDir, NAME);
  try {
    writePrivate(passwordFile, password);
    if (account) for (const file of [draft, passwordFile]) chownSync(file, account.uid, account.gid);
    await runInitdb(initdb, draft, passwordFile, account);
    const facts: Facts = { password, port: await choosePort() };
    writePrivate(path.join(draft, 'svc.json'), JSON.stringify(facts));
    renameSync(draft, place);
  } catch (error) {
    // Another process may have started first.
    const other = findCluster(dataDir);
    if (other) return other;
    throw error;
  } finally {
    for (const file of [draft, passwordFile]) rmSync(file, { recursive: true, force: true });
  }
  return new Cluster(realpathSync(place));
}

/** Removes what an interrupted first start left. */
export function removeDrafts(dataDir: string): void {
  const drafts = readdirSync(dataDir).filter((name) => name.startsWith(DRAFT_PREFIX));
  for (const name of drafts) rmSync(path.join(dataDir, name), { recursive: true, force: true });
}

async function runInitdb(
  program: string,
  directory: string,
  passwordFile: string,
  account: Account | undefined,
): Promise<void> {
  const args = [
    `--pgdata=${account ? WORKING_DIRECTORY : directory}`,
    '--pwfile=/dev/stdin',
    '--username=svc',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own C.UTF-8 sorts the same on every machine.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const input = openSync(passwordFile, 'r');
  try {
    await runProgram(program, args, { directory, account, input });
  } finally {
    closeSync(input);
  }
}

/** The command line of a process, empty when there is none. */
function commandOf(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

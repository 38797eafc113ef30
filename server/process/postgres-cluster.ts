import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { readOptional, writePrivate } from './data-dir';
import { canReach, type SystemAccount } from './postgres-account';
import { openSystemDir, type PostgresBinaries, SYSTEM_DIR } from './postgres-binaries';
import { StartError } from './start-error';

/** The files of one PostgreSQL server: its data, and beside them the password and port it was given. */

export class Cluster {
  readonly directory: string;
  readonly logFile: string;
  private readonly facts: string;

  constructor(directory: string) {
    this.directory = directory;
    this.logFile = path.join(directory, 'svc.log');
    this.facts = path.join(directory, 'svc.json');
  }

  urlAt(port: number, database: string): string {
    return `postgresql://svc:${this.readFacts().password}@127.0.0.1:${port}/${database}`;
  }

  /** The port of the last start, kept so that addresses stay the same. */
  get lastPort(): number | undefined {
    return this.readFacts().port;
  }

  rememberPort(port: number): void {
    this.saveFacts({ ...this.readFacts(), port });
  }

  saveFacts(facts: { password: string; port?: number }): void {
    writePrivate(this.facts, JSON.stringify(facts));
    const { uid, gid } = this.owner;
    chownSync(this.facts, uid, gid);
  }

  /** Who PostgreSQL must run as: it serves its own files only. */
  get owner(): SystemAccount {
    const { uid, gid } = statSync(this.directory);
    return { uid, gid };
  }

  /** What `postmaster.pid` says; the process it names may be long gone. */
  readPidFile(): { pid: number; port: number; ready: boolean } | undefined {
    const lines = readOptional(this.pidFile)?.split('\n');
    if (lines === undefined) return undefined;
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  }

  runningPort(): number | undefined {
    const found = this.readPidFile();
    return found?.ready ? found.port : undefined;
  }

  removePidFile(): void {
    rmSync(this.pidFile, { force: true });
  }

  private get pidFile(): string {
    return path.join(this.directory, 'postmaster.pid');
  }

  private readFacts(): { password: string; port?: number } {
    const text = readOptional(this.facts);
    if (text === undefined)
      throw new StartError(`${this.facts} is missing: without it nobody can open that database.`);
    return JSON.parse(text) as { password: string; port?: number };
  }
}

const NAME = 'postgres';
const DRAFT_PREFIX = 'postgres.new-';

export function findCluster(dataDir: string): Cluster | undefined {
  const directory = path.join(dataDir, NAME);
  if (!existsSync(directory)) return undefined;
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new StartError(
      `${directory} belongs to another user. Start as that user, or with another DATA_DIR.`,
    );
  }
  return existsSync(path.join(directory, 'PG_VERSION')) ? new Cluster(realpathSync(directory)) : undefined;
}

/** What an interrupted first start left behind. */
export function removeLeftovers(dataDir: string): void {
  const drafts = readdirSync(dataDir).filter((name) => name.startsWith(DRAFT_PREFIX));
  for (const name of drafts) rmSync(path.join(dataDir, name), { recursive: true, force: true });
}

/** Makes the cluster aside and moves it into place when it is whole. */
export async function makeCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  account: SystemAccount | undefined,
): Promise<Cluster> {
  const place = path.join(dataDir, NAME);
  rmSync(place, { recursive: true, force: true });
  const parent = canReach(account, dataDir) ? dataDir : openSystemDir();
  const draft = mkdtempSync(path.join(parent, DRAFT_PREFIX));
  try {
    const made = await initialise(draft, binaries.initdb, account);
    if (parent === dataDir) renameSync(made, place);
    else linkElsewhere(made, place);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return new Cluster(realpathSync(place));
}

async function initialise(
  draft: string,
  initdb: string,
  account: SystemAccount | undefined,
): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const passwordFile = path.join(draft, 'password');
  const directory = path.join(draft, 'cluster');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(directory, { mode: 0o700 });
  if (account) for (const file of [draft, passwordFile, directory]) chownSync(file, account.uid, account.gid);
  await runInitdb(initdb, directory, passwordFile, account);
  new Cluster(directory).saveFacts({ password });
  return directory;
}

/** Root's own folders are closed to the user that PostgreSQL runs as: the data go where it may be. */
function linkElsewhere(made: string, place: string): void {
  const directory = path.join(SYSTEM_DIR, `data-${randomBytes(6).toString('hex')}`);
  renameSync(made, directory);
  symlinkSync(directory, place);
}

function runInitdb(
  program: string,
  directory: string,
  passwordFile: string,
  account: SystemAccount | undefined,
): Promise<void> {
  const args = [
    `--pgdata=${directory}`,
    `--pwfile=${passwordFile}`,
    '--username=svc',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own C.UTF-8 sorts the same on every machine.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const child = spawn(program, args, {
    ...account,
    cwd: '/',
    env: postgresEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(cannotRun(program, error)));
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new StartError(`Making the database failed:\n${problem.trim()}`)),
    );
  });
}

/** Nothing of our own settings reaches PostgreSQL. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LD_LIBRARY_PATH, NODE_ENV } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC', NODE_ENV, ...(LD_LIBRARY_PATH ? { LD_LIBRARY_PATH } : {}) };
}

export function cannotRun(program: string, error: Error): StartError {
  return new StartError(
    `PostgreSQL does not run on this system (${program}: ${error.message}).\nSet DATABASE_URL to a PostgreSQL server, version 15 or newer.`,
  );
}

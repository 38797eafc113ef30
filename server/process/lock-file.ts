import { linkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock';
import { codeOf, readOptional } from './data-dir';
import { birthOf } from './process-identity';
import { StartError } from './start-error';

/**
 * Who may start and stop the database of a data directory: a server for its whole life, a command
 * for a moment. A lock whose owner is gone counts for nothing.
 */

export type LockPurpose = 'server' | 'command';
type LockOwner = { pid: number; birth: string; purpose: LockPurpose };
export type Lock = { release(): void };

export class DataDirInUse extends StartError {
  override name = 'DataDirInUse';
}

const COMMAND_PATIENCE_MS = 15_000;

export async function lockDataDir(dataDir: string, purpose: LockPurpose): Promise<Lock> {
  const file = path.join(dataDir, 'lock');
  const deadline = now() + COMMAND_PATIENCE_MS;
  for (;;) {
    const owner = tryToTake(file, purpose);
    if (owner === undefined) return { release: () => rmSync(file, { force: true }) };
    if (owner.purpose === 'server' || now() > deadline) throw new DataDirInUse(refusal(dataDir, owner));
    await sleep(100);
  }
}

/** The living owner of the lock, if any. */
export function findLockOwner(dataDir: string): LockOwner | undefined {
  return readLivingOwner(path.join(dataDir, 'lock'));
}

function tryToTake(file: string, purpose: LockPurpose): LockOwner | undefined {
  const draft = `${file}.${process.pid}`;
  const self: LockOwner = { pid: process.pid, birth: birthOf(process.pid) ?? '', purpose };
  writeFileSync(draft, JSON.stringify(self), { mode: 0o600 });
  try {
    for (;;) {
      // A link appears at once with its content, or not at all.
      if (tryToLink(draft, file)) return undefined;
      const owner = readLivingOwner(file);
      if (owner !== undefined) return owner;
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function tryToLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function readLivingOwner(file: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(readOptional(file) ?? 'null') as LockOwner | null;
    return owner !== null && birthOf(owner.pid) === owner.birth ? owner : undefined;
  } catch {
    return undefined;
  }
}

function refusal(dataDir: string, owner: LockOwner): string {
  return [
    `Process ${owner.pid} is already running on the data directory ${dataDir}.`,
    `Stop it first (kill ${owner.pid}), or start this one with another DATA_DIR and PORT.`,
  ].join('\n');
}

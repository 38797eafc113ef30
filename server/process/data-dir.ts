import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './start-error';

/** Small values kept across restarts, as files under DATA_DIR that only their owner may read. */

export function openDataDir(dataDir: string): string {
  const absolute = path.resolve(dataDir);
  try {
    mkdirSync(absolute, { recursive: true });
  } catch (error) {
    throw new StartError(`DATA_DIR: cannot create the directory ${absolute} (${reasonOf(error)})`);
  }
  return absolute;
}

export function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StartError(`Cannot read ${file} (${reasonOf(error)})`);
  }
}

/** Replaces the file atomically: a crash leaves either the old or the new content. */
export function writePrivate(file: string, content: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, file);
}

/** A value that is created on the first start and never changes. */
export function keepValue(dataDir: string, name: string, make: () => string): string {
  const file = path.join(dataDir, name);
  const kept = readOptional(file)?.trim();
  if (kept) return kept;
  const made = make();
  writePrivate(file, `${made}\n`);
  return made;
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? String(error);
}

import { closeDatabase } from '../db';
import { readSettings, settings } from '../env';
import { invariant } from '../errors';
import { openCommandEnvironment } from '../process/environment';
import { migrate } from '../process/migrate';
import type { Command } from './command';

/**
 * The database of this install: the one that DATABASE_URL names, else the embedded one, started
 * for the command unless the service runs it already. Returns the function that lets go of it.
 */
export async function openCommandDatabase(
  needs: Exclude<Command['needs'], 'nothing'>,
): Promise<() => Promise<void>> {
  const isOurs = readSettings(process.env).DATABASE_URL === undefined;
  const leaveEnvironment = await openCommandEnvironment();
  const close = () => closeDatabase().finally(leaveEnvironment);
  try {
    // A database of the operator's own changes by `db migrate` only.
    if (isOurs && needs === 'schema') await migrate(requireDatabaseUrl());
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}

export function requireDatabaseUrl(): string {
  const { DATABASE_URL } = settings();
  invariant(DATABASE_URL, 'the database is open while a command runs');
  return DATABASE_URL;
}

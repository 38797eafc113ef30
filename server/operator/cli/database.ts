import { closeDatabase } from '../../base/db';
import { readSettings, settings } from '../../base/env';
import { invariant } from '../../base/errors';
import { openCommandEnvironment } from '../../process/environment';
import { migrate } from '../../process/migrate';
import { requireOwnSecret } from '../../process/own-secret';
import type { Command } from './command';

/**
 * The database of this installation: the one in DATABASE_URL, or else the embedded one, which is
 * started for the command unless the service is already running it. Returns a function that releases
 * it.
 */
export async function openCommandDatabase(
  needs: Exclude<Command['needs'], 'nothing'>,
): Promise<() => Promise<void>> {
  const given = readSettings(process.env);
  const isOurs = given.DATABASE_URL === undefined;
  const leaveEnvironment = await openCommandEnvironment();
  const close = () => closeDatabase().finally(leaveEnvironment);
  try {
    // The operator's own database is changed only by `db migrate`.
    if (isOurs && needs === 'schema') await migrate(requireDatabaseUrl());
    if (needs === 'schema' && given.AUTH_SECRET !== undefined) await requireOwnSecret(requireDatabaseUrl());
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

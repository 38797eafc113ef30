import { randomBytes } from 'node:crypto';
import { readSettings, type Settings } from '../env';
import { keepValue, openDataDir } from './data-dir';
import { type EmbeddedPostgres, startEmbeddedPostgres, useEmbeddedPostgres } from './embedded-postgres';
import { choosePort } from './listen';
import { withProgress } from './progress';

/**
 * Generates settings that are not configured and adds them to the environment, so that every bundled
 * copy of the code reads the same settings.
 */

/** Validates the configured settings. Nothing is started if a value is invalid. */
export async function readGivenSettings(): Promise<Settings> {
  const given = readSettings(process.env);
  if (given.PORT !== 0) return given;
  process.env.PORT = String(await choosePort());
  return readSettings(process.env);
}

export function provideAuthSecret({ AUTH_SECRET, DATA_DIR }: Settings): void {
  process.env.AUTH_SECRET =
    AUTH_SECRET ??
    keepValue(openDataDir(DATA_DIR), 'auth-secret', () => randomBytes(32).toString('base64url'));
}

/** next-auth has its own variable for the URL of the service and warns without it. */
export function provideAddressToNextAuth({ BASE_URL }: Settings): void {
  process.env.NEXTAUTH_URL = `${BASE_URL}/api/auth`;
}

/** Starts the embedded database unless another one is configured. */
export async function provideDatabase({
  DATABASE_URL,
  DATA_DIR,
}: Settings): Promise<EmbeddedPostgres | undefined> {
  if (DATABASE_URL !== undefined) return undefined;
  const database = await withProgress('Starting the database', () =>
    startEmbeddedPostgres({ dataDir: DATA_DIR }),
  );
  process.env.DATABASE_URL = database.url;
  return database;
}

/**
 * For commands: the server's database and secret, whether or not the server is running. Returns a
 * function that releases them.
 */
export async function openCommandEnvironment(): Promise<() => Promise<void>> {
  const given = readSettings(process.env);
  provideAuthSecret(given);
  if (given.DATABASE_URL !== undefined) return async () => {};
  const database = await useEmbeddedPostgres({ dataDir: given.DATA_DIR });
  process.env.DATABASE_URL = database.url;
  return () => database.stop();
}

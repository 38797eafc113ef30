import { randomBytes } from 'node:crypto';
import { readSettings, type Settings } from '../base/env';
import { requireUsableDatabase } from './check-database';
import { keepValue, openDataDir } from './data-dir';
import { type EmbeddedPostgres, startEmbeddedPostgres, useEmbeddedPostgres } from './embedded-postgres';
import { choosePort } from './listen';
import { migrate, requireMigrated } from './migrate';
import { withProgress } from './progress';
import { openServiceRole } from './service-role';
import { readSettingFiles } from './setting-files';
import { showMessage } from './show-message';

/**
 * Provides what the install did not set and puts it into the environment, so that every bundled
 * copy of the code reads the same settings.
 */

/** Validates the settings. Nothing is started when a value is invalid. */
export async function readGivenSettings(): Promise<Settings> {
  readSettingFiles(process.env);
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

/** next-auth reads the service's address from its own variable and warns when it is missing. */
export function provideAddressToNextAuth({ BASE_URL }: Settings): void {
  process.env.NEXTAUTH_URL = `${BASE_URL}/api/auth`;
}

/** Starts the embedded database unless DATABASE_URL is set. */
export async function provideDatabase({
  DATABASE_URL,
  DATABASE_CONNECTIONS: connections,
  DATA_DIR: dataDir,
}: Settings): Promise<EmbeddedPostgres | undefined> {
  if (DATABASE_URL !== undefined) return undefined;
  const onNotice = (notice: string) => showMessage(`  ${notice}\n`);
  const database = await withProgress('Starting the database', () =>
    startEmbeddedPostgres({ dataDir, connections, onNotice }),
  );
  process.env.EMBEDDED_DATA_DIR = dataDir;
  return database;
}

/**
 * Brings the database up to date, or requires that it is. The embedded one belongs to its owner, and the service
 * works with a role that cannot change history. Returns the address that the service uses.
 */
export async function updateDatabase(
  { DATABASE_URL, MIGRATE }: Settings,
  embedded: EmbeddedPostgres | undefined,
): Promise<string> {
  const ownerUrl = embedded?.url ?? DATABASE_URL ?? '';
  if (!embedded) await requireUsableDatabase(ownerUrl);
  if (MIGRATE === 'auto') await migrate(ownerUrl);
  else await requireMigrated(ownerUrl);
  if (!embedded) return ownerUrl;
  process.env.DATABASE_URL = await openServiceRole(ownerUrl);
  return process.env.DATABASE_URL;
}

/**
 * For commands: the same database and secret as the service, whether it is running or not.
 * Returns a function that releases them.
 */
export async function openCommandEnvironment(): Promise<() => Promise<void>> {
  const given = readSettings(process.env);
  provideAuthSecret(given);
  if (given.DATABASE_URL !== undefined) return async () => {};
  const onNotice = (notice: string) => process.stderr.write(`${notice}\n`);
  const database = await useEmbeddedPostgres({ dataDir: given.DATA_DIR, onNotice });
  process.env.DATABASE_URL = database.url;
  return () => database.stop();
}

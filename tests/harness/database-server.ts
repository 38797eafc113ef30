import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import {
  DataDirInUse,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '@/server/process/embedded-postgres';
import { migrate } from '@/server/process/migrate';
import { addressOfService, GRANTS, openServiceRole } from '@/server/process/service-role';
import { readMigrations, readRelease } from '@/server/process/sql-files';
import { addressOn, withClient } from './database-connection';

/** One PostgreSQL for a run of tests, with a migrated template to clone databases from. */
export type DatabaseServer = {
  /** Address of the server's own database. */
  serverUrl: string;
  templateName: string;
};

/** The same for all databases of the server, because the role belongs to all of them. */
const SERVICE_PASSWORD = 'a password of the tests';

/** The address of a database for the role that owns nothing. Every database that is cloned from the template has its grants. */
export const serviceAddressOf = (ownerUrl: string): string => addressOfService(ownerUrl, SERVICE_PASSWORD);

/** Runs at the same time get a server each. */
const SLOTS = 8;

type StartedServer = DatabaseServer & { stop(): Promise<void> };

/** The server that the run of all tests started, or else a new one. */
export async function useDatabaseServer(): Promise<StartedServer> {
  const shared = process.env.TEST_DATABASE_SERVER;
  if (!shared) return startDatabaseServer();
  return { ...(JSON.parse(shared) as DatabaseServer), stop: async () => {} };
}

export async function startDatabaseServer(
  folder = '.data/test',
): Promise<StartedServer & { dataDir: string }> {
  const { postgres, dataDir } = await startInFreeSlot(folder);
  try {
    return {
      serverUrl: postgres.url,
      templateName: await ensureTemplate(postgres.url),
      dataDir,
      stop: () => postgres.stop(),
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function startInFreeSlot(
  folder: string,
  slot = 1,
): Promise<{ postgres: EmbeddedPostgres; dataDir: string }> {
  const dataDir = `${folder}-${slot}`;
  try {
    return { postgres: await startEmbeddedPostgres({ dataDir, durable: false }), dataDir };
  } catch (error) {
    if (error instanceof DataDirInUse && slot < SLOTS) return startInFreeSlot(folder, slot + 1);
    throw error;
  }
}

/** The template is built again only when a migration or an SQL file changed. */
function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `template_${hashSchema().slice(0, 16)}`;
  return withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE datname ~ '^(template_|test_)'`,
    );
    const outdated = rows.map((row) => row.datname).filter((found) => found !== name);
    for (const found of outdated) await client.query(`DROP DATABASE "${found}" WITH (FORCE)`);
    if (outdated.length === rows.length) await buildTemplate(client, serverUrl, name);
    return name;
  });
}

function hashSchema(): string {
  const hash = createHash('sha256');
  for (const { name, text } of [...readMigrations(), ...readRelease().files]) hash.update(name).update(text);
  hash.update(readFileSync(GRANTS));
  return hash.digest('hex');
}

async function buildTemplate(client: pg.Client, serverUrl: string, name: string): Promise<void> {
  // Under its name only when it is whole.
  const draft = `test_${name}`;
  await client.query(`CREATE DATABASE ${draft}`);
  await migrate(addressOn(serverUrl, draft));
  await openServiceRole(addressOn(serverUrl, draft), SERVICE_PASSWORD);
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
}

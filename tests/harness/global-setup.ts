import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@/server/process/embedded-postgres';
import { DataDirInUse } from '@/server/process/lock-file';
import { hashMigrations, migrate } from '@/server/process/migrate';

/** One PostgreSQL for the run, with a migrated template that every test file clones. */

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the server's own database; a test file makes its database from the template. */
    serverUrl: string;
    templateName: string;
  }
}

/** Runs at the same time get a server each. */
const SLOTS = 8;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startInFreeSlot();
  try {
    project.provide('serverUrl', postgres.url);
    project.provide('templateName', await ensureTemplate(postgres.url));
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return () => postgres.stop();
}

async function startInFreeSlot(slot = 1): Promise<EmbeddedPostgres> {
  try {
    return await startEmbeddedPostgres({ dataDir: `.data/test-${slot}`, durable: false });
  } catch (error) {
    if (error instanceof DataDirInUse && slot < SLOTS) return startInFreeSlot(slot + 1);
    throw error;
  }
}

/** The template is built again only when a migration changed. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const name = `template_${hashMigrations().slice(0, 16)}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE datname ~ '^(template_|test_)'`,
    );
    const outdated = rows.map((row) => row.datname).filter((found) => found !== name);
    for (const found of outdated) await client.query(`DROP DATABASE "${found}" WITH (FORCE)`);
    if (outdated.length === rows.length) await buildTemplate(client, serverUrl, name);
  } finally {
    await client.end();
  }
  return name;
}

async function buildTemplate(client: pg.Client, serverUrl: string, name: string): Promise<void> {
  // Under its name only when it is whole.
  const draft = `test_${name}`;
  await client.query(`CREATE DATABASE ${draft}`);
  await migrate(serverUrl.replace(/\/svc$/, `/${draft}`));
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
}

import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { closeDatabase } from '@/server/db';
import { randomBase62 } from '@/server/ids';

/**
 * A database of its own for one test file: `await newDatabase()` at the top of the file, before
 * anything reads the settings. It is gone when the file is done.
 */
export async function newDatabase(): Promise<{ url: string }> {
  const serverUrl = inject('serverUrl');
  const name = `test_${randomBase62(12).toLowerCase()}`;
  await runOnServer(
    serverUrl,
    `CREATE DATABASE ${name} TEMPLATE ${inject('templateName')} STRATEGY FILE_COPY`,
  );
  const url = serverUrl.replace(/\/svc$/, `/${name}`);
  process.env.DATABASE_URL = url;
  afterAll(async () => {
    await closeDatabase();
    await runOnServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
  return { url };
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

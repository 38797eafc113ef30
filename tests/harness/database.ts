import type pg from 'pg';
import { afterAll, inject } from 'vitest';
import { closeDatabase } from '@/server/base/db';
import { randomBase62 } from '@/server/base/ids';
import { addressOn, withClient } from './database-connection';

/**
 * Creates a database for one test file: `await newDatabase()` at the top of the file, before
 * anything reads the settings. It is dropped at the end of the file.
 */
export function newDatabase(): Promise<{ url: string }> {
  return cloneDatabase(() => inject('templateName'));
}

/** Like `newDatabase`, from the template that `chooseTemplate` returns once `DATABASE_URL` is set. */
export async function cloneDatabase(
  chooseTemplate: () => string | Promise<string>,
): Promise<{ url: string }> {
  const name = `test_${randomBase62(12).toLowerCase()}`;
  const url = addressOf(name);
  process.env.DATABASE_URL = url;
  const template = await chooseTemplate();
  await onDatabaseServer((client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`),
  );
  afterAll(async () => {
    await closeDatabase();
    await onDatabaseServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  });
  return { url };
}

/** Returns the URL of a database on the server of this run. */
export const addressOf = (database: string): string => addressOn(inject('serverUrl'), database);

export const onDatabaseServer = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(inject('serverUrl'), work);

import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '@/server/process/migrate';
import { newDatabase } from '../harness';

const { url } = await newDatabase();

test('a database that is up to date is left alone', async () => {
  expect(await migrate(url)).toEqual([]);
});

test('instances that start at the same time apply each migration once', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  const { rows } = await client.query('SELECT migration_name FROM _prisma_migrations ORDER BY 1');
  await client.end();
  expect(applied.flat().sort()).toEqual(rows.map((row: { migration_name: string }) => row.migration_name));
  expect(applied.flat()).not.toHaveLength(0);
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { composeFunctions, FUNCTIONS_MIGRATION } from '@/scripts/functions-migration';
import { readRelease } from '@/server/process/sql-files';

/**
 * Until the first release, the migration equals the files. A release may not change it any more: from then
 * on only the files change, and this test goes.
 */
test('the functions migration is made of the SQL files', () => {
  expect(readFileSync(FUNCTIONS_MIGRATION, 'utf8')).toBe(composeFunctions());
});

test('every SQL file is applied', () => {
  const found = ['server/ledger/sql', 'server/activity/sql'].flatMap((folder) =>
    readdirSync(folder).map((file) => `${folder}/${file}`),
  );
  expect(
    readRelease()
      .files.map(({ name }) => name)
      .sort(),
  ).toEqual(found.sort());
});

test('a SQL file has at most one function, and a head comment that states its promise', () => {
  for (const { name, text } of readRelease().files) {
    expect(text.startsWith('-- '), name).toBe(true);
    expect((text.match(/^CREATE OR REPLACE FUNCTION/gm) ?? []).length, name).toBeLessThanOrEqual(1);
  }
});

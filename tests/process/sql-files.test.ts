import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRelease } from '@/server/process/sql-files';

test('every SQL file is applied', () => {
  const found = ['server/ledger/sql', 'server/reports/activity/sql'].flatMap((folder) =>
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

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRelease } from '@/server/process/sql-files';

const HEAD = `-- Functions, views and triggers as of the first release. Made by \`npm run db:functions\` from server/ledger/sql
-- and server/activity/sql: change the files there, which are applied at start.
`;

/**
 * Until the first release, the migration equals the files. A release may not change it any more: from then
 * on only the files change, and this test goes.
 */
test('the functions migration is made of the SQL files', async () => {
  const parts = readRelease().files.map(({ name, text }) => `\n-- ${name}\n\n${text}`);
  await expect(HEAD + parts.join('')).toMatchFileSnapshot(
    '../../prisma/migrations/20261122100001_functions/migration.sql',
  );
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

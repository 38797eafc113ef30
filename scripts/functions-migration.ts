import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MIGRATIONS_DIR, readRelease } from '../server/process/sql-files';

/** Until the first release, the functions migration is made from the SQL files. */

export const FUNCTIONS_MIGRATION = path.join(MIGRATIONS_DIR, '20261122100001_functions/migration.sql');

const HEAD = `-- Functions, views and triggers as of the first release. Made by \`npm run db:functions\` from server/ledger/sql
-- and server/activity/sql: change the files there, which are applied at start.
`;

export function composeFunctions(): string {
  const parts = readRelease().files.map(({ name, text }) => `\n-- ${name}\n\n${text}`);
  return HEAD + parts.join('');
}

export function writeFunctionsMigration(): void {
  writeFileSync(FUNCTIONS_MIGRATION, composeFunctions());
}

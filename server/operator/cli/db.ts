import { requireUsableDatabase } from '../../process/check-database';
import { migrate } from '../../process/migrate';
import type { Command, CommandInput, Outcome } from './command';
import { requireDatabaseUrl } from './database';
import { readBackup } from './read-backup';
import { writeBackup } from './write-backup';

export const databaseCommands: Readonly<Record<string, Command>> = {
  'db migrate': {
    usage: 'db migrate',
    summary: 'apply pending migrations',
    needs: 'server',
    run: runMigrations,
  },
  'db backup': {
    usage: 'db backup FILE',
    summary: 'write a consistent backup to a new file; the service may keep running',
    arguments: ['FILE'],
    needs: 'schema',
    run: backUp,
  },
  'db restore': {
    usage: 'db restore FILE [--despite-differences]',
    summary:
      'restore a backup into an empty database with the same schema, if its ledger passes the audit or despite its differences',
    arguments: ['FILE'],
    options: { 'despite-differences': 'flag' },
    needs: 'server',
    run: restore,
  },
};

async function runMigrations(): Promise<Outcome> {
  await requireUsableDatabase(requireDatabaseUrl());
  const applied = await migrate(requireDatabaseUrl());
  return {
    json: { applied },
    text: applied.length === 0 ? 'The database is up to date.' : ['Applied:', ...applied].join('\n'),
  };
}

async function backUp(input: CommandInput): Promise<Outcome> {
  const file = input.require('FILE');
  const rows = await writeBackup(requireDatabaseUrl(), file);
  return {
    json: { file, rows },
    text: `Wrote ${describe(rows)} to ${file}. Store AUTH_SECRET with it: user keys and webhook secrets depend on it.`,
  };
}

async function restore(input: CommandInput): Promise<Outcome> {
  const file = input.require('FILE');
  const { rows, differences } = await readBackup(requireDatabaseUrl(), file, {
    despiteDifferences: input.has('despite-differences'),
  });
  const found =
    differences.length === 0
      ? ['The ledger passed the audit.']
      : ['The ledger has differences:', ...differences];
  return {
    json: { file, rows, differences },
    text: [`Restored ${describe(rows)}. ${found[0]}`, ...found.slice(1)].join('\n'),
    hasProblem: differences.length > 0,
  };
}

function describe(rows: Record<string, number>): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${total} rows in ${Object.keys(rows).length} tables`;
}

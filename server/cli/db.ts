import { migrate } from '../process/migrate';
import type { Command, CommandInput, Outcome } from './command';
import { requireDatabaseUrl } from './database';
import { readBackup } from './read-backup';
import { writeBackup } from './write-backup';

export const databaseCommands: Readonly<Record<string, Command>> = {
  'db migrate': {
    usage: 'db migrate',
    summary: 'bring the database up to date',
    needs: 'server',
    run: runMigrations,
  },
  'db backup': {
    usage: 'db backup FILE',
    summary: 'everything of one moment, while the service runs, into a new file',
    arguments: ['FILE'],
    needs: 'schema',
    run: backUp,
  },
  'db restore': {
    usage: 'db restore FILE',
    summary: 'a backup into an empty database of the same schema, if its ledger agrees',
    arguments: ['FILE'],
    needs: 'server',
    run: restore,
  },
};

async function runMigrations(): Promise<Outcome> {
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
    text: `Wrote ${describe(rows)} to ${file}. Keep AUTH_SECRET beside it: keys and webhook secrets need it.`,
  };
}

async function restore(input: CommandInput): Promise<Outcome> {
  const file = input.require('FILE');
  const rows = await readBackup(requireDatabaseUrl(), file);
  return { json: { file, rows }, text: `Restored ${describe(rows)}. The ledger agrees.` };
}

function describe(rows: Record<string, number>): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${total} rows of ${Object.keys(rows).length} tables`;
}

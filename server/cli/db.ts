import { migrate } from '../process/migrate';
import type { Command, Outcome } from './command';
import { requireDatabaseUrl } from './database';

export const databaseCommands: Readonly<Record<string, Command>> = {
  'db migrate': {
    usage: 'db migrate',
    summary: 'bring the database up to date',
    needs: 'server',
    run: runMigrations,
  },
};

async function runMigrations(): Promise<Outcome> {
  const applied = await migrate(requireDatabaseUrl());
  return {
    json: { applied },
    text: applied.length === 0 ? 'The database is up to date.' : ['Applied:', ...applied].join('\n'),
  };
}

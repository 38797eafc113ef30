import { inject } from 'vitest';
import { cloneDatabase } from '../../harness/database';
import { withClient } from '../../harness/database-connection';
import { ensureYear } from './ensure-year';
import { generateYear } from './generate';
import { YEAR_SEED } from './seed';

/**
 * A database with a year of activity for one test file: call `await newYearDatabase()` at the top of the
 * file.
 */
export function newYearDatabase(): Promise<{ url: string }> {
  console.info(`SEED=${YEAR_SEED}`);
  const server = { serverUrl: inject('serverUrl'), templateName: inject('templateName') };
  return cloneDatabase(() => ensureYear(server, (url) => withClient(url, (client) => generateYear(client))));
}

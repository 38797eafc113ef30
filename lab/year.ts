import pg from 'pg';
import { readOptions } from '../scripts/read-options.mjs';
import { syncCatalog } from '../server/gateway/pricing/sync-catalog';
import { openCommandDatabase, requireDatabaseUrl } from '../server/operator/cli/database';
import { generateYear } from '../tests/reports/year/generate';
import { YEAR_REQUESTS, YEAR_SEED } from '../tests/reports/year/seed';

/** `npm run year -- [--seed N] [--requests N]`: generates a year of activity, to view the dashboards with. */

const values = readOptions({ seed: { type: 'string' }, requests: { type: 'string' } });
const seed = Number(values.seed ?? YEAR_SEED);
const requests = Number(values.requests ?? YEAR_REQUESTS);
if (!Number.isInteger(seed) || !Number.isInteger(requests) || requests < 1) {
  console.error('Usage: npm run year -- [--seed N] [--requests N]');
  process.exit(2);
}

const close = await openCommandDatabase('schema');
const client = new pg.Client({ connectionString: requireDatabaseUrl() });
await client.connect();
try {
  await syncCatalog();
  const made = await generateYear(client, { seed, requests });
  console.log(made ? `seed: ${seed}\nWrote ${requests} requests.` : 'The year already exists.');
} finally {
  await client.end();
  await close();
}

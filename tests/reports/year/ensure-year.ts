import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DAY_MS, now } from '@/server/base/clock';
import { addressOn, withClient } from '../../harness/database-connection';
import type { DatabaseServer } from '../../harness/database-server';

const YEAR_LOCK = 3_704_212;

/**
 * The name of a database with a year of activity, to clone. It is generated once a day, and again when its
 * code or a migration changed.
 */
export function ensureYear(
  { serverUrl, templateName }: DatabaseServer,
  write: (url: string) => Promise<unknown>,
): Promise<string> {
  const name = `year_${Math.floor(now() / DAY_MS)}_${hashOfSources(templateName)}`;
  return withClient(serverUrl, async (client) => {
    // The first process builds it and the others wait; the lock ends with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [YEAR_LOCK]);
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE datname LIKE 'year\\_%'`,
    );
    if (rows.some(({ datname }) => datname === name)) return name;
    for (const { datname } of rows) await client.query(`DROP DATABASE "${datname}" WITH (FORCE)`);
    // It gets its name only when it is complete.
    const draft = `test_${name}`;
    await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${draft} TEMPLATE ${templateName}`);
    await write(addressOn(serverUrl, draft));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
    return name;
  });
}

function hashOfSources(templateName: string): string {
  const hash = createHash('sha256').update(templateName);
  const sources = readdirSync(import.meta.dirname).map((name) => path.join(import.meta.dirname, name));
  for (const file of [...sources.sort(), path.resolve('server/gateway/pricing/catalog.json')])
    hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { nowDate } from '../server/base/clock';
import { useEmbeddedPostgres } from '../server/process/embedded-postgres';
import { migrate } from '../server/process/migrate';
import { MIGRATIONS_DIR } from '../server/process/sql-files';
import { startSchemaEngine } from './schema-engine';

/** `npm run db:diff -- NAME` writes the migration from the existing ones to schema.prisma. */

const SCHEMA = 'prisma/schema.prisma';
const SCRATCH = 'svc_diff';

const name = process.argv[2]?.replaceAll(/\W+/g, '_').toLowerCase();
if (!name) {
  console.error('Usage: npm run db:diff -- NAME');
  process.exit(2);
}

const postgres = await useEmbeddedPostgres({ dataDir: '.data/diff', durable: false });
try {
  const sql = await inScratchDatabase(postgres.url, diffToSchema);
  if (sql === undefined) console.log('Nothing to do: the migrations already lead to this schema.');
  else console.log(`Wrote ${writeMigration(sql)}`);
} finally {
  await postgres.stop();
}
// The engine leaves connections and timers open.
process.exit();

async function inScratchDatabase<T>(url: string, work: (scratchUrl: string) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${SCRATCH} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${SCRATCH}`);
    return await work(url.replace(/\/svc$/, `/${SCRATCH}`));
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${SCRATCH} WITH (FORCE)`);
    await client.end();
  }
}

async function diffToSchema(scratchUrl: string): Promise<string | undefined> {
  await migrate(scratchUrl);
  const files = [{ path: SCHEMA, content: readFileSync(SCHEMA, 'utf8') }];
  const engine = await startSchemaEngine(scratchUrl);
  const { stdout, exitCode } = await engine.diff({
    // The "datasource" is the database that the engine is connected to.
    from: { tag: 'schemaDatasource', files, configDir: '.' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    filters: { externalTables: ['public._prisma_migrations'], externalEnums: [] },
  });
  const different = exitCode === 2;
  return different && stdout ? stdout : undefined;
}

function stamp(): string {
  return nowDate().toISOString().replaceAll(/\D/g, '').slice(0, 14);
}

function writeMigration(sql: string): string {
  const directory = path.join(MIGRATIONS_DIR, `${stamp()}_${name}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'migration.sql'), sql);
  return path.relative('.', directory);
}

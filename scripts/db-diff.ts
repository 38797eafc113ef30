import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { nowDate } from '../server/clock';
import { useEmbeddedPostgres } from '../server/process/embedded-postgres';
import { MIGRATIONS_DIR, migrate, NO_FILTERS } from '../server/process/migrate';
import { withSchemaEngine } from '../server/process/schema-engine';

/** `npm run db:diff -- NAME` writes the migration from the present migrations to schema.prisma. */

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
  if (sql === undefined) console.log('Nothing to do: the migrations already give the schema.');
  else console.log(`Wrote ${writeMigration(sql)}`);
} finally {
  await postgres.stop();
}

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
  const { stdout, exitCode } = await withSchemaEngine(scratchUrl, (engine) =>
    engine.diff({
      // "The data source of the schema" is the database that the engine is connected to.
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: { ...NO_FILTERS, externalTables: ['public._prisma_migrations'] },
    }),
  );
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
  writeFileSync(
    path.join(MIGRATIONS_DIR, 'migration_lock.toml'),
    '# Names the kind of database that the migrations are written for.\nprovider = "postgresql"\n',
  );
  return path.relative('.', directory);
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import type pg from 'pg';

/** Prisma's schema engine as WebAssembly: no binary is downloaded or started. It compares schemas. */

export async function startSchemaEngine(databaseUrl: string): Promise<SchemaEngine> {
  const { SchemaEngine } = await instantiate();
  const adapters = bindMigrationAwareSqlAdapterFactory(new CatalogReadingPrismaPg(databaseUrl));
  return SchemaEngine.new({ datamodels: undefined }, () => {}, adapters);
}

const CHAR_OID = 18;
const TEXT_OID = 25;

/**
 * Prisma's adapter, which otherwise refuses the "char" columns that the engine reads from PostgreSQL's
 * catalog.
 */
class CatalogReadingPrismaPg extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    teachCharType(adapter);
    return adapter;
  }
}

function teachCharType(adapter: PgAdapter): void {
  const pool = adapter.underlyingDriver();
  const query = pool.query.bind(pool) as (request: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult>;
  const charColumns = new WeakMap<unknown[], number[]>();
  pool.query = (async (request: pg.QueryArrayConfig) => {
    const result = await query(request);
    const found = (result.fields ?? []).flatMap((field, index) =>
      field.dataTypeID === CHAR_OID ? [index] : [],
    );
    for (const index of found) Object.assign(result.fields[index] ?? {}, { dataTypeID: TEXT_OID });
    if (found.length > 0) charColumns.set(result.rows, found);
    return result;
  }) as typeof pool.query;

  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (request) => {
    const result = await queryRaw(request);
    for (const index of charColumns.get(result.rows) ?? [])
      result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
}

type PgAdapter = Awaited<ReturnType<PrismaPg['connect']>>;

/** The package's main entry imports a .wasm file, which Node 20 cannot do. */
async function instantiate(): Promise<typeof import('@prisma/schema-engine-wasm')> {
  const resolve = createRequire(import.meta.url).resolve;
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = readFileSync(
    resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm'),
  );
  const imports = glue as unknown as WebAssembly.ModuleImports;
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': imports });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return glue;
}

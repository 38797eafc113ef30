import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import type pg from 'pg';

/** Prisma's own migration engine, as WebAssembly: no program is downloaded or started. */

export async function withSchemaEngine<T>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await loadEngine();
  const adapters = new MigratingPrismaPg(databaseUrl);
  const engine = await SchemaEngine.new(
    { datamodels: undefined },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapters),
  );
  try {
    return await work(engine);
  } finally {
    engine.free();
    await adapters.close();
  }
}

const CHAR_OID = 18;
const TEXT_OID = 25;

/** Prisma's adapter, with two of its gaps filled. */
class MigratingPrismaPg extends PrismaPg {
  private readonly opened: PgAdapter[] = [];

  override async connect() {
    const adapter = await super.connect();
    this.opened.push(adapter);
    // It cuts scripts at every semicolon, which breaks the bodies of functions.
    adapter.executeScript = async (script) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    };
    teachCharType(adapter);
    return adapter;
  }

  /** The engine forgets its connections without closing them. */
  async close(): Promise<void> {
    await Promise.all(this.opened.map((adapter) => adapter.dispose()));
  }
}

/** It refuses the "char" columns of PostgreSQL's catalogue, which a comparison of schemas reads. */
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
type EngineModule = typeof import('@prisma/schema-engine-wasm');

/** One for the process, however often this file runs in it: the package keeps its instance in itself. */
const loaded = globalThis as { schemaEngine?: Promise<EngineModule> };

function loadEngine(): Promise<EngineModule> {
  loaded.schemaEngine ??= instantiate();
  return loaded.schemaEngine;
}

/** The package's own entry imports a .wasm file, which Node 20 cannot. */
async function instantiate(): Promise<EngineModule> {
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: failWith } });
  const resolve = createRequire(import.meta.url).resolve;
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = readFileSync(
    resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm'),
  );
  const imports = withoutLingeringTimers(glue as unknown as WebAssembly.ModuleImports);
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': imports });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return glue;
}

/** The engine never clears the timer of its ten-second limits, which would keep a finished process alive. */
function withoutLingeringTimers(glue: WebAssembly.ModuleImports): WebAssembly.ModuleImports {
  const name = Object.keys(glue).find((key) => key.startsWith('__wbg_setTimeout_'));
  const setBriefTimeout = (callback: () => void, delayMs: number) => setTimeout(callback, delayMs).unref();
  return name === undefined ? glue : { ...glue, [name]: setBriefTimeout };
}

/** The engine calls this when it meets a bug of its own. */
function failWith(message: string): never {
  throw new Error(message);
}

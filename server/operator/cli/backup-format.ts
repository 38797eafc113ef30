import type pg from 'pg';

/**
 * A backup is gzipped text, one JSON value per line, readable with `zcat` and any language:
 *
 *     {"format":"svc backup","version":1,"createdAt":…,"migrations":[…],"tables":[…]}
 *     {"table":"user","columns":["id",…]}     followed by its rows as PostgreSQL writes them
 *     {"id":…,"email":…}
 *     …
 *     {"end":{"user":812,…}}                   row counts by table; if missing, the file is truncated
 *
 * Rows are never parsed by JavaScript, so every number is restored exactly.
 */
export const FORMAT = 'svc backup';
export const VERSION = 1;

export type Head = {
  format: typeof FORMAT;
  version: number;
  createdAt: string;
  /** The schema of the backup: it can only be restored into the same one. */
  migrations: string[];
  /** A table comes after those it refers to. */
  tables: string[];
};
export type TableHead = { table: string; columns: string[] };
export type End = { end: Record<string, number> };

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Names and checksums of the applied migrations. */
export async function readMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT migration_name || ' ' || left(checksum, 12) AS name FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return rows.map(({ name }) => name);
}

/** All of our tables; each one after those it refers to. */
export async function readTables(client: pg.ClientBase): Promise<TableHead[]> {
  const { rows: tables } = await client.query<TableHead>(
    `SELECT table_name AS table, array_agg(column_name::text ORDER BY ordinal_position) AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('_prisma_migrations', 'sql_file')
     GROUP BY 1 ORDER BY 1`,
  );
  const { rows: references } = await client.query<{ from: string; to: string }>(
    `SELECT c.relname AS from, f.relname AS to FROM pg_constraint k
     JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
     WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace AND c.oid <> f.oid`,
  );
  return inOrder(tables, references);
}

function inOrder(tables: TableHead[], references: { from: string; to: string }[]): TableHead[] {
  const ordered: TableHead[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ table }) => table));
    const isFree = ({ table }: TableHead) =>
      !references.some(({ from, to }) => from === table && names.has(to));
    const free = waiting.filter(isFree);
    if (free.length === 0) throw new Error('tables refer to each other in a circle');
    ordered.push(...free);
    waiting = waiting.filter((table) => !free.includes(table));
  }
  return ordered;
}

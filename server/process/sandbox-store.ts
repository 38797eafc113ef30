import pg from 'pg';

/** Stores the sandbox processor's objects in the product's database, so that they survive a restart. */

type StoredObject = { id: string; body: unknown };
export type SandboxObjectStore = {
  load(): Promise<StoredObject[]>;
  save(id: string, body: unknown): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
};

/** Has its own pool, because the sandbox starts before the settings are final. */
export function openSandboxStore(databaseUrl: string): SandboxObjectStore {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => {});
  return {
    load: async () => (await pool.query<StoredObject>('SELECT id, body FROM sandbox_object')).rows,
    save: async (id, body) => {
      await pool.query(
        'INSERT INTO sandbox_object (id, body) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET body = excluded.body',
        [id, JSON.stringify(body)],
      );
    },
    clear: async () => {
      await pool.query('DELETE FROM sandbox_object');
    },
    close: () => pool.end(),
  };
}

import pg from 'pg';

/** What the sandbox processor keeps across restarts, in the service's database. */

type StoredObject = { id: string; body: unknown };
export type SandboxObjectStore = {
  load(): Promise<StoredObject[]>;
  save(id: string, body: unknown): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
};

/** A separate pool: the sandbox starts before the settings it provides are final. */
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

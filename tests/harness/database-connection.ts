import pg from 'pg';

/** Apart from what starts the server: every file of tests connects, and loads no more than this for it. */

/** Where a database of the server is. */
export const addressOn = (serverUrl: string, database: string): string =>
  serverUrl.replace(/\/svc$/, `/${database}`);

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

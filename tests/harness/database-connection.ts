import pg from 'pg';

/** Separate from the code that starts the server, because every test file loads this module. */

/** Returns the URL of a database of the server. */
export const addressOn = (serverUrl: string, database: string): string =>
  serverUrl.replace(/\/\w+$/, `/${database}`);

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // The next statement fails. Without a listener, a break between two would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

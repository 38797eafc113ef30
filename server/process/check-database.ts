import pg from 'pg';
import { explainDatabaseError } from './explain-database-error';
import { StartError } from './start-error';

/** What a given database must be, before anything is written to it. */

const LEAST_VERSION = 15;
const ROUNDS = 3;

export async function requireUsableDatabase(databaseUrl: string): Promise<void> {
  const clients = [openClient(databaseUrl), openClient(databaseUrl)] as const;
  const [first, second] = clients;
  try {
    await first.connect();
    await requireVersion(first);
    await second.connect();
    if (await shareConnections(first, second)) throw transactionPooling();
  } catch (error) {
    const reason = explainDatabaseError(error);
    throw reason === null ? error : new StartError(reason);
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

function openClient(connectionString: string): pg.Client {
  const client = newClient(connectionString);
  // A lost connection fails the query that waits on it.
  client.on('error', () => {});
  return client;
}

/** Reads the certificates that the URL names. */
function newClient(connectionString: string): pg.Client {
  try {
    return new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  } catch (error) {
    const { path: file, code } = error as NodeJS.ErrnoException;
    if (file === undefined) throw error;
    throw new StartError(`DATABASE_URL: expected certificates that this user can read (${file}: ${code}).`);
  }
}

async function requireVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; full: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_version') AS full`,
  );
  const [server] = rows;
  if (server !== undefined && server.version < LEAST_VERSION)
    throw new StartError(
      `DATABASE_URL: expected PostgreSQL ${LEAST_VERSION} or newer, and this server is ${server.full}.`,
    );
}

/**
 * Whether a pooler gives each transaction whichever connection is free: then both clients meet on one, or one of
 * them moves to another as soon as its own is in use.
 */
async function shareConnections(first: pg.Client, second: pg.Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await processOf(first);
    await second.query('BEGIN');
    if ((await processOf(second)) === before || (await processOf(first)) !== before) return true;
    await second.query('COMMIT');
  }
  return false;
}

async function processOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}

const transactionPooling = (): StartError =>
  new StartError(
    'DATABASE_URL: expected a direct connection or a pooler in session mode, and this one pools transactions.\n' +
      'svc keeps settings and prepared statements on its connections. With PgBouncer, set pool_mode=session for\n' +
      'this database, or connect to PostgreSQL directly: one instance opens at most DATABASE_CONNECTIONS.',
  );

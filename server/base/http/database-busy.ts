/**
 * Codes of PostgreSQL for a temporary failure: too many connections; a statement or lock timeout; a deadlock
 * or serialization failure; an administrator stopping the server (two codes); the server starting up or
 * shutting down; a full disk; a server that accepts no writes.
 */
const TEMPORARY_STATES = new Set<unknown>([
  '53300',
  '57014',
  '55P03',
  '40P01',
  '40001',
  '57P01',
  '57P02',
  '57P03',
  '53100',
  '25006',
]);
/** Connection refused or broken. Providers, the payment processor and mail have their own errors. */
const CONNECTION_FAILURES = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);
/** The same in Prisma's messages. */
const PRISMA_CONNECTION_FAILURES = new Set<unknown>([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
]);
/** Prisma timed out waiting for a connection, or ended a transaction that took too long. */
const PRISMA_TRANSACTION = 'P2028';
/** In order: the pool had no free connection; connecting timed out or the connection broke; no response arrived. */
const CONNECTION_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout/;

/** Whether the database is temporarily out of connections or time, so that a retry may succeed. */
export function isDatabaseBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as { code?: unknown; meta?: PrismaMeta };
  if (code === PRISMA_TRANSACTION || CONNECTION_MESSAGES.test(error.message)) return true;
  const behind = meta?.driverAdapterError?.cause;
  return (
    TEMPORARY_STATES.has(behind?.originalCode ?? code) ||
    CONNECTION_FAILURES.has(code) ||
    PRISMA_CONNECTION_FAILURES.has(behind?.kind)
  );
}

/** Prisma wraps PostgreSQL's error under its own code. */
type PrismaMeta = { driverAdapterError?: { cause?: { kind?: unknown; originalCode?: unknown } } };

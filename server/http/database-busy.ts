/**
 * "Not now", in PostgreSQL's own codes: too many connections; a statement that took longer than it may,
 * a wait for a lock that did; a deadlock, a conflict of transactions; being stopped (twice), starting up
 * or shutting down.
 */
const NOT_NOW = new Set<unknown>(['53300', '57014', '55P03', '40P01', '40001', '57P01', '57P02', '57P03']);
/** Nobody listens, or the connection broke. Providers, processor and mail have errors of their own. */
const AWAY = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);
/** Prisma's words for that. */
const PRISMA_AWAY = new Set<unknown>(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout']);
/** Prisma had no connection for a transaction in time, or took one back that lasted too long. */
const PRISMA_TRANSACTION = 'P2028';
/** In turn: the pool had no connection, opening one took too long or one broke, nothing came back. */
const IN_WORDS = /timeout exceeded when trying to connect|Connection terminated|Query read timeout/;

/** The database has no connection or no time for us now: the same may work in a moment. */
export function isDatabaseBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as { code?: unknown; meta?: PrismaMeta };
  if (code === PRISMA_TRANSACTION || IN_WORDS.test(error.message)) return true;
  const behind = meta?.driverAdapterError?.cause;
  return NOT_NOW.has(behind?.originalCode ?? code) || AWAY.has(code) || PRISMA_AWAY.has(behind?.kind);
}

/** Prisma hands on what PostgreSQL said under a code of its own. */
type PrismaMeta = { driverAdapterError?: { cause?: { kind?: unknown; originalCode?: unknown } } };

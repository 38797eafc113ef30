/** In turn: the pool had no connection, opening one took too long, Prisma had none for a transaction. */
const WAITED_IN_VAIN =
  /timeout exceeded when trying to connect|Connection terminated due to connection timeout|Unable to start a transaction in the given time/;
/** PostgreSQL takes no more connections; Prisma's name for the same. */
const TOO_MANY_CONNECTIONS = new Set<unknown>(['53300', 'P2037']);

/** No connection to the database was to be had in time: nothing was done, and the same may work in a moment. */
export function isDatabaseBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return WAITED_IN_VAIN.test(error.message) || ('code' in error && TOO_MANY_CONNECTIONS.has(error.code));
}

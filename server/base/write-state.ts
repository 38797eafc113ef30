import { now, SECOND_MS } from './clock';

/**
 * Whether the database accepts writes, by the latest statements of the ledger. A full disk shows in nothing else:
 * it still responds to queries.
 */

/** A read-only transaction, a full disk, an input or output error: nothing can be written until someone acts. */
const REFUSES_WRITES = new Set<unknown>(['25006', '53100', '58030']);

/** Without another statement, the instance is ready again after this time, and the next request shows the truth. */
const REMEMBERED_MS = 15 * SECOND_MS;

let refusedAtMs: number | null = null;

export function noteWritten(): void {
  refusedAtMs = null;
}

/** The code is that of PostgreSQL. */
export function noteNotWritten(code: unknown): void {
  if (REFUSES_WRITES.has(code)) refusedAtMs = now();
}

export const acceptsWrites = (): boolean => refusedAtMs === null || now() - refusedAtMs > REMEMBERED_MS;

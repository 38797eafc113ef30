import type { PoolClient } from 'pg';
import { BOOKING_INVARIANTS } from './booking-invariants';
import { findDifferences } from './differences';

/** From `since` to before `until`; null means until now. Times are text as PostgreSQL writes them, exact to the microsecond. */
export type Slice = { since: string; until: string | null };

/** As many transactions to twice as many are checked in one step: up to a second of work on a busy machine. */
const BOOKINGS_PER_STEP = 4_000;

/** Checks all bookings of a slice. */
export async function checkBookings(client: PoolClient, { since, until }: Slice): Promise<string[]> {
  await useIndexOnTime(client);
  return findDifferences(client, [BOOKING_INVARIANTS], [null, since, until]);
}

/** For the rest of the transaction. The planner's statistics know nothing of the newest rows. */
export async function useIndexOnTime(client: PoolClient): Promise<void> {
  await client.query('SET LOCAL enable_seqscan = off');
}

/** The first slice of what was booked from `since` to before `until`. */
export async function findSlice(
  client: PoolClient,
  since: string,
  until: string,
): Promise<{ since: string; until: string; isLast: boolean }> {
  const { rows } = await client.query<{ until: string; isLast: boolean }>(
    `SELECT until::text, until >= $2::timestamptz AS "isLast" FROM ledger_slice_end($1, $2, $3) AS until`,
    [since, until, BOOKINGS_PER_STEP],
  );
  const [end] = rows;
  return { since, until: end?.until ?? until, isLast: end?.isLast ?? true };
}

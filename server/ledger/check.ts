import type { ClientBase } from 'pg';
import { BOOKING_INVARIANTS } from './booking-invariants';
import { checkBookings, findSlice, type Slice } from './check-bookings';
import { checkEarnings } from './check-earnings';
import { checkInTurn, TEAMS, USERS } from './check-in-turn';
import { CORRECTION_BATCH_INVARIANT } from './correction-invariants';
import { findDifferences } from './differences';
import {
  ARCHIVED_EARNINGS_INVARIANT,
  EARNINGS_INVARIANT,
  LEASE_INVARIANT,
  PRESENT_INVARIANTS,
} from './invariants';
import { EARNINGS_DAY_INVARIANT, PAYOUT_ITEM_INVARIANT } from './payout-invariants';
import { PROMOTION_INVARIANTS } from './promotion-invariants';
import { INVOICE_INVARIANT } from './purchase-invariants';
import { type Pause, type Step, takeSteps, withoutPause } from './steps';

export type LedgerReport = {
  /** Empty if all invariants hold. */
  differences: string[];
  users: number;
  transactions: number;
};

/** Pauses take as long as steps: a check of the whole ledger uses half of a core. */
const PAUSES = 1;

/**
 * Recomputes every balance from the postings and returns the differences. What a user or a team has is compared in
 * one snapshot per invariant, and every transaction in the snapshot of its slice.
 */
export async function checkLedger(pause: Pause = withoutPause): Promise<LedgerReport> {
  const step = takeSteps(pause, PAUSES);
  const { differences: ofUsers } = await checkInTurn(step, USERS);
  const bookings = await checkEveryBooking(step);
  const ofEarnings = await checkEveryHour(step);
  const { differences: ofTeams } = await checkInTurn(step, TEAMS);
  const others = await step((client) => findDifferences(client, [...GLOBAL_INVARIANTS, LEASE_INVARIANT]));
  const ofDays: string[] = [];
  for (const invariant of HISTORY_INVARIANTS)
    ofDays.push(...(await step((client) => findDifferences(client, [invariant]))));
  return {
    differences: [...ofUsers, ...bookings.differences, ...ofEarnings, ...ofTeams, ...others, ...ofDays],
    users: await step(countWallets),
    transactions: bookings.transactions,
  };
}

/** The same check without expired leases, in the caller's transaction: in a backup, no request is running. */
export async function checkBooks(client: ClientBase): Promise<string[]> {
  return [
    ...(await findDifferences(client, USERS.invariants, [null])),
    ...(await findDifferences(client, [BOOKING_INVARIANTS], [null, null, null])),
    ...(await findDifferences(client, [EARNINGS_INVARIANT], [null, null, null, null])),
    ...(await findDifferences(client, TEAMS.invariants, [null])),
    ...(await findDifferences(client, [...GLOBAL_INVARIANTS, ...HISTORY_INVARIANTS])),
  ];
}

const GLOBAL_INVARIANTS = [
  ...PRESENT_INVARIANTS,
  ...PROMOTION_INVARIANTS,
  INVOICE_INVARIANT,
  CORRECTION_BATCH_INVARIANT,
];

/** These read all earnings. */
const HISTORY_INVARIANTS = [EARNINGS_DAY_INVARIANT, ARCHIVED_EARNINGS_INVARIANT, PAYOUT_ITEM_INVARIANT];

/** A later transaction may commit before an earlier one, so the last slice has no end. */
const SETTLED = "clock_timestamp() - interval '15 seconds'";

async function checkEveryBooking(step: Step): Promise<{ differences: string[]; transactions: number }> {
  const differences: string[] = [];
  let transactions = 0;
  const settled = await step(readSettled);
  let since = '-infinity';
  for (let isLast = false; !isLast; )
    await step(async (client) => {
      const slice = await findSlice(client, since, settled);
      const whole = { since, until: slice.isLast ? null : slice.until };
      differences.push(...(await checkBookings(client, whole)));
      transactions += await countTransactions(client, whole);
      ({ until: since, isLast } = slice);
    });
  return { differences, transactions };
}

async function readSettled(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ settled: string }>(`SELECT (${SETTLED})::text AS settled`);
  return rows[0]?.settled ?? '-infinity';
}

async function countTransactions(client: ClientBase, { since, until }: Slice): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ledger_transaction
     WHERE created_at >= $1 AND ($2::timestamptz IS NULL OR created_at < $2)`,
    [since, until],
  );
  return rows[0]?.count ?? 0;
}

async function checkEveryHour(step: Step): Promise<string[]> {
  const differences: string[] = [];
  const bounds = await step(readBoundsOfPeriods);
  for (const [n, from] of ['-infinity', ...bounds].entries()) {
    const takeStep = checkEarnings({ from, to: bounds[n] ?? 'infinity' });
    let found: string[] | null;
    do found = await step(takeStep);
    while (found === null);
    differences.push(...found);
  }
  return differences;
}

/** A quiet year fits into one period, and the sums of a period fit into memory. */
const SUMS_PER_PERIOD = 50_000;

/** The hours at which one period ends and the next begins. */
async function readBoundsOfPeriods(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ bound: string }>(
    `SELECT min(hour)::text AS bound FROM (
       SELECT hour, div(sum(count(*)) OVER (ORDER BY hour), $1) AS period FROM earnings_rollup GROUP BY hour) h
     GROUP BY period ORDER BY period OFFSET 1`,
    [SUMS_PER_PERIOD],
  );
  return rows.map(({ bound }) => bound);
}

async function countWallets(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ users: number }>('SELECT count(*)::int AS users FROM wallet');
  return rows[0]?.users ?? 0;
}

import { now, SECOND_MS } from '../base/clock';
import { CORRECTION_INVARIANTS } from './correction-invariants';
import { findDifferences } from './differences';
import {
  ALLOWANCE_INVARIANT,
  ARCHIVED_USAGE_INVARIANT,
  GRANTED_INVARIANT,
  LIMIT_INVARIANT,
  POCKET_INVARIANT,
  USAGE_DAY_INVARIANT,
  WALLET_INVARIANTS,
} from './invariants';
import { PAYOUT_INVARIANTS } from './payout-invariants';
import { BONUS_INVARIANTS } from './promotion-invariants';
import { PURCHASE_INVARIANTS } from './purchase-invariants';
import type { Step } from './steps';

/** `next` selects ids after `$1`, at most `$2`. The invariants take a list of them as `$1`, and each is one snapshot. */
type Turn = { next: string; invariants: string[] };

/** The tables whose rows a user's invariants compare. */
const USER_TABLES = [
  'wallet',
  'user_app',
  'ledger_transaction',
  'usage_day',
  'archived_month',
  'checkout_session',
  'purchase',
  'promotion_redemption',
  'correction',
];
const nextUser = (after: string): string => {
  const firsts = USER_TABLES.map(
    (table) => `(SELECT t.user_id FROM ${table} t WHERE t.user_id > ${after} ORDER BY t.user_id LIMIT 1)`,
  );
  return `least(${firsts.join(', ')})`;
};

/** The whole history, apart from single bookings, of every user with a row in one of the tables, even if the others have none. */
export const USERS: Turn = {
  next: `WITH RECURSIVE u (id) AS (
      SELECT ${nextUser('$1::text')} UNION ALL SELECT ${nextUser('u.id')} FROM u WHERE u.id IS NOT NULL)
    SELECT id FROM u WHERE id IS NOT NULL LIMIT $2`,
  invariants: [
    POCKET_INVARIANT,
    GRANTED_INVARIANT,
    ...WALLET_INVARIANTS,
    ALLOWANCE_INVARIANT,
    LIMIT_INVARIANT,
    USAGE_DAY_INVARIANT,
    ARCHIVED_USAGE_INVARIANT,
    ...PURCHASE_INVARIANTS,
    ...BONUS_INVARIANTS,
    ...CORRECTION_INVARIANTS,
  ],
};

/** All payouts of teams, and what the teams have earned. */
export const TEAMS: Turn = {
  next: 'SELECT id FROM team WHERE id > $1 ORDER BY id LIMIT $2',
  invariants: PAYOUT_INVARIANTS,
};

const QUICK_MS = 50;
const SLOW_MS = 400;
const MOST_AT_ONCE = 1_000;
/** A snapshot of several users or teams. One alone takes as long as it needs. */
const LONGEST_SNAPSHOT_MS = SECOND_MS;

/**
 * Checks the next users or teams after an id until the time is over, and returns the last one; '' if there was time for all
 * that remained. Each is checked with as many others as keep the snapshots short.
 */
export async function checkInTurn(
  step: Step,
  turn: Turn,
  { after = '', budgetMs = Number.POSITIVE_INFINITY } = {},
): Promise<{ differences: string[]; scannedTo: string }> {
  const differences: string[] = [];
  let scannedTo = after;
  let atOnce = 1;
  for (let spentMs = 0, isLast = false; !isLast && spentMs < budgetMs; ) {
    const { ids, found, tookMs } = await checkNext(step, turn, scannedTo, atOnce);
    spentMs += tookMs;
    if (found !== null) {
      differences.push(...found);
      isLast = ids.length < atOnce;
      scannedTo = isLast ? '' : (ids.at(-1) ?? '');
    }
    if (tookMs < QUICK_MS) atOnce = Math.min(MOST_AT_ONCE, 4 * atOnce);
    if (tookMs > SLOW_MS) atOnce = Math.max(1, Math.floor(atOnce / 4));
  }
  return { differences, scannedTo };
}

/** `found` is null if a snapshot became too long. */
async function checkNext(
  step: Step,
  { next, invariants }: Turn,
  after: string,
  atOnce: number,
): Promise<{ ids: string[]; found: string[] | null; tookMs: number }> {
  let tookMs = 0;
  const timed: Step = (work) =>
    step(async (client) => {
      const begunAt = now();
      try {
        if (atOnce > 1) await client.query(`SET LOCAL statement_timeout = ${LONGEST_SNAPSHOT_MS}`);
        return await work(client);
      } finally {
        tookMs += now() - begunAt;
      }
    });
  let ids: string[] = [];
  try {
    const { rows } = await timed((client) => client.query<{ id: string }>(next, [after, atOnce]));
    ids = rows.map(({ id }) => id);
    const found: string[] = [];
    for (const invariant of ids.length > 0 ? invariants : [])
      found.push(...(await timed((client) => findDifferences(client, [invariant], [ids]))));
    return { ids, found, tookMs };
  } catch (error) {
    if (atOnce === 1 || !isTimeout(error)) throw error;
    return { ids, found: null, tookMs };
  }
}

const STATEMENT_TIMEOUT = '57014';

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === STATEMENT_TIMEOUT;

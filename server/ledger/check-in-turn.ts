import type { ClientBase } from 'pg';
import { now } from '../clock';
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

const USER_INVARIANTS = [
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
];

/** Checks the whole history of users, apart from single bookings; null means all. */
export const checkUsers = (client: ClientBase, users: string[] | null): Promise<string[]> =>
  findDifferences(client, USER_INVARIANTS, [users]);

/** Checks all payouts of teams, and what the teams have earned; null means all. */
export const checkTeams = (client: ClientBase, teams: string[] | null): Promise<string[]> =>
  findDifferences(client, PAYOUT_INVARIANTS, [teams]);

/** `next` selects ids after `$1`, at most `$2`. */
type Turn = { next: string; check: typeof checkUsers };

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

/** Every user with a row in one of the tables, even if it is missing in the others. */
export const USERS: Turn = {
  next: `WITH RECURSIVE u (id) AS (
      SELECT ${nextUser('$1::text')} UNION ALL SELECT ${nextUser('u.id')} FROM u WHERE u.id IS NOT NULL)
    SELECT id FROM u WHERE id IS NOT NULL LIMIT $2`,
  check: checkUsers,
};

export const TEAMS: Turn = {
  next: 'SELECT id FROM team WHERE id > $1 ORDER BY id LIMIT $2',
  check: checkTeams,
};

const QUICK_MS = 50;
const SLOW_MS = 400;
const MOST_AT_ONCE = 1_000;

/**
 * Checks the next users or teams after an id until the time is over, and returns the last one; '' if there was time for all
 * that remained. Each is checked in one snapshot, with as many others as keep it short.
 */
export async function checkInTurn(
  step: Step,
  { next, check }: Turn,
  { after = '', budgetMs = Number.POSITIVE_INFINITY } = {},
): Promise<{ differences: string[]; scannedTo: string }> {
  const differences: string[] = [];
  let scannedTo = after;
  let atOnce = 1;
  for (let spentMs = 0, isLast = false; !isLast && spentMs < budgetMs; ) {
    await step(async (client) => {
      const begunAt = now();
      const { rows } = await client.query<{ id: string }>(next, [scannedTo, atOnce]);
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) differences.push(...(await check(client, ids)));
      isLast = ids.length < atOnce;
      scannedTo = isLast ? '' : (ids.at(-1) ?? '');
      const tookMs = now() - begunAt;
      spentMs += tookMs;
      if (tookMs < QUICK_MS) atOnce = Math.min(MOST_AT_ONCE, 4 * atOnce);
      if (tookMs > SLOW_MS) atOnce = Math.max(1, Math.floor(atOnce / 4));
    });
  }
  return { differences, scannedTo };
}

import { onConnection, pool } from '@/server/base/db';
import { checkLedger, sweepHolds } from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { CORRECTION_INVARIANTS } from '@/server/ledger/correction-invariants';
import { findDifferences } from '@/server/ledger/differences';
import { rollUpEarnings } from '@/server/ledger/earnings';
import {
  GRANTED_INVARIANT,
  LIMIT_INVARIANT,
  POCKET_INVARIANT,
  WALLET_INVARIANTS,
} from '@/server/ledger/invariants';
import { returnIdleHolds } from '@/server/ledger/kept-holds';
import { renewLeases } from '@/server/ledger/lease';
import { PAYOUT_INVARIANTS } from '@/server/ledger/payout-invariants';
import { BONUS_INVARIANTS, PROMOTION_INVARIANTS } from '@/server/ledger/promotion-invariants';
import { randomFrom } from '../harness/random';
import { openPromotions } from './promotions';
import { Tally, total } from './tally';
import { Walker } from './walker';

/**
 * Many users at once take random steps in the ledger, each next to a model of it. The database restarts
 * while they do. After every round an instance dies with requests that it abandoned, and every pocket is
 * compared with its model.
 */

/** Settings for a walk: many requests cost more than their hold. */
export const NO_PAUSES = {
  LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY: '1000000',
  LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY: '1000000',
};

const WALKERS = 64;
const STEPS_PER_ROUND = 25;
/** A longer history would make checks and reversals slower. */
const STEPS_PER_WALKER = 250;
const ROUNDS_PER_AUDIT = 5;
const MOST_VIOLATIONS = 20;

export type WalkOptions = {
  seed: number;
  operations: number;
  /** Whether requests may cost more than their hold, as where a prompt misses a trusted cache. */
  mayOverrun?: boolean;
  /** Breaks the database and repairs it, while the walkers continue. */
  breakDatabase?: { everyOperations: number; run: (random: () => number, tally: Tally) => Promise<void> };
  onRound?: (tally: Tally) => void;
};

export async function walkLedger({
  seed,
  operations,
  mayOverrun = true,
  breakDatabase,
  onRound,
}: WalkOptions): Promise<Tally> {
  const random = randomFrom(seed);
  const fork = () => randomFrom(Math.floor(random() * 2 ** 32));
  const tally = new Tally();
  const promotions = await openPromotions();
  const open = () => Walker.open(fork(), tally, promotions, mayOverrun);
  let walkers = await openWalkers(WALKERS, open);
  let breaks = 0;
  for (let round = 1; total(tally.operations) < operations; round++) {
    if (tally.violations.length >= MOST_VIOLATIONS) break;
    const isDue = breakDatabase && total(tally.operations) >= (breaks + 1) * breakDatabase.everyOperations;
    if (isDue) breaks++;
    await Promise.all([...walkers.map(walkRound), isDue && breakDatabase.run(random, tally)]);
    await endInstance(walkers, tally);
    // No transaction is running: everything booked so far can be paid out.
    await rollUpEarnings('0 seconds');
    await compare(walkers, tally);
    if (round % ROUNDS_PER_AUDIT === 0) await audit(tally);
    walkers = await replaceTired(walkers, open, tally);
    onRound?.(tally);
  }
  await Promise.all(walkers.map((walker) => walker.finish()));
  await rollUpEarnings('0 seconds');
  await compare(walkers, tally);
  await audit(tally);
  for (const difference of (await checkLedger()).differences) tally.violation(difference);
  return tally;
}

async function openWalkers(count: number, open: () => Promise<Walker>): Promise<Walker[]> {
  const walkers: Walker[] = [];
  for (let n = 0; n < count; n++) walkers.push(await open());
  return walkers;
}

async function walkRound(walker: Walker): Promise<void> {
  for (let step = 0; step < STEPS_PER_ROUND; step++) await walker.step();
}

/** What the instance metered reached the database with the last renewal; the sweep of another captures it. */
async function endInstance(walkers: Walker[], tally: Tally): Promise<void> {
  await renewLeases();
  const dead = walkers.map((walker) => walker.die()).filter((id) => id !== null);
  if (dead.length === 0) return;
  tally.fault('an instance dies');
  await pool().query(
    "UPDATE hold SET lease_until = clock_timestamp() - interval '1 second' WHERE request_id = ANY ($1)",
    [dead],
  );
  const swept = await sweepHolds();
  if (swept !== dead.length) tally.violation(`${dead.length} requests were abandoned and ${swept} settled`);
  for (const walker of walkers) walker.noteSwept();
}

type PocketRow = {
  user_id: string;
  partner_id: string;
  own: bigint;
  own_granted: bigint;
  own_held: bigint;
  allowance_left: bigint;
};

async function compare(walkers: Walker[], tally: Tally): Promise<void> {
  await returnIdleHolds();
  const users = walkers.map(({ wallet }) => wallet.userId);
  const { rows } = await pool().query<PocketRow>(
    'SELECT user_id, partner_id, own, own_granted, own_held, allowance_left FROM user_app WHERE user_id = ANY ($1)',
    [users],
  );
  const write = (...amounts: unknown[]) => amounts.map(Number).join(' ');
  const stored = new Map(
    rows.map((row) => [
      `${row.user_id} ${row.partner_id}`,
      write(row.own, row.own_granted, row.own_held, row.allowance_left),
    ]),
  );
  for (const walker of walkers)
    for (const { partnerId, own, granted, ownHeld, allowanceLeft } of walker.pockets()) {
      const found = stored.get(`${walker.wallet.userId} ${partnerId}`);
      const expected = write(own, granted, ownHeld, allowanceLeft);
      if (found !== expected)
        tally.violation(`after ${walker.steps} steps a pocket is ${found}, and the model says ${expected}`);
    }
  await onConnection(async (client) => {
    const invariants = [
      POCKET_INVARIANT,
      GRANTED_INVARIANT,
      ...WALLET_INVARIANTS,
      LIMIT_INVARIANT,
      ...BONUS_INVARIANTS,
      ...CORRECTION_INVARIANTS,
    ];
    for (const difference of await findDifferences(client, invariants, [users])) tally.violation(difference);
    for (const difference of await findDifferences(client, PROMOTION_INVARIANTS)) tally.violation(difference);
    const teams = walkers.map(({ payouts }) => payouts.teamId);
    for (const difference of await findDifferences(client, PAYOUT_INVARIANTS, [teams]))
      tally.violation(difference);
  });
}

async function audit(tally: Tally): Promise<void> {
  tally.operation('audit');
  const found = await auditRecent(0);
  for (const difference of found?.differences ?? []) tally.violation(`audited: ${difference}`);
}

async function replaceTired(walkers: Walker[], open: () => Promise<Walker>, tally: Tally): Promise<Walker[]> {
  const next: Walker[] = [];
  const isTired = (walker: Walker) => walker.steps >= STEPS_PER_WALKER;
  const tired = walkers.filter(isTired);
  await Promise.all(tired.map((walker) => walker.finish()));
  if (tired.length > 0) await compare(tired, tally);
  for (const walker of walkers) {
    next.push(isTired(walker) ? await open() : walker);
  }
  return next;
}

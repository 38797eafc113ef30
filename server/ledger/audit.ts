import { pool } from '../base/db';
import { log } from '../base/log';
import { auditBookings } from './audit-bookings';
import { auditRecentEarnings } from './audit-earnings';
import { auditHistory } from './audit-history';
import { recordAudit } from './audit-run';
import { auditActiveUsers } from './audit-users';
import { findDifferences } from './differences';
import { PRESENT_INVARIANTS } from './invariants';
import { NEW_INVOICES_INVARIANT, OPEN_PAYMENT_INVARIANT } from './purchase-invariants';
import { type Pause, type Step, takeSteps, withoutPause } from './steps';

/** The interval of audits. */
export const AUDIT_EVERY_SECONDS = 60;
/**
 * An audit is claimed if the last one began, or an unfinished one took its last step, at least this long ago. It is
 * less than the interval, because a timer that fires a millisecond early must not wait for the next one, and enough
 * that several instances share the audits between them.
 */
const CLAIM_AFTER_SECONDS = 45;
/** A transaction may commit this long after its timestamp, so the bookings of an audit end here. */
const OVERLAP = '15 seconds';
/** Pauses take this many times as long as steps: an audit uses a fifth of a core, or half of one when it is behind. */
const PAUSES = 4;
const PAUSES_WHEN_BEHIND = 1;
const BEHIND_AFTER_SECONDS = 150;

export type Audit = { users: number; differences: string[] };

/**
 * Checks everything booked since the last audit, the affected wallets and the history of other users and of teams in turn,
 * and records the result. Each step commits how far it got, so another instance can continue. Returns null if another
 * instance has just audited, takes over, or this one stops.
 */
export async function auditRecent(
  afterSeconds = CLAIM_AFTER_SECONDS,
  pause: Pause = withoutPause,
): Promise<Audit | null> {
  const turn = await claimTurn(afterSeconds);
  if (turn === null) return null;
  try {
    return await takeTurn(turn, pause);
  } catch (error) {
    if (isOvertaken(error) || isStopped(error)) return null;
    throw error;
  }
}

/** Times are text as PostgreSQL writes them, exact to the microsecond. */
type Turn = {
  began: string;
  /** Everything booked before this is committed. */
  settled: string;
  isBehind: boolean;
};

async function claimTurn(afterSeconds: number): Promise<Turn | null> {
  const { rows } = await pool().query<Turn>(
    `UPDATE watermark SET up_to = clock_timestamp()
     WHERE name = 'audit_turn' AND up_to <= clock_timestamp() - make_interval(secs => $1)
     RETURNING up_to::text AS began, (up_to - $2::interval)::text AS settled,
       (SELECT up_to FROM watermark WHERE name = 'audit') < up_to - make_interval(secs => $3) AS "isBehind"`,
    [afterSeconds, OVERLAP, BEHIND_AFTER_SECONDS],
  );
  return rows[0] ?? null;
}

async function takeTurn({ began, settled, isBehind }: Turn, pause: Pause): Promise<Audit> {
  const step = keepTurn(takeSteps(pause, isBehind ? PAUSES_WHEN_BEHIND : PAUSES), began);
  const booked = await auditBookings(step, settled);
  // What is not added up yet would have to be read for every user.
  const active = booked.isLast ? await auditActiveUsers(step, settled) : { users: 0, differences: [] };
  const present = await step((client) =>
    findDifferences(client, [...PRESENT_INVARIANTS, OPEN_PAYMENT_INVARIANT, NEW_INVOICES_INVARIANT]),
  );
  const earned = await auditRecentEarnings(step);
  const history = await auditHistory(step, settled);
  const differences = [
    ...new Set([...booked.differences, ...active.differences, ...present, ...earned, ...history.differences]),
  ];
  await step(async (client) => {
    await recordAudit(client, { users: active.users, differences, scannedTo: history.scannedTo });
    // The next audit is due an interval after this one began, not after it ended.
    await client.query("UPDATE watermark SET up_to = $1 WHERE name = 'audit_turn'", [began]);
  });
  if (differences.length > 0) log().error({ differences }, 'the ledger has differences');
  return { users: active.users, differences };
}

/** Each step shows that this instance is still auditing, and fails if another one has taken over. */
function keepTurn(step: Step, began: string): Step {
  let lastStep = began;
  return (work) =>
    step(async (client) => {
      const { rows } = await client.query<{ at: string }>(
        `UPDATE watermark SET up_to = clock_timestamp() WHERE name = 'audit_turn' AND up_to = $1 RETURNING up_to::text AS at`,
        [lastStep],
      );
      if (rows[0] === undefined) throw new Overtaken();
      const result = await work(client);
      lastStep = rows[0].at;
      return result;
    });
}

class Overtaken extends Error {}

const SERIALIZATION_FAILURE = '40001';

/** Another instance claimed the audit before this step, or after it took its snapshot. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof Overtaken ||
  (error instanceof Error && 'code' in error && error.code === SERIALIZATION_FAILURE);

const isStopped = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

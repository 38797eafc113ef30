import { type Charge, chargeFor, type Microcredits, type Picocredits } from '../credits';
import { pool } from '../db';
import { describeError, log } from '../log';
import { type Hold, LEASE_SECONDS } from './admit';
import { settleAbandoned } from './settle';

/**
 * A hold belongs to the instance that runs its request for as long as it renews the lease. When
 * the instance dies, the sweeper of any other one takes what was metered by then, else nothing.
 */
const RENEW_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 15_000;
const SWEEP_BATCH = 200;

type Running = { hold: Hold; meter: () => Picocredits };
const running = new Map<string, Running>();

/** Keeps the lease of a running request until the returned function is called. */
export function keepLease(hold: Hold, meter: () => Picocredits): () => void {
  running.set(hold.requestId, { hold, meter });
  return () => running.delete(hold.requestId);
}

export async function renewLeases(): Promise<void> {
  if (running.size === 0) return;
  const renewals = [...running.values()].map(({ hold, meter }) => {
    const metered = chargeFor(meter(), hold.rateBp);
    return {
      user_id: hold.userId,
      request_id: hold.requestId,
      cost: metered.providerCost.toString(),
      charge: metered.charge.toString(),
    };
  });
  await pool().query('SELECT ledger_renew($1::json, $2::interval)', [JSON.stringify(renewals), `${LEASE_SECONDS} seconds`]);
}

/** Resolves holds whose lease ran out. Returns how many. */
export async function sweepHolds(): Promise<number> {
  let resolved = 0;
  for (;;) {
    const { rows } = await pool().query<{ user_id: string; request_id: string; cost: bigint; charge: bigint }>(
      'SELECT * FROM ledger_abandoned($1)',
      [SWEEP_BATCH],
    );
    const settled = await Promise.all(
      rows.map((row) => settleAbandoned({ userId: row.user_id, requestId: row.request_id }, meteredCharge(row))),
    );
    resolved += settled.filter((outcome) => outcome !== null).length;
    if (rows.length === 0) return resolved;
  }
}

function meteredCharge(row: { cost: bigint; charge: bigint }): Charge {
  return {
    charge: row.charge as Microcredits,
    providerCost: row.cost as Microcredits,
    partnerShare: (row.charge - row.cost) as Microcredits,
  };
}

/** Renews and sweeps for as long as the process lives. Returns the function that stops it. */
export function startLeaseKeeper(): () => void {
  const timers = [every(RENEW_EVERY_MS, renewLeases), every(SWEEP_EVERY_MS, sweepHolds)];
  return () => timers.forEach(clearInterval);
}

function every(periodMs: number, work: () => Promise<unknown>): NodeJS.Timeout {
  const timer = setInterval(() => {
    work().catch((error: unknown) => log().error({ error: describeError(error) }, 'lease keeper failed'));
  }, periodMs);
  return timer.unref();
}

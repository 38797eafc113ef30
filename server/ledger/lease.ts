import type pg from 'pg';
import type { Charge, Microcredits } from '../base/credits';
import { inSlowTransaction, pool } from '../base/db';
import type { Hold } from './admission';
import { LEASE_SECONDS, settleIn } from './batch';
import { isUsing } from './kept-holds';
import { recordLoss } from './losses';
import { noteBooked } from './note-booked';
import { freePocket } from './settle';
import { type Metered, type Receipt, type ReceiptAttempt, writeReceipt } from './settlement';

/**
 * A hold belongs to the instance that runs its request, as long as that instance renews the lease. If the
 * instance dies, the sweeper of another one captures what was metered until then, or releases the hold.
 */
const SWEEP_BATCH = 200;

type Running = { hold: Hold; meter: () => Metered };
const running = new Map<string, Running>();

/** Keeps the lease of a running request until the returned function is called. */
export function keepLease(hold: Hold, meter: () => Metered): () => void {
  running.set(hold.requestId, { hold, meter });
  return () => running.delete(hold.requestId);
}

/** The requests of a user that run in this process. */
export function countRunning(userId: string): number {
  let count = 0;
  for (const { hold } of running.values()) if (hold.userId === userId) count++;
  return count;
}

export async function renewLeases(): Promise<void> {
  // A kept hold may have passed to another request.
  const own = [...running.values()].filter(({ hold }) => hold.kept === undefined || isUsing(hold));
  if (own.length === 0) return;
  const renewals = own.map(({ hold, meter }) => {
    if (hold.kept !== undefined) hold.kept.isMetered = true;
    const { charge, receipt } = meter();
    return {
      user_id: hold.userId,
      request_id: hold.requestId,
      hold_id: holdIdOf(hold),
      held: hold.amount.toString(),
      cost: charge.providerCost.toString(),
      charge: charge.charge.toString(),
      ...(receipt && { receipt: writeReceipt(receipt) }),
    };
  });
  await pool().query('SELECT ledger_renew($1::json, $2::interval)', [
    JSON.stringify(renewals),
    `${LEASE_SECONDS} seconds`,
  ]);
}

/** Settles holds whose lease expired, except those that this instance uses: `own`. Returns how many. */
export async function sweepHolds(own = ownHolds()): Promise<number> {
  let resolved = 0;
  for (;;) {
    const { rows } = await pool().query<{ user_id: string; hold_id: string }>(
      'SELECT * FROM ledger_abandoned($1, $2)',
      [SWEEP_BATCH, own],
    );
    const settled = await Promise.all(rows.map((row) => settleAbandoned(row.user_id, row.hold_id)));
    resolved += settled.filter(Boolean).length;
    if (rows.length === 0) return resolved;
  }
}

/** After a pause of the process, their leases have expired, but their requests run. */
const ownHolds = (): string[] => [...running.values()].map(({ hold }) => holdIdOf(hold));

const holdIdOf = ({ kept, requestId }: Hold): string => kept?.id ?? requestId;

type AbandonedRow = {
  request_id: string | null;
  partner_id: string;
  amount: Microcredits;
  rate_bp: number;
  held: Microcredits | null;
  cost: bigint;
  charge: bigint;
  receipt: ReceiptColumns | null;
};

/**
 * Settles an abandoned hold with the last usage that its instance metered, unless the request was settled before: then
 * the hold was kept, and only that is released. What the provider may have billed since is recorded as a loss. Returns
 * false if the lease was renewed in the meantime.
 */
async function settleAbandoned(userId: string, holdId: string): Promise<boolean> {
  await freePocket(userId);
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '5s' }, async (client) => {
    const row = await lockAbandoned(client, userId, holdId);
    if (row === null) return false;
    const { request_id: requestId, partner_id: partnerId, held } = row;
    const metered = readMetered(row);
    const isMetered = requestId !== null && metered.charge.charge > 0n;
    if (isMetered) {
      const settlement = { userId, holdId, requestId, ...(held !== null && { held }), ...metered };
      const booked = await settleIn(client, settlement);
      if (booked !== null) noteBooked(settlement, booked);
    }
    await settleIn(client, { userId, requestId: '', holdId });
    const cost = mostUnbilled(row, isMetered ? metered.charge.providerCost : 0n);
    const { model = null, provider = null } = row.receipt ?? {};
    const loss = { call: 0, model, provider, reason: 'instance_died', cost, isEstimated: true } as const;
    if (cost > 0n) await recordLoss({ userId, requestId: requestId ?? holdId, partnerId }, loss, client);
    return true;
  });
}

/** Locks the wallet first, as every settlement does. A renewal waits for the lock, and then finds no hold. */
async function lockAbandoned(
  client: pg.PoolClient,
  userId: string,
  holdId: string,
): Promise<AbandonedRow | null> {
  await client.query('SELECT FROM wallet WHERE user_id = $1 FOR UPDATE', [userId]);
  const { rows } = await client.query<AbandonedRow>(
    `SELECT metered_request AS request_id, partner_id, amount, rate_bp, metered_held AS held, metered_cost AS cost,
       metered_charge AS charge, metered_receipt AS receipt
     FROM hold WHERE user_id = $1 AND request_id = $2 AND lease_until < clock_timestamp() FOR UPDATE`,
    [userId, holdId],
  );
  return rows[0] ?? null;
}

/** A request costs at most its hold less the commission. */
function mostUnbilled({ amount, rate_bp: rateBp, held }: AbandonedRow, booked: bigint): Microcredits {
  const mostCost = ((held ?? amount) * 10_000n) / BigInt(10_000 + rateBp);
  return (mostCost > booked ? mostCost - booked : 0n) as Microcredits;
}

type ReceiptColumns = Record<'model' | 'provider' | 'price_version', string> &
  Record<
    | 'input_tokens'
    | 'cache_read_tokens'
    | 'cache_write_tokens'
    | 'cache_write_1h_tokens'
    | 'output_tokens'
    | 'reasoning_tokens',
    number
  > & {
    web_searches: number | null;
    input_units?: number | null;
    output_units?: number | null;
    cost_reported: boolean;
    attempts?: ReceiptAttempt[] | null;
    data_rules?: number | null;
  };

function readMetered({ cost, charge, receipt }: Pick<AbandonedRow, 'cost' | 'charge' | 'receipt'>): Metered {
  const metered: Charge = {
    charge: charge as Microcredits,
    providerCost: cost as Microcredits,
    partnerShare: (charge - cost) as Microcredits,
  };
  return { charge: metered, ...(receipt && { receipt: readReceipt(receipt) }) };
}

/** The usage metered before the instance died. It is an estimate, because the response was interrupted. */
function readReceipt(columns: ReceiptColumns): Receipt {
  return {
    model: columns.model,
    provider: columns.provider,
    priceVersion: columns.price_version,
    inputTokens: columns.input_tokens,
    cacheReadTokens: columns.cache_read_tokens,
    cacheWriteTokens: columns.cache_write_tokens,
    cacheWrite1hTokens: columns.cache_write_1h_tokens,
    outputTokens: columns.output_tokens,
    reasoningTokens: columns.reasoning_tokens,
    webSearches: columns.web_searches,
    inputUnits: columns.input_units ?? null,
    outputUnits: columns.output_units ?? null,
    estimated: true,
    costReported: columns.cost_reported,
    outcome: 'failed',
    attempts: columns.attempts ?? null,
    dataRules: columns.data_rules ?? null,
  };
}

import type { Charge, Microcredits } from '../credits';
import { pool } from '../db';
import type { Hold } from './admission';
import { LEASE_SECONDS } from './batch';
import { isUsing } from './kept-holds';
import { settleAbandoned } from './settle';
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
      hold_id: hold.kept?.id ?? hold.requestId,
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

type AbandonedRow = {
  user_id: string;
  hold_id: string;
  request_id: string | null;
  held: Microcredits | null;
  cost: bigint;
  charge: bigint;
  receipt: ReceiptColumns | null;
};

/** Settles holds whose lease expired. Returns how many. */
export async function sweepHolds(): Promise<number> {
  let resolved = 0;
  for (;;) {
    const { rows } = await pool().query<AbandonedRow>('SELECT * FROM ledger_abandoned($1)', [SWEEP_BATCH]);
    const settled = await Promise.all(
      rows.map(({ user_id: userId, hold_id: holdId, request_id: requestId, held, ...row }) =>
        settleAbandoned({ userId, holdId, requestId, held }, readMetered(row)),
      ),
    );
    resolved += settled.filter(Boolean).length;
    if (rows.length === 0) return resolved;
  }
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
  > & { web_searches: number | null; cost_reported: boolean; attempts?: ReceiptAttempt[] | null };

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
    estimated: true,
    costReported: columns.cost_reported,
    outcome: 'failed',
    attempts: columns.attempts ?? null,
  };
}

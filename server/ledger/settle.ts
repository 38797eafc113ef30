import type { Charge, Microcredits } from '../credits';
import { pool } from '../db';
import { describeError, log } from '../log';
import type { Hold } from './admit';
import { createBatcher } from './batcher';

/** The facts of a request that its receipt keeps. */
export type Receipt = {
  model: string;
  provider: string;
  priceVersion: string;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** True when the provider reported no usage and tokens were estimated. */
  estimated: boolean;
  outcome: 'completed' | 'failed' | 'aborted';
};

export type Settled = {
  /** What was taken from the user: the charge, at most the hold. */
  captured: Microcredits;
  /** What the app can spend after it. */
  balance: Microcredits;
};

type HoldRef = Pick<Hold, 'userId' | 'requestId'>;
type Settlement = HoldRef & { state: 'captured' | 'voided' | 'expired'; charge?: Charge; receipt?: Receipt };

const batcher = createBatcher<Settlement, Settled | null>({
  run: runSettlements,
  keyOf: (settlement) => settlement.userId,
});

const RETRY_FIRST_MS = 50;
const RETRY_LONGEST_MS = 5_000;

/**
 * Takes the charge from the user, at most what was held, and frees the rest. Admission may fail,
 * settlement may not: it tries until it lands. Null when the hold was resolved before.
 */
export function capture(hold: HoldRef, charge: Charge, receipt: Receipt): Promise<Settled | null> {
  return settleUntilDone({ ...pickRef(hold), state: 'captured', charge, receipt });
}

/** Frees the whole hold: nothing was produced, nothing is owed. */
export async function release(hold: HoldRef): Promise<void> {
  await settleUntilDone({ ...pickRef(hold), state: 'voided' });
}

/** Resolves an abandoned hold with what its instance last said was metered. */
export function settleAbandoned(hold: HoldRef, metered: Charge): Promise<Settled | null> {
  const owed = metered.charge > 0n;
  return batcher.submit({ ...pickRef(hold), state: owed ? 'captured' : 'expired', ...(owed && { charge: metered }) });
}

const pickRef = ({ userId, requestId }: HoldRef): HoldRef => ({ userId, requestId });

async function settleUntilDone(settlement: Settlement): Promise<Settled | null> {
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_LONGEST_MS)) {
    try {
      return await batcher.submit(settlement);
    } catch (error) {
      log().error({ requestId: settlement.requestId, error: describeError(error) }, 'settlement failed, trying again');
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

async function runSettlements(settlements: Settlement[]): Promise<(Settled | null)[]> {
  const { rows } = await pool().query<{ n: number; captured: bigint; balance: bigint }>({
    name: 'ledger_settle',
    text: 'SELECT * FROM ledger_settle($1::json)',
    values: [JSON.stringify(settlements.map(toWire))],
  });
  const results: (Settled | null)[] = settlements.map(() => null);
  for (const row of rows) {
    results[row.n] = { captured: row.captured as Microcredits, balance: row.balance as Microcredits };
  }
  return results;
}

function toWire(settlement: Settlement, n: number): object {
  const { receipt, charge } = settlement;
  return {
    n,
    user_id: settlement.userId,
    request_id: settlement.requestId,
    state: settlement.state,
    ...(charge && { cost: charge.providerCost.toString(), charge: charge.charge.toString() }),
    ...(receipt && {
      model: receipt.model,
      provider: receipt.provider,
      price_version: receipt.priceVersion,
      input_tokens: receipt.inputTokens,
      cache_read_tokens: receipt.cacheReadTokens,
      cache_write_tokens: receipt.cacheWriteTokens,
      output_tokens: receipt.outputTokens,
      reasoning_tokens: receipt.reasoningTokens,
      estimated: receipt.estimated,
      outcome: receipt.outcome,
    }),
  };
}

/** Settlements that have not landed yet. */
export const pendingSettlements = (): number => batcher.pending();

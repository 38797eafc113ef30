import type { Charge, Microcredits } from '../base/credits';
import type { RuleSet } from '../base/data-rules';
import type { Hold } from './admission';

/** One call to a provider on behalf of a request, as it is stored. */
export type ReceiptAttempt = {
  provider: string;
  /** The catalogue's id of the model. */
  model: string;
  /** ISO 8601, in UTC. */
  at: string;
  /**
   * `refused`: the provider refused the content. `failed`: it responded with another error. `no_response`: it could not
   * be reached, or did not respond in time. `interrupted`: the call ended first, because the client disconnected or the
   * instance stopped.
   */
  outcome: 'responded' | 'refused' | 'failed' | 'no_response' | 'interrupted';
};

/** The contents of a receipt. */
export type Receipt = {
  model: string;
  provider: string;
  priceVersion: string;
  inputTokens: number;
  cacheReadTokens: number;
  /** Written to the five-minute cache. */
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Web searches that the provider ran; null without any. */
  webSearches: number | null;
  /** What the price counts besides text tokens; null without any. */
  inputUnits: number | null;
  outputUnits: number | null;
  /** True if the provider reported no usage and the tokens were estimated. */
  estimated: boolean;
  /** True if the provider reported the cost; otherwise it follows from the tokens and the price version. */
  costReported: boolean;
  /** `refused`: the provider refused the content and billed for that. */
  outcome: 'completed' | 'failed' | 'aborted' | 'refused';
  /** In order; null if only the provider of the requested model was called, once. */
  attempts: readonly ReceiptAttempt[] | null;
  /** The data rules that were in force; null for none. */
  dataRules: RuleSet | null;
};

/** The cost of a running request so far. */
export type Metered = { charge: Charge; receipt?: Receipt };

export type HoldRef = Pick<Hold, 'userId' | 'requestId' | 'partnerId' | 'amount' | 'kept'>;

/** The transaction of a request has its id, with another prefix. */
export const transactionIdOf = (requestId: string): string => requestId.replace(/^req_/, 'txn_');

/** Without a charge the whole hold is released. */
export type Settlement = Pick<Hold, 'userId' | 'requestId'> &
  Partial<Metered> & {
    /** The request that made the hold, if that is another one: the hold was kept. */
    holdId?: string;
    /** The part of a kept hold that the request may take. Without it, all of the hold, which then ends. */
    held?: Microcredits;
  };

/** A row of `ledger_batch` for a settlement; a hold that was released before has none. */
export type SettlementRow = {
  outcome: 'settled';
  amount: bigint;
  balance: bigint;
  /** Whom the overruns with this one paused: `user`, `app` or `user and app`. */
  pauses: string | null;
  /** Whether the hold remains, for the next request. */
  kept: boolean;
};

/** One in a kept hold that covers it: it writes rows of its own user only. */
export const isPlain = ({ held, charge }: Settlement): boolean =>
  held !== undefined && charge !== undefined && charge.providerCost <= held;

/** The columns of a settlement that `ledger_batch` takes, in the order of its parameters. */
export const SETTLEMENT_COLUMNS: ((settlement: Settlement) => unknown)[] = [
  ({ userId }) => userId,
  ({ requestId }) => requestId,
  ({ requestId, holdId }) => holdId ?? requestId,
  ({ held }) => held,
  ({ charge }) => charge?.providerCost,
  ({ charge }) => charge?.charge,
  ({ receipt }) => receipt?.model,
  ({ receipt }) => receipt?.provider,
  ({ receipt }) => receipt?.priceVersion,
  ({ receipt }) => receipt?.inputTokens,
  ({ receipt }) => receipt?.cacheReadTokens,
  ({ receipt }) => receipt?.cacheWriteTokens,
  ({ receipt }) => receipt?.cacheWrite1hTokens,
  ({ receipt }) => receipt?.outputTokens,
  ({ receipt }) => receipt?.reasoningTokens,
  ({ receipt }) => receipt?.webSearches,
  ({ receipt }) => receipt?.inputUnits,
  ({ receipt }) => receipt?.outputUnits,
  ({ receipt }) => receipt?.estimated,
  ({ receipt }) => receipt?.costReported,
  ({ receipt }) => receipt?.outcome,
  ({ receipt }) => (receipt?.attempts ? JSON.stringify(receipt.attempts) : null),
  ({ receipt }) => receipt?.dataRules,
];

/** The receipt with the column names of the database. */
export function writeReceipt(receipt: Receipt): object {
  return {
    model: receipt.model,
    provider: receipt.provider,
    price_version: receipt.priceVersion,
    input_tokens: receipt.inputTokens,
    cache_read_tokens: receipt.cacheReadTokens,
    cache_write_tokens: receipt.cacheWriteTokens,
    cache_write_1h_tokens: receipt.cacheWrite1hTokens,
    output_tokens: receipt.outputTokens,
    reasoning_tokens: receipt.reasoningTokens,
    web_searches: receipt.webSearches,
    input_units: receipt.inputUnits,
    output_units: receipt.outputUnits,
    estimated: receipt.estimated,
    cost_reported: receipt.costReported,
    outcome: receipt.outcome,
    attempts: receipt.attempts,
    data_rules: receipt.dataRules,
  };
}

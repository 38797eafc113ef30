import { nowDate } from '../../../base/clock';
import { chargeFor, type Picocredits } from '../../../base/credits';
import { invariant } from '../../../base/errors';
import { generations } from '../../../base/measures';
import { type JobEnd, type Loss, type LossReason, type Receipt, settleJob } from '../../../ledger';
import { keepUnanswered } from '../../counts/unanswered-requests';
import { costOf, type ModelPrices } from '../../pricing/cost';
import { findPrices } from '../../pricing/price-history';
import { NO_TOKENS, type TokenUsage } from '../../protocols/neutral';
import { type Ended, endJobRow, type JobRow, type Line, requestIdOf } from './job-store';
import type { Result } from './read-results';

/** The sum of the lines of a batch. */

/** More than any batch has: the ledger can store little more. What exceeds it is a loss. */
const MAX_SUM = 2_000_000_000;

export type Tally = {
  /** Whether each line was counted. */
  counted: Uint8Array;
  completed: number;
  failed: number;
  usage: TokenUsage;
  estimated: boolean;
  lost: Picocredits;
};

export const newTally = ({ line_count }: JobRow): Tally => ({
  counted: new Uint8Array(line_count),
  completed: 0,
  failed: 0,
  usage: NO_TOKENS,
  estimated: false,
  lost: 0n as Picocredits,
});

/** Counts a line once, whatever comes of it again. Returns whether this was the first time. */
export function countLine(tally: Tally, { index, metered, lost }: Result, prices: ModelPrices): boolean {
  if (tally.counted[index] !== 0) return false;
  tally.counted[index] = 1;
  if (metered === null) tally.failed++;
  else tally.completed++;
  tally.lost = (tally.lost + lost) as Picocredits;
  if (metered === null) return true;
  const sum = addUsage(tally.usage, metered.usage);
  if (Object.values(sum).some((count) => count > MAX_SUM))
    tally.lost = (tally.lost + costOf(metered.usage, prices)) as Picocredits;
  else {
    tally.usage = sum;
    tally.estimated ||= metered.estimated;
  }
  return true;
}

/** What the price of a batch counts. */
const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  input: one.input + other.input,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite5m: one.cacheWrite5m + other.cacheWrite5m,
  cacheWrite1h: one.cacheWrite1h + other.cacheWrite1h,
  output: one.output + other.output,
  reasoning: one.reasoning + other.reasoning,
});

/** Of lines that the provider counts as completed, and whose results it does not show. */
export function addUnseen(tally: Tally, completed: number, lines: readonly Line[]): void {
  if (completed <= tally.completed) return;
  for (const [index, { most }] of lines.entries())
    if (tally.counted[index] === 0) tally.lost = (tally.lost + most) as Picocredits;
}

const SWEPT = 'The batch was not complete in time.';

/** Ends a batch with what its lines cost, once: of several calls, on any instance, the first counts. */
export async function endWithResults(
  job: JobRow,
  tally: Tally,
  ended: Pick<Ended, 'state' | 'output_id' | 'output_bytes' | 'error_id' | 'error_bytes'>,
): Promise<void> {
  const prices = await findPrices(job.price_version);
  invariant(prices, 'the prices of a job are stored');
  const cost = costOf(tally.usage, { ...prices, automaticCacheWrites: false });
  const loss = toLoss(job, tally.lost, 'failed_response');
  const charge = chargeFor(cost, job.rate_bp);
  const how: JobEnd =
    cost > 0n ? { metered: { charge, receipt: writeReceipt(job, tally, ended) }, loss } : { loss };
  const { completed, failed } = tally;
  await end(job, how, { ...ended, completed, failed, error_message: null });
}

/** Ends a batch that has no results. `loss`: why the provider may bill it all the same, at most what was held. */
export async function endWithoutResults(
  job: JobRow,
  { message, loss }: { message: string; loss: LossReason | null },
): Promise<void> {
  const exact = (job.most_cost * 1_000_000n) as Picocredits;
  await end(job, { loss: loss === null ? null : toLoss(job, exact, loss) }, failedWith(message));
}

const failedWith = (message: string): Ended => ({
  state: 'failed',
  completed: 0,
  failed: 0,
  error_message: message,
  output_id: null,
  output_bytes: 0,
  error_id: null,
  error_bytes: 0,
});

async function end(job: JobRow, how: JobEnd, ended: Ended): Promise<void> {
  const { id, user_id: userId, partner_id: partnerId, model } = job;
  const requestId = requestIdOf(id);
  const paid = await settleJob({ userId, partnerId, requestId }, how, (client, isHeld) =>
    endJobRow(client, id, isHeld ? ended : failedWith(SWEPT)),
  );
  if (paid === null) return;
  generations.add('metered' in how ? how.metered.receipt.outcome : 'failed');
  if ('metered' in how) return;
  // It has no receipt, but its provider may have read it.
  const at = nowDate();
  const provider = providerOf(model);
  const attempt = { provider, model, at: at.toISOString(), outcome: 'failed' } as const;
  keepUnanswered({ userId, requestId, partnerId, model, attempts: [attempt], at });
}

const providerOf = (model: string): string => model.slice(0, model.indexOf('/'));

function toLoss({ model }: JobRow, exact: Picocredits, reason: LossReason): Loss | null {
  const cost = chargeFor(exact, 0).providerCost;
  if (cost === 0n) return null;
  return { call: 1, model, provider: providerOf(model), reason, cost, isEstimated: true };
}

function writeReceipt(
  { model, price_version: priceVersion, data_rules: dataRules }: JobRow,
  { usage, estimated }: Tally,
  { state }: Pick<Ended, 'state'>,
): Receipt {
  return {
    model,
    provider: providerOf(model),
    priceVersion,
    inputTokens: usage.input,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite5m,
    cacheWrite1hTokens: usage.cacheWrite1h,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    webSearches: null,
    inputUnits: null,
    outputUnits: null,
    estimated,
    costReported: false,
    outcome: state === 'completed' ? 'completed' : 'aborted',
    attempts: null,
    dataRules,
  };
}

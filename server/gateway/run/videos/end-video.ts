import { nowDate } from '../../../base/clock';
import { chargeFor, type Picocredits } from '../../../base/credits';
import { invariant } from '../../../base/errors';
import { generations } from '../../../base/measures';
import { type JobEnd, type LossReason, type Receipt, settleJob } from '../../../ledger';
import { keepUnanswered } from '../../counts/unanswered-requests';
import { costOf } from '../../pricing/cost';
import { findPrices } from '../../pricing/price-history';
import { NO_TOKENS, type TokenUsage, writeUnits } from '../../protocols/neutral';
import { videoUnits } from '../../protocols/videos/protocol';
import type { VideoReport } from '../../providers/videos/video-api';
import { endJobRow, type JobError, type JobRow, requestIdOf } from './job-store';

export type VideoEnd =
  | ({ url: string } & VideoReport)
  /** `loss`: why the provider may bill it all the same, which is what it reports, or the most. */
  | ({ error: JobError; loss: LossReason | null } & Partial<VideoReport>)
  /** The provider bills for the refusal of the content, which the user pays. */
  | { error: JobError; fee: Picocredits };

const SWEPT: JobError = { code: 'upstream_error', message: 'The video was not complete in time.' };

/** Ends a job and settles its hold, once: of several calls, on any instance, the first counts. */
export async function endVideo(job: JobRow, end: VideoEnd): Promise<void> {
  const { id, user_id: userId, partner_id: partnerId } = job;
  const settlement = await settle(job, end);
  const ended = 'url' in end ? { url: end.url, error: null } : { url: null, error: end.error };
  const request = { userId, partnerId, requestId: requestIdOf(id) };
  const paid = await settleJob(request, settlement, (client, isHeld) =>
    endJobRow(client, id, isHeld ? ended : { url: null, error: SWEPT }),
  );
  if (paid === null) return;
  generations.add('metered' in settlement ? settlement.metered.receipt.outcome : 'failed');
  if (!('metered' in settlement)) noteUnanswered(job);
}

/** It has no receipt, but its provider may have read it. */
function noteUnanswered({ id, user_id: userId, partner_id: partnerId, model }: JobRow): void {
  const at = nowDate();
  const attempt = { provider: providerOf(model), model, at: at.toISOString(), outcome: 'failed' } as const;
  keepUnanswered({ userId, requestId: requestIdOf(id), partnerId, model, attempts: [attempt], at });
}

async function settle(job: JobRow, end: VideoEnd): Promise<JobEnd> {
  if ('fee' in end) return { metered: meterJob(job, NO_TOKENS, end.fee, 'refused') };
  const found = await findPrices(job.price_version);
  invariant(found, 'the prices of a job are stored');
  const prices = { ...found, automaticCacheWrites: false };
  if (!('url' in end)) {
    const { loss, cost = null, usage } = end;
    return { loss: toLoss(job, loss, cost ?? (usage ? costOf(usage, prices) : null)) };
  }
  const made = { seconds: end.seconds ?? job.seconds, images: job.input_images };
  const usage = end.usage ?? { ...NO_TOKENS, ...writeUnits(videoUnits(made, prices)) };
  const { charge, receipt } = meterJob(job, usage, end.cost ?? costOf(usage, prices), 'completed');
  const estimated = end.cost === null && end.usage === null && end.seconds === null;
  return { metered: { charge, receipt: { ...receipt, estimated, costReported: end.cost !== null } } };
}

function meterJob(
  { model, price_version: priceVersion, rate_bp: rateBp, data_rules: dataRules }: JobRow,
  usage: TokenUsage,
  cost: Picocredits,
  outcome: Receipt['outcome'],
): Extract<JobEnd, { metered: unknown }>['metered'] {
  const receipt: Receipt = {
    model,
    provider: providerOf(model),
    priceVersion,
    inputTokens: usage.input,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    webSearches: null,
    inputUnits: usage.inputUnits ?? null,
    outputUnits: usage.outputUnits ?? null,
    estimated: false,
    costReported: true,
    outcome,
    attempts: null,
    dataRules,
  };
  return { charge: chargeFor(cost, rateBp), receipt };
}

const providerOf = (model: string): string => model.slice(0, model.indexOf('/'));

function toLoss(
  { model, most_cost: mostCost }: JobRow,
  reason: LossReason | null,
  cost: Picocredits | null,
): Extract<JobEnd, { loss: unknown }>['loss'] {
  const lost = cost === null ? mostCost : chargeFor(cost, 0).providerCost;
  if (reason === null || lost === 0n) return null;
  return { call: 1, model, provider: providerOf(model), reason, cost: lost, isEstimated: cost === null };
}

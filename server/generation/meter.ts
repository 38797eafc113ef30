import { type Charge, chargeFor } from '../credits';
import type { Hold, Receipt } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import { costOf } from '../pricing/cost';
import { likelyInputTokens, likelyOutputTokens } from '../protocols/chat/measure';
import type { ChatRequest } from '../protocols/chat/schema';
import type { TokenUsage } from '../protocols/neutral';

export type Metered = { usage: TokenUsage; estimated: boolean };

/** Reported usage where there is one that can be true, else an estimate from the bytes seen. */
export function meter(reported: TokenUsage | null, body: ChatRequest, outputBytes: number): Metered {
  const silent = reported === null || (reported.output === 0 && outputBytes > 0);
  return silent
    ? { usage: estimateUsage(body, outputBytes), estimated: true }
    : { usage: reported, estimated: false };
}

export function estimateUsage(body: ChatRequest, outputBytes: number): TokenUsage {
  return {
    input: likelyInputTokens(body),
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: likelyOutputTokens(outputBytes),
    reasoning: 0,
  };
}

export function chargeMetered({ usage }: Metered, model: CatalogModel, hold: Hold): Charge {
  return chargeFor(costOf(usage, model.prices), hold.rateBp);
}

export function writeReceipt(
  { usage, estimated }: Metered,
  model: CatalogModel,
  outcome: Receipt['outcome'],
): Receipt {
  return {
    model: model.id,
    provider: model.provider,
    priceVersion: model.priceVersion,
    inputTokens: usage.input,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite5m,
    cacheWrite1hTokens: usage.cacheWrite1h,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    estimated,
    outcome,
  };
}

import { type Charge, chargeFor, type Picocredits } from '../credits';
import type { Hold, Receipt } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import { costOf } from '../pricing/cost';
import { likelyOutputTokens, type TokenKind } from '../protocols/measure-size';
import type { TokenUsage } from '../protocols/neutral';

/** What an answer took, as far as its provider told. */
export type Report = { usage: TokenUsage | null; providerCost: Picocredits | null; outputBytes: number };

export type Metered = {
  usage: TokenUsage;
  /** The true cost, where the provider reports it; else it follows from the tokens. */
  providerCost: Picocredits | null;
  estimated: boolean;
};

export type Estimator = { likelyInputTokens: number; kind: TokenKind };

/** Reported usage where there is one that can be true, else an estimate from the bytes seen. */
export function meter({ usage, providerCost, outputBytes }: Report, estimator: Estimator): Metered {
  const silent = usage === null || (usage.output === 0 && outputBytes > 0);
  return silent
    ? { usage: estimateUsage(estimator, outputBytes), providerCost: null, estimated: true }
    : { usage, providerCost, estimated: false };
}

function estimateUsage({ likelyInputTokens, kind }: Estimator, outputBytes: number): TokenUsage {
  return {
    input: likelyInputTokens,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: likelyOutputTokens(outputBytes, kind),
    reasoning: 0,
  };
}

export function chargeMetered({ usage, providerCost }: Metered, model: CatalogModel, hold: Hold): Charge {
  return chargeFor(providerCost ?? costOf(usage, model.prices), hold.rateBp);
}

/** `served` is the candidate that answered: it names the provider and the prices. */
export function writeReceipt(
  { usage, estimated }: Metered,
  { asked, served, outcome }: { asked: CatalogModel; served: CatalogModel; outcome: Receipt['outcome'] },
): Receipt {
  return {
    model: asked.id,
    provider: served.provider,
    priceVersion: served.priceVersion,
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

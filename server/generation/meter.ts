import { type Charge, chargeFor, type Picocredits } from '../credits';
import type { Hold, Receipt } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import { costOf } from '../pricing/cost';
import type { TokenUsage } from '../protocols/neutral';
import { meteredUsage } from '../providers/metered-usage';
import type { Estimate } from './likely-usage';

/** What an answer took, as far as its provider told. */
export type Report = {
  usage: TokenUsage | null;
  outputReported?: boolean;
  providerCost: Picocredits | null;
  outputBytes: number;
};

export type Metered = {
  usage: TokenUsage;
  /** The true cost, where the provider reports it; else it follows from the tokens. */
  providerCost: Picocredits | null;
  estimated: boolean;
};

/** Reported usage where it can be true, else an estimate. */
export function meter(report: Report, estimate: Estimate): Metered {
  const { usage, estimated } = meteredUsage(report, () => estimate(report.outputBytes));
  return { usage, estimated, providerCost: estimated ? null : report.providerCost };
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

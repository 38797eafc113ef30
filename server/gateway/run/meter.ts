import { now } from '../../base/clock';
import { type Charge, chargeFor, type Picocredits } from '../../base/credits';
import { NO_RULES, type RuleSet } from '../../base/data-rules';
import type { Hold, Receipt, ReceiptAttempt } from '../../ledger';
import { type CatalogModel, pricesAt } from '../pricing/catalog';
import { costOf } from '../pricing/cost';
import type { TokenUsage } from '../protocols/neutral';
import { meteredUsage } from '../providers/metered-usage';
import { type Estimate, UNINTERRUPTED } from './likely-usage';
import type { NotedAttempt } from './run';

/** The usage of a response, as far as its provider reports it. */
export type Report = {
  usage: TokenUsage | null;
  inputReported?: boolean;
  outputReported?: boolean;
  providerCost: Picocredits | null;
  outputBytes: number;
};

export type Metered = {
  usage: TokenUsage;
  /** The actual cost, where the provider reports it; otherwise computed from the tokens. */
  providerCost: Picocredits | null;
  estimated: boolean;
  /** Where prices change by the hour, that of the end of the response counts, as for the provider. */
  endedAtMs: number;
};

/** Returns the reported usage if it is plausible, otherwise an estimate. */
export function meter(report: Report, estimate: Estimate, interrupted = UNINTERRUPTED): Metered {
  const { unseenMs, isWhole } = interrupted;
  const { usage, estimated } = meteredUsage(
    report,
    (isHidden) => estimate(report.outputBytes, isWhole && !isHidden ? UNINTERRUPTED : interrupted),
    isWhole ? 0 : unseenMs,
  );
  return { usage, estimated, providerCost: estimated ? null : report.providerCost, endedAtMs: now() };
}

export function chargeMetered(
  { usage, providerCost, endedAtMs }: Metered,
  model: CatalogModel,
  hold: Hold,
): Charge {
  return chargeFor(providerCost ?? costOf(usage, pricesAt(model, endedAtMs).prices), hold.rateBp);
}

/** `served` is the model that responded; the receipt names its provider and prices. */
export function writeReceipt(
  { usage, estimated, providerCost, endedAtMs }: Metered,
  {
    requested,
    served,
    attempts,
    outcome,
    dataRules,
  }: {
    requested: CatalogModel;
    served: CatalogModel;
    attempts: readonly NotedAttempt[];
    outcome: Receipt['outcome'];
    dataRules: RuleSet;
  },
): Receipt {
  return {
    model: requested.id,
    provider: served.provider,
    priceVersion: pricesAt(served, endedAtMs).priceVersion,
    inputTokens: usage.input,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite5m,
    cacheWrite1hTokens: usage.cacheWrite1h,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    webSearches: usage.searches ?? null,
    inputUnits: usage.inputUnits ?? null,
    outputUnits: usage.outputUnits ?? null,
    estimated,
    costReported: providerCost !== null,
    outcome,
    attempts: saysMore(attempts, requested) ? writeAttempts(attempts) : null,
    dataRules: dataRules === NO_RULES ? null : dataRules,
  };
}

/** A single call to the provider of the requested model is on the receipt anyway. */
function saysMore([first, ...others]: readonly NotedAttempt[], { provider }: CatalogModel): boolean {
  return first !== undefined && (others.length > 0 || first.model.provider !== provider);
}

export function writeAttempts(attempts: readonly NotedAttempt[]): ReceiptAttempt[] {
  return attempts.map(({ model, atMs, outcome }) => ({
    provider: model.provider,
    model: model.id,
    at: new Date(atMs).toISOString(),
    outcome,
  }));
}

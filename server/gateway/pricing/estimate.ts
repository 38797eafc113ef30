import { chargeFor, creditsToJson, type Picocredits } from '../../base/credits';
import { NO_TOKENS, type TokenUsage } from '../protocols/neutral';
import type { CatalogModel } from './catalog';
import { costOf } from './cost';

/** Estimates the charge for a request of this size, in credits and including commission. */
export function estimateCredits(
  model: Pick<CatalogModel, 'prices'>,
  tokens: { input: number; output: number } & Partial<TokenUsage>,
  rateBp: number,
): number {
  const exact: Picocredits = costOf({ ...NO_TOKENS, ...tokens }, model.prices);
  return creditsToJson(chargeFor(exact, rateBp).charge);
}

import type { Picocredits } from '../credits';
import { settings } from '../env';
import type { Hold } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import { affordableOutputTokens, worstInputCost } from '../pricing/cost';
import { largestInputTokens } from '../protocols/chat/measure';
import { type ChatRequest, requestedOutputTokens } from '../protocols/chat/schema';

/** What a request can cost at most, exact and before commission. */
export type Plan = {
  /** The input and one token: the least that makes sense. */
  need: Picocredits;
  /** The input and the whole output limit. */
  want: Picocredits;
  inputCost: Picocredits;
  /** Output tokens per answer that the client may expect without a lowered cap. */
  outputCap: number;
  /** Answers asked for (`n`): each may use the whole cap. */
  answers: number;
};

export function planRequest(body: ChatRequest, model: CatalogModel): Plan {
  const { prices } = model;
  const inputCost = worstInputCost(largestInputTokens(body), prices);
  const outputCap = Math.min(
    requestedOutputTokens(body) ?? settings().DEFAULT_OUTPUT_TOKENS,
    model.maxOutputTokens,
  );
  const answers = body.n ?? 1;
  return {
    need: (inputCost + BigInt(answers) * prices.output) as Picocredits,
    want: (inputCost + BigInt(answers * outputCap) * prices.output) as Picocredits,
    inputCost,
    outputCap,
    answers,
  };
}

/** The output cap that the hold pays for: the planned one, or a lower one that fits the balance. */
export function fitOutputCap(plan: Plan, hold: Hold, model: CatalogModel): number {
  const affordable = affordableOutputTokens(hold, plan.inputCost, model.prices.output);
  return Math.max(1, Math.min(plan.outputCap, Math.floor(affordable / plan.answers)));
}

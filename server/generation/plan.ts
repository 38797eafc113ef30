import type { Picocredits } from '../credits';
import { settings } from '../env';
import type { Hold } from '../ledger';
import type { CatalogModel } from '../pricing/catalog';
import {
  affordableOutputTokens,
  type CacheLifetime,
  worstInputCost,
  worstOutputPrice,
} from '../pricing/cost';
import { largestMediaTokens } from '../pricing/media-tokens';
import type { ClientProtocol } from '../protocols/client-protocol';
import type { ClientRequest } from '../protocols/client-protocols';
import type { Measure, TokenKind } from '../protocols/measure-size';
import { tokenKindOf } from '../providers/formats';
import type { Candidate, Candidates } from './candidates';
import { likelyInputTokens } from './likely-usage';

/** The maximum cost of a request, exact and before commission, with its most expensive candidate. */
export type Plan = {
  /** The input and one output token: the smallest useful hold. */
  need: Picocredits;
  /** The input and the full output cap. */
  want: Picocredits;
  inputCost: Picocredits;
  outputPrice: Picocredits;
  /** Output tokens per choice that the client expects: its own limit, if it set one. */
  expectedCap: number;
  /** Output tokens per choice that every candidate can produce. */
  outputCap: number;
  /** Choices requested (`n`): each may use the whole cap. */
  choices: number;
  /** Prompts that the model reads one by one: each may fill its context window. */
  prompts: number;
  /** The prompt contains images or documents. */
  hasMedia: boolean;
};

export function planRequest(
  protocol: ClientProtocol<ClientRequest>,
  request: ClientRequest,
  candidates: Candidates,
  measure: Measure,
): Plan {
  // Counted with the tokenizer that yields the most tokens: the hold must suffice for every candidate.
  const { largestInputTokens, media } = measure(largestKind(candidates));
  const lifetime = readCacheLifetime(request);
  const models = candidates.map(({ model }) => model);
  const inputTokens = (model: CatalogModel) => largestInputTokens + largestMediaTokens(media, model);
  // A provider refuses a prompt that exceeds the context window, and bills nothing.
  const prompts = protocol.prompts(request);
  const billedTokens = (model: CatalogModel) => Math.min(prompts * model.contextWindow, inputTokens(model));
  const inputCost = highest(
    models.map((model) => worstInputCost(billedTokens(model), model.prices, lifetime)),
  );
  const outputPrice = highest(models.map((model) => worstOutputPrice(billedTokens(model), model.prices)));
  const requested = protocol.requestedOutputTokens(request);
  const most = Math.min(
    requested ?? settings().DEFAULT_OUTPUT_TOKENS,
    ...models.map((model) => model.maxOutputTokens),
  );
  const exceedsContext = ({ model }: Candidate) => inputTokens(model) + most > model.contextWindow;
  const room = (candidate: Candidate) => outputRoom(measure, candidate);
  const outputCap =
    most === requested ? most : Math.min(most, ...candidates.filter(exceedsContext).map(room));
  const choices = protocol.choices(request);
  // A provider may bill for a request that it refuses, too.
  const fee = highest(candidates.map(({ profile }) => profile.refusalFee));
  return {
    need: highest([fee, (inputCost + BigInt(choices) * outputPrice) as Picocredits]),
    want: highest([fee, (inputCost + BigInt(choices * outputCap) * outputPrice) as Picocredits]),
    inputCost,
    outputPrice,
    expectedCap: requested ?? outputCap,
    outputCap,
    choices,
    prompts,
    hasMedia: media.images.length > 0 || media.pages > 0,
  };
}

const largestKind = (candidates: Candidates): TokenKind =>
  candidates.some(({ model, profile }) => tokenKindOf(profile.format, model.upstreamModel) === 'anthropic')
    ? 'anthropic'
    : 'openai';

/** The minimum number of tokens that an estimate leaves for the output. */
const MIN_ROOM = 256;

/**
 * The part of the context window that the prompt probably leaves free. Providers reject a limit that exceeds
 * it, so a limit that we set must fit.
 */
function outputRoom(measure: Measure, candidate: Candidate): number {
  const inputTokens = Math.ceil(1.1 * likelyInputTokens(measure, candidate));
  return Math.max(MIN_ROOM, candidate.model.contextWindow - inputTokens);
}

/** The output cap that the hold covers: the planned one, or a lower one that fits the balance. */
export function fitOutputCap(plan: Plan, hold: Hold): number {
  const affordable = affordableOutputTokens(hold, plan.inputCost, plan.outputPrice);
  return Math.max(1, Math.min(plan.outputCap, Math.floor(affordable / plan.choices)));
}

/** The fields that set a cache breakpoint. */
const BREAKPOINT_FIELDS = new Set(['cache_control', 'prompt_cache_breakpoint']);
/**
 * A chat request may set a lifetime of 12 hours, which is billed at the longest lifetime that has a price.
 */
const LONG_LIFETIMES = new Set<unknown>(['1h', '12h']);

/** The longest lifetime of any cache breakpoint in the request. */
function readCacheLifetime({ body }: ClientRequest): CacheLifetime {
  let lifetime: CacheLifetime = 'none';
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (BREAKPOINT_FIELDS.has(name) && inner !== null) {
        lifetime = lifetime === '1h' || LONG_LIFETIMES.has((inner as { ttl?: unknown }).ttl) ? '1h' : '5m';
      }
      look(inner);
    }
  };
  look(body);
  return lifetime;
}

const highest = (costs: Picocredits[]): Picocredits =>
  costs.reduce((most, cost) => (cost > most ? cost : most));

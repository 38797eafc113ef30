import type { Picocredits } from '../../base/credits';
import { settings } from '../../base/env';
import type { Hold } from '../../ledger';
import {
  affordableOutputTokens,
  type CacheLifetime,
  cacheReadCost,
  searchCost,
  unitCost,
  worstInputCost,
  worstOutputPrice,
} from '../pricing/cost';
import { largestMediaTokens } from '../pricing/media-tokens';
import type { ClientProtocol } from '../protocols/client-protocol';
import type { ClientRequest } from '../protocols/client-protocols';
import type { Measure, TokenKind } from '../protocols/measure-size';
import { NO_UNITS, type Units } from '../protocols/neutral';
import { tokenKindOf } from '../providers/formats';
import { type Candidate, type Candidates, runsSearches } from './candidates';
import { likelyInputTokens } from './likely-usage';

/** The maximum cost of the input, with what does not depend on the output, and of an output token. */
type Costs = { inputCost: Picocredits; outputPrice: Picocredits };

/** What bounds the costs at one candidate, whatever it responds. */
type Bounds = {
  candidate: Candidate;
  inputTokens: number;
  /** Of these, those that the provider reads from its cache. */
  cachedTokens: number;
  outputTokens: number;
  prompts: number;
  lifetime: CacheLifetime;
  units: Units;
};

/** The maximum cost of a request, exact and before commission, with its most expensive candidate. */
export type Plan = Costs & {
  /** The input and one output token: the smallest useful hold. */
  need: Picocredits;
  /** The input and the full output cap. */
  want: Picocredits;
  /** The input and as much output as a response usually has. */
  enough: Picocredits;
  /** Web searches that the client allows. */
  searches: number;
  /** One for each candidate. */
  bounds: readonly Bounds[];
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
  /** Tokens of the prompt that the hold covers as read from the provider's cache. */
  cachedTokens: number;
};

export function planRequest(
  protocol: ClientProtocol<ClientRequest>,
  request: ClientRequest,
  candidates: Candidates,
  measure: Measure,
  cachedTokens = 0,
): Plan {
  // Counted with the tokenizer that yields the most tokens: the hold must suffice for every candidate.
  const { largestInputTokens, media } = measure(largestKind(candidates));
  const lifetime = readCacheLifetime(request);
  const prompts = protocol.prompts(request);
  const choices = protocol.choices(request);
  const requested = protocol.requestedOutputTokens(request);
  const usual = protocol.hasFixedOutput ? Number.MAX_SAFE_INTEGER : settings().DEFAULT_OUTPUT_TOKENS;
  const most = Math.min(requested ?? usual, ...candidates.map(({ model }) => model.maxOutputTokens));
  const bounds = candidates.map((candidate): Bounds => {
    const inputTokens = largestInputTokens + largestMediaTokens(media, candidate.model);
    const units = protocol.units?.(request, candidate.model, media) ?? NO_UNITS;
    return { candidate, inputTokens, cachedTokens, outputTokens: choices * most, prompts, lifetime, units };
  });
  const outputCap =
    most === requested ? most : Math.min(most, ...bounds.map((bound) => fitContext(measure, bound, most)));
  const searches = protocol.searches(request);
  const { inputCost, outputPrice } = worstCosts(bounds, searches);
  const least = searches > 1 ? worstCosts(bounds, 1) : { inputCost, outputPrice };
  // A provider may bill for a request that it refuses, too.
  const fee = highest(candidates.map(({ profile }) => profile.refusalFee));
  const costWith = (tokens: number) =>
    highest([fee, (inputCost + BigInt(choices * tokens) * outputPrice) as Picocredits]);
  const want = costWith(outputCap);
  return {
    need: protocol.hasFixedOutput
      ? want
      : highest([fee, (least.inputCost + BigInt(choices) * least.outputPrice) as Picocredits]),
    want,
    enough: costWith(Math.min(outputCap, USUAL_OUTPUT)),
    inputCost,
    outputPrice,
    searches,
    bounds,
    expectedCap: requested ?? outputCap,
    outputCap,
    choices,
    prompts,
    hasMedia: media.images.length > 0 || media.pages > 0 || media.recordings.length > 0,
    cachedTokens,
  };
}

/** Few steps of an agent have more output tokens. */
const USUAL_OUTPUT = 4_096;

const KINDS: readonly TokenKind[] = ['anthropic', 'openai'];

function largestKind(candidates: Candidates): TokenKind {
  const kinds = new Set(candidates.map(tokenKindOf));
  return KINDS.find((kind) => kinds.has(kind)) ?? 'o200k';
}

/** The minimum number of tokens that an estimate leaves for the output. */
const MIN_ROOM = 256;

/**
 * The limit, or the part of the context window that the prompt probably leaves free. Providers reject a limit that
 * exceeds it, so a limit that we set must fit.
 */
function fitContext(measure: Measure, { candidate, inputTokens: largest }: Bounds, most: number): number {
  if (largest + most <= candidate.model.contextWindow) return most;
  const inputTokens = Math.ceil(1.1 * likelyInputTokens(measure, candidate));
  return Math.max(MIN_ROOM, candidate.model.contextWindow - inputTokens);
}

/** The maximum costs at any candidate, if only as many searches are allowed. */
function worstCosts(bounds: readonly Bounds[], allowedSearches: number): Costs {
  const costs = bounds.map((bound) =>
    worstCostsAt(bound, runsSearches(bound.candidate) ? allowedSearches : 0),
  );
  return {
    inputCost: highest(costs.map(({ inputCost }) => inputCost)),
    outputPrice: highest(costs.map(({ outputPrice }) => outputPrice)),
  };
}

const NOTHING = 0n as Picocredits;

/** A candidate refuses a prompt that exceeds the context window, and bills nothing. */
function worstCostsAt(
  {
    candidate: { model, profile },
    inputTokens,
    cachedTokens,
    outputTokens,
    prompts,
    lifetime,
    units,
  }: Bounds,
  searches: number,
): Costs {
  const { prices, contextWindow } = model;
  const search = searches > 0 ? profile.webSearch : null;
  const readings = search?.readings(searches) ?? 1;
  const results = search?.resultTokens(searches) ?? 0;
  // What the provider has cached fits its context window, whatever the catalogue says.
  const longest = cachedTokens > contextWindow ? inputTokens : contextWindow;
  const mostTokens = readings * prompts * longest;
  const billed = Math.min(mostTokens, readings * inputTokens + (readings - 1) * results);
  // Later readings include the output so far.
  const reached = Math.min(mostTokens, billed + (readings - 1) * outputTokens);
  const written = Math.max(0, billed - cachedTokens);
  // Any part of the output may be audio.
  const spoken = profile.countsAudio ? (prices.outputUnit?.price ?? NOTHING) : NOTHING;
  const outputPrice = highest([worstOutputPrice(reached, prices), spoken]);
  const repeatedOutput = BigInt(readings - 1) * worstInputCost(1, prices, lifetime, reached);
  return {
    inputCost: (worstInputCost(written, prices, lifetime, reached) +
      cacheReadCost(billed - written, prices, reached) +
      searchCost(searches, prices) +
      unitCost(units, prices)) as Picocredits,
    outputPrice: (outputPrice + repeatedOutput) as Picocredits,
  };
}

/** With fewer output tokens than these, a response is of little use. */
const USEFUL_OUTPUT = 1_024;

/** The searches that the hold covers: the planned ones, or fewer that leave enough for the output. */
export function fitSearches(plan: Plan, hold: Hold): number {
  const output = plan.choices * Math.min(plan.outputCap, USEFUL_OUTPUT);
  for (let searches = plan.searches; searches > 1; searches--) {
    const { inputCost, outputPrice } = worstCosts(plan.bounds, searches);
    if (affordableOutputTokens(hold, inputCost, outputPrice) >= output) return searches;
  }
  return Math.min(1, plan.searches);
}

/** The output cap that the hold covers: the planned one, or a lower one that fits the balance. */
export function fitOutputCap(plan: Plan, hold: Hold, searches = plan.searches): number {
  const { inputCost, outputPrice } = searches === plan.searches ? plan : worstCosts(plan.bounds, searches);
  const affordable = affordableOutputTokens(hold, inputCost, outputPrice);
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

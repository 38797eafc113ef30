import type { Picocredits } from '../../credits';
import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, isObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import type { ProviderProfile } from '../profiles';
import { hasRouterSearch, readSearches } from './router-search';

type UsageOptions = Pick<ProviderProfile, 'reasoningOutsideOutput' | 'webSearch'>;

/**
 * Usage wherever a provider puts it in a response or chunk: at the top, in the first choice
 * (Moonshot), in `x_groq`. One object is chosen, never a sum: Groq sends the same twice.
 */
export function findUsage(response: Json): Json | null {
  const inChoice = asObject(asArray(response.choices)[0]).usage;
  const candidates = [response.usage, inChoice, asObject(response.x_groq).usage];
  return candidates.find(isObject) ?? null;
}

/**
 * Usage of the OpenAI format as disjoint classes; null when it is absent or not usable. Here
 * prompt_tokens includes what was read from and written to the cache. Source: OpenAI API
 * reference, "usage" of the chat completion object.
 */
export function readUsage(
  usage: unknown,
  profile: UsageOptions = { reasoningOutsideOutput: false, webSearch: null },
): TokenUsage | null {
  if (!isObject(usage)) return null;
  const prompt = readCount(usage.prompt_tokens);
  const completion = readCount(usage.completion_tokens);
  if (prompt === null || completion === null) return null;
  const details = asObject(usage.prompt_tokens_details);
  const cached =
    readCount(details.cached_tokens) ??
    readCount(usage.prompt_cache_hit_tokens) ??
    readCount(usage.cached_tokens);
  const cacheRead = Math.min(prompt, cached ?? 0);
  const cacheWrite5m = Math.min(prompt - cacheRead, readCount(details.cache_write_tokens) ?? 0);
  const reported = readCount(asObject(usage.completion_tokens_details).reasoning_tokens) ?? 0;
  // Some providers do not include reasoning in the completion; the total then shows the gap.
  const total = readCount(usage.total_tokens);
  const gap = Math.max(0, (total ?? 0) - prompt - completion);
  const output = completion + (profile.reasoningOutsideOutput && total === null ? reported : gap);
  const tokens = {
    input: prompt - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(output, Math.max(reported, gap)),
  };
  const searches = hasRouterSearch(profile) ? readSearches(usage) : 0;
  return searches === 0 ? tokens : { ...tokens, searches };
}

/** A dollar is 100 credits of 10¹² picocredits; a tick is 10⁻¹⁰ dollars. */
const PICOCREDITS_PER_TICK = 10_000n;
const DOLLAR_DECIMALS = 14;

/** The costs that a provider charges us are not what the client pays. */
const COST_FIELDS = ['cost', 'cost_details', 'cost_in_usd_ticks', 'estimated_cost', 'is_byok'];

/** Removes the provider's costs from the usage of a response or chunk; true when there were any. */
export function blankCosts({ usage }: Json): boolean {
  if (!isObject(usage)) return false;
  const present = COST_FIELDS.filter((field) => usage[field] !== undefined);
  for (const field of present) usage[field] = undefined;
  return present.length > 0;
}

/** Reports the output that is billed, where the provider's count does not include reasoning. True when it differed. */
export function reportOutput({ usage }: Json, metered: TokenUsage | null): boolean {
  if (!isObject(usage) || metered === null || usage.completion_tokens === metered.output) return false;
  usage.completion_tokens = metered.output;
  return true;
}

/** The exact cost of the request to us, as the provider reports it. Null when it reports nothing usable. */
export function readCost(
  usage: Json,
  { reportsCost }: Pick<ProviderProfile, 'reportsCost'>,
): Picocredits | null {
  if (reportsCost === 'ticks') {
    const ticks = usage.cost_in_usd_ticks as number;
    if (!Number.isSafeInteger(ticks) || ticks < 0) return null;
    return (BigInt(ticks) * PICOCREDITS_PER_TICK) as Picocredits;
  }
  if (reportsCost === null) return null;
  const charged = readDollars(usage.cost);
  if (usage.is_byok !== true) return charged;
  // If OpenRouter uses our own key of another provider, this is only the fee: that provider bills us the
  // remainder.
  const inference = readDollars(asObject(usage.cost_details).upstream_inference_cost);
  return charged === null || inference === null ? null : ((charged + inference) as Picocredits);
}

function readDollars(dollars: unknown): Picocredits | null {
  if (typeof dollars !== 'number' || !Number.isFinite(dollars) || dollars < 0 || dollars > 1e6) return null;
  const [whole = '0', decimals = ''] = dollars.toFixed(DOLLAR_DECIMALS).split('.');
  return BigInt(whole + decimals.padEnd(DOLLAR_DECIMALS, '0')) as Picocredits;
}

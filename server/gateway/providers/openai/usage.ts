import type { Picocredits } from '../../../base/credits';
import { writeUsage } from '../../protocols/chat/write';
import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, isObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import { NOTHING_REPORTED, type Reported } from '../metered-usage';
import type { ProviderProfile } from '../profiles';
import { type Counts, deriveUsage, keepLarger } from '../reported-counts';
import { hasRouterSearch, readSearches } from './router-search';

type CountOptions = Pick<ProviderProfile, 'webSearch' | 'countsAudio'>;
type UsageOptions = CountOptions & Pick<ProviderProfile, 'reasoningOutsideOutput'>;

/**
 * Usage wherever providers put it in a response or chunk: at the top, in the choices (Moonshot), in `x_groq` and
 * its like. Groq sends the same twice.
 */
export function findUsages(response: Json): Json[] {
  const own = Object.keys(response).filter((name) => name.startsWith('x_'));
  const holders = [response, ...asArray(response.choices), ...own.map((name) => response[name])];
  return holders.map((holder) => asObject(holder).usage).filter(isObject);
}

/** The usage of a complete response. */
export function readUsage(response: Json, profile: UsageOptions): Reported {
  const counts = readCounts(findUsages(response), profile);
  return counts === null ? NOTHING_REPORTED : deriveUsage(counts, profile.reasoningOutsideOutput);
}

/** Usage of the OpenAI format. Source: OpenAI API reference, "usage" of the chat completion object. */
export function readCounts(usages: readonly Json[], profile: CountOptions): Counts | null {
  return usages.reduce<Counts | null>(
    (counts, usage) => keepLarger(counts, readReport(usage, profile)),
    null,
  );
}

function readReport(usage: Json, profile: CountOptions): Counts {
  const details = asObject(usage.prompt_tokens_details);
  const ofOutput = asObject(usage.completion_tokens_details);
  const output = readCount(usage.completion_tokens);
  const heard = profile.countsAudio ? readCount(details.audio_tokens) : null;
  // A prompt that nobody splits may be audio, so its count says nothing of its price.
  const isSplit = !profile.countsAudio || heard !== null;
  return {
    prompt: isSplit ? readCount(usage.prompt_tokens) : null,
    cached:
      readCount(details.cached_tokens) ??
      readCount(usage.prompt_cache_hit_tokens) ??
      readCount(usage.cached_tokens),
    written: readCount(details.cache_write_tokens),
    output,
    reasoning: readCount(ofOutput.reasoning_tokens),
    total: isSplit ? readCount(usage.total_tokens) : null,
    searches: hasRouterSearch(profile) ? readSearches(usage) : null,
    heard,
    // So may output, at the highest price.
    spoken: profile.countsAudio ? (readCount(ofOutput.audio_tokens) ?? output) : null,
  };
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

/** Reports the tokens that are billed, where the provider's counts lack or exclude some. True when any differed. */
export function reportCounts({ usage }: Json, metered: TokenUsage | null): boolean {
  if (!isObject(usage) || metered === null) return false;
  const { prompt_tokens, completion_tokens, total_tokens } = writeUsage(metered);
  const billed = { prompt_tokens, completion_tokens, total_tokens };
  if (Object.entries(billed).every(([name, count]) => usage[name] === count)) return false;
  Object.assign(usage, billed);
  return true;
}

/** The exact cost of the request to us, as the provider reports it. Null when it reports nothing usable. */
export function findCost(
  usages: readonly Json[],
  profile: Pick<ProviderProfile, 'reportsCost'>,
): Picocredits | null {
  const costs = usages.map((usage) => readCost(usage, profile));
  return costs.reduce(largerCost, null);
}

export const largerCost = (one: Picocredits | null, other: Picocredits | null): Picocredits | null =>
  one === null || (other !== null && other > one) ? other : one;

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

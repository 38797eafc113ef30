import type { Picocredits } from '../../credits';
import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, isObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import type { ProviderProfile } from '../profiles';

type Habits = Pick<ProviderProfile, 'reasoningOutsideOutput'>;

/**
 * Usage wherever a provider puts it in an answer or chunk: at the top, in the first choice
 * (Moonshot), in `x_groq`. One object is chosen, never a sum: Groq sends the same twice.
 */
export function findUsage(answer: Json): Json | null {
  const inChoice = asObject(asArray(answer.choices)[0]).usage;
  const candidates = [answer.usage, inChoice, asObject(answer.x_groq).usage];
  return candidates.find(isObject) ?? null;
}

/**
 * Usage of the OpenAI format as disjoint classes; null when it is absent or not usable. Here
 * prompt_tokens includes what was read from and written to the cache. Source: OpenAI API
 * reference, "usage" of the chat completion object.
 */
export function readUsage(
  usage: unknown,
  { reasoningOutsideOutput }: Habits = { reasoningOutsideOutput: false },
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
  const told = readCount(asObject(usage.completion_tokens_details).reasoning_tokens) ?? 0;
  // Some providers leave reasoning out of the completion; the total then shows the gap.
  const total = readCount(usage.total_tokens);
  const gap = Math.max(0, (total ?? 0) - prompt - completion);
  const output = completion + (reasoningOutsideOutput && total === null ? told : gap);
  return {
    input: prompt - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(output, Math.max(told, gap)),
  };
}

/** A dollar is 100 credits of 10¹² picocredits; a tick is 10⁻¹⁰ dollars. */
const PICOCREDITS_PER_TICK = 10_000n;
const DOLLAR_DECIMALS = 14;

/** What a provider asks of us is not what the client pays. */
const COST_FIELDS = ['cost', 'cost_details', 'cost_in_usd_ticks', 'estimated_cost', 'is_byok'];

/** Takes the provider's costs out of the usage of an answer or chunk; true when there were any. */
export function blankCosts({ usage }: Json): boolean {
  if (!isObject(usage)) return false;
  const told = COST_FIELDS.filter((field) => usage[field] !== undefined);
  for (const field of told) usage[field] = undefined;
  return told.length > 0;
}

/** Some leave reasoning out of the output that they tell: the client is told what it pays for. True when that differed. */
export function reportOutput({ usage }: Json, metered: TokenUsage | null): boolean {
  if (!isObject(usage) || metered === null || usage.completion_tokens === metered.output) return false;
  usage.completion_tokens = metered.output;
  return true;
}

/** What the provider says that the request costs us, exact. Null: it says nothing usable. */
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
  // With a key of ours at another provider this is only the fee: that provider bills us the rest.
  const inference = readDollars(asObject(usage.cost_details).upstream_inference_cost);
  return charged === null || inference === null ? null : ((charged + inference) as Picocredits);
}

function readDollars(dollars: unknown): Picocredits | null {
  if (typeof dollars !== 'number' || !Number.isFinite(dollars) || dollars < 0 || dollars > 1e6) return null;
  const [whole = '0', decimals = ''] = dollars.toFixed(DOLLAR_DECIMALS).split('.');
  return BigInt(whole + decimals.padEnd(DOLLAR_DECIMALS, '0')) as Picocredits;
}

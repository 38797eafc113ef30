import type { Picocredits } from '../../base/credits';
import type { TokenUsage } from '../protocols/neutral';
import { MAX_COUNT } from './count';

export type MeteredUsage = { usage: TokenUsage; estimated: boolean };

/** What a provider reports of the usage of one response. */
export type Reported = {
  usage: TokenUsage | null;
  /** False if `usage.input` is unknown, or all that may be input or output. */
  inputReported: boolean;
  /** False if `usage.output` is only the least that was produced. */
  outputReported: boolean;
};

export const NOTHING_REPORTED: Reported = { usage: null, inputReported: false, outputReported: false };

/** The metered values of a complete response. */
export type ResponseFacts = Reported & {
  /** The actual cost, where the provider reports it. */
  providerCost: Picocredits | null;
  /** Bytes of text, reasoning and tool arguments: the base of an estimate. */
  outputBytes: number;
};

type UsageSoFar = Partial<Reported> & {
  usage: TokenUsage | null;
  outputBytes: number;
  /** Web searches whose results were seen. */
  searches?: number;
};

/** `isHidden`: the model may have produced output of which nothing was seen or reported. */
export type EstimateMissing = (isHidden: boolean) => TokenUsage;

/**
 * The usage that is billed and reported to the client: the provider's, where it is plausible. Output that was
 * produced but not reported is estimated, and is at least what was reported. So is output that a provider may
 * have produced unseen before it was cut off. Input is estimated when the provider
 * reports none, because no prompt is empty. Without a report, everything is estimated. An estimate reads the
 * whole prompt, so it is made only when needed.
 */
export function meteredUsage(
  { usage, inputReported = true, outputReported = true, outputBytes, searches = 0 }: UsageSoFar,
  estimate: EstimateMissing,
  unseenMs = 0,
): MeteredUsage {
  if (usage === null) return { usage: addSearches(estimate(true), searches), estimated: true };
  const isDisproved = outputBytes > 0 && usage.output + (usage.outputUnits ?? 0) === 0;
  const lacksOutput = unseenMs > 0 || !outputReported || isDisproved;
  const counted = usage.input + cachedInput(usage) + (usage.inputUnits ?? 0) + (usage.outputUnits ?? 0);
  const lacksInput = !inputReported || counted === 0;
  const lacksSearches = searches > 0 && !outputReported;
  if (!lacksOutput && !lacksInput && !lacksSearches) return { usage, estimated: false };
  const isSplit = inputReported || usage.input === 0;
  const missing = estimate(usage.reasoning === 0 && isSplit);
  const known = {
    ...usage,
    ...(lacksOutput && completeOutput(usage, missing)),
  };
  if (lacksInput) Object.assign(known, completeInput(usage, missing));
  if (!isSplit) Object.assign(known, splitTotal(usage, known));
  return { usage: lacksSearches ? addSearches(known, searches) : known, estimated: true };
}

const cachedInput = ({ cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): number =>
  cacheRead + cacheWrite5m + cacheWrite1h;

function completeOutput({ output, outputUnits }: TokenUsage, missing: TokenUsage): Partial<TokenUsage> {
  const units = outputUnits ?? missing.outputUnits;
  return { output: Math.max(output, missing.output), ...(units !== undefined && { outputUnits: units }) };
}

function completeInput(usage: TokenUsage, missing: TokenUsage): Partial<TokenUsage> {
  const cached = cachedInput(usage);
  const units = usage.inputUnits ?? missing.inputUnits;
  const ofUnits = units !== undefined && { inputUnits: units };
  if (cached === 0) return { input: missing.input, cacheRead: missing.cacheRead, ...ofUnits };
  return { input: Math.max(0, missing.input + missing.cacheRead - cached), ...ofUnits };
}

/** What exceeds the prompt is output. */
function splitTotal(total: TokenUsage, { input: most, output }: TokenUsage): Partial<TokenUsage> {
  const input = Math.min(total.input, most);
  return { input, output: Math.max(output, total.output + total.input - input) };
}

/** What the results of a search add to the prompt: 11,600 tokens in a recorded response. */
const TOKENS_OF_RESULTS = 12_000;

/** After each search, the model reads the prompt again, with the results so far. */
function addSearches(usage: TokenUsage, searches: number): TokenUsage {
  if (searches === 0) return usage;
  const prompt = usage.input + cachedInput(usage);
  const results = (TOKENS_OF_RESULTS * searches * (searches + 1)) / 2;
  const input = Math.min(MAX_COUNT, usage.input + searches * prompt + results);
  return { ...usage, searches, input };
}

import { SECOND_MS } from '../../base/clock';
import { largestMediaTokens, likelyMediaTokens } from '../pricing/media-tokens';
import { likelyOutputTokens, type Measure } from '../protocols/measure-size';
import { NO_TOKENS, NO_UNITS, type TokenUsage, type Units, writeUnits } from '../protocols/neutral';
import { MAX_COUNT } from '../providers/count';
import { tokenKindOf } from '../providers/formats';
import type { Candidate } from './candidates';

/** What is known of the output of a request whose client disconnected, or whose model may have hidden output. */
export type Interrupted = {
  /** How long the provider may have produced output that was neither seen nor reported. */
  unseenMs: number;
  /** The tokens seen are at least as many as the deltas that contained them. */
  outputDeltas: number;
  /** The response is complete, so that nothing is unseen unless its output was not reported. */
  isWhole?: boolean;
};

export const UNINTERRUPTED: Interrupted = { unseenMs: 0, outputDeltas: 0 };

/** The usage that is charged if the provider reports none, from the bytes of output seen. */
export type Estimate = (outputBytes: number, interrupted?: Interrupted) => TokenUsage;

type Called = Pick<Candidate, 'model' | 'profile'>;

/** The output tokens per choice, the choices, and the prompts that the model reads one by one. */
export type RequestSize = {
  outputCap: number;
  choices: number;
  prompts: number;
  /** The part of the prompt that the hold covers as read from the provider's cache. */
  cachedTokens?: number;
  /** The most units that it may have. */
  units?: Units | undefined;
};

/**
 * Returns the function that estimates usage. The input is what was held for it, so that nobody pays less by
 * leaving before it is reported. Units of the output count where the provider may have made it unseen.
 */
export function estimateUsage(
  measure: Measure,
  called: Called,
  { outputCap, choices, prompts, cachedTokens = 0, units = NO_UNITS }: RequestSize,
): Estimate {
  const kind = tokenKindOf(called);
  const tokensPerMs = (choices * called.profile.maxTokensPerSecond) / SECOND_MS;
  let input: number | undefined;
  return (outputBytes, { unseenMs, outputDeltas, isWhole = false } = UNINTERRUPTED) => {
    input ??= Math.min(MAX_COUNT, heldInputTokens(measure, called, prompts));
    const seen = Math.max(outputDeltas, likelyOutputTokens(outputBytes, kind));
    const output = seen + Math.ceil(unseenMs * tokensPerMs);
    const cacheRead = Math.min(input, cachedTokens);
    const produced = Math.min(MAX_COUNT, choices * outputCap, output);
    return {
      ...NO_TOKENS,
      input: input - cacheRead,
      cacheRead,
      // Any part of it may be audio.
      ...(called.profile.countsAudio ? { outputUnits: produced } : { output: produced }),
      ...writeUnits({ input: units.input, output: isWhole || unseenMs > 0 ? units.output : 0 }),
    };
  };
}

/** A prompt has at most the context window: a provider refuses a longer one. */
function heldInputTokens(measure: Measure, called: Called, prompts: number): number {
  const { model } = called;
  const { largestInputTokens, media } = measure(tokenKindOf(called));
  return Math.min(prompts * model.contextWindow, largestInputTokens + largestMediaTokens(media, model));
}

export function likelyInputTokens(measure: Measure, called: Called): number {
  const { likelyInputTokens: ofText, media } = measure(tokenKindOf(called));
  return ofText + likelyMediaTokens(media, called.model);
}

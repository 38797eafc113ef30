import { likelyMediaTokens } from '../pricing/media-tokens';
import { type InputSize, likelyOutputTokens, type TokenKind } from '../protocols/measure-size';
import { NO_TOKENS, type TokenUsage } from '../protocols/neutral';
import { MAX_COUNT } from '../providers/count';
import { FORMATS } from '../providers/formats';
import type { Candidate } from './candidates';

/** The likely usage, from the bytes of output seen. */
export type Estimate = (outputBytes: number) => TokenUsage;

type Called = Pick<Candidate, 'model' | 'profile'>;
export type Measure = (kind: TokenKind) => InputSize;

/**
 * Returns the function that estimates usage. It measures the prompt only when called: most providers report
 * usage.
 */
export function likelyUsage(measure: Measure, called: Called): Estimate {
  const kind = FORMATS[called.profile.format].tokenKind;
  return (outputBytes) => ({
    ...NO_TOKENS,
    input: Math.min(MAX_COUNT, likelyInputTokens(measure, called)),
    output: Math.min(MAX_COUNT, likelyOutputTokens(outputBytes, kind)),
  });
}

export function likelyInputTokens(measure: Measure, { model, profile }: Called): number {
  const { likelyInputTokens: ofText, media } = measure(FORMATS[profile.format].tokenKind);
  return ofText + likelyMediaTokens(media, model);
}

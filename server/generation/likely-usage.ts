import type { CatalogModel } from '../pricing/catalog';
import { likelyMediaTokens } from '../pricing/media-tokens';
import { type InputSize, likelyOutputTokens, type TokenKind } from '../protocols/measure-size';
import { NO_TOKENS, type TokenUsage } from '../protocols/neutral';
import { MOST_TOKENS } from '../providers/count';
import { profileFor } from './upstream';

/** Usage as it is likely to be, from the bytes of output seen. */
export type Estimate = (outputBytes: number) => TokenUsage;

type Asked = Pick<CatalogModel, 'provider' | 'upstreamModel'>;
export type Measure = (kind: TokenKind) => InputSize;

/** The prompt is measured when the estimate is made: most providers report what they used. */
export function likelyUsage(measure: Measure, model: Asked): Estimate {
  const kind = profileFor(model.provider).format;
  return (outputBytes) => ({
    ...NO_TOKENS,
    input: Math.min(MOST_TOKENS, likelyInputTokens(measure, model)),
    output: Math.min(MOST_TOKENS, likelyOutputTokens(outputBytes, kind)),
  });
}

export function likelyInputTokens(measure: Measure, model: Asked): number {
  const { likelyInputTokens: ofText, media } = measure(profileFor(model.provider).format);
  return ofText + likelyMediaTokens(media, model);
}

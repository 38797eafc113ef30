import type { Json } from '../protocols/neutral';
import { asArray, asObject } from '../protocols/read-fields';
import { claudeCapabilities } from './anthropic/claude-capabilities';
import type { ExchangeOptions } from './exchange';
import type { ProviderProfile } from './profiles';

/**
 * Whether a model may produce output that is billed and not streamed as it is produced, given the request that
 * is sent. Reasoning is hidden or only summarised, and Anthropic holds back each argument of a tool call until
 * it is complete.
 */
export function mayHideOutput(
  sent: Json,
  {
    reasoning,
    provider,
    upstreamModel,
  }: Pick<ExchangeOptions, 'reasoning' | 'upstreamModel'> & { provider: Pick<ProviderProfile, 'format'> },
): boolean {
  const isClaude = provider.format === 'anthropic';
  if (isClaude && asArray(sent.tools).length > 0) return true;
  const { type } = asObject(sent.thinking);
  if (reasoning === false || type === 'disabled' || sent.reasoning_effort === 'none') return false;
  if (asObject(sent.reasoning).effort === 'none') return false;
  return !isClaude || type !== undefined || claudeCapabilities(upstreamModel).thinksByDefault;
}

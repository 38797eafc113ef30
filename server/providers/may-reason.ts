import type { Json } from '../protocols/neutral';
import { asObject } from '../protocols/read-fields';
import { claudeCapabilities } from './anthropic/claude-capabilities';
import type { ExchangeOptions } from './exchange';

/**
 * Whether the model may reason on a request, as it is sent to the provider. Reasoning is billed as output, and
 * most providers show none or only a summary of it.
 */
export function mayReason(
  sent: Json,
  { reasoning, provider, upstreamModel }: Pick<ExchangeOptions, 'reasoning' | 'provider' | 'upstreamModel'>,
): boolean {
  if (reasoning === false) return false;
  const { type } = asObject(sent.thinking);
  if (type === 'disabled' || sent.reasoning_effort === 'none') return false;
  if (provider.format !== 'anthropic' || type !== undefined) return true;
  return claudeCapabilities(upstreamModel).thinksByDefault;
}

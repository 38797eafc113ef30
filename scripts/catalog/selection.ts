import type { ProviderName } from '../../server/endpoints';

/** Which providers the catalogue covers, their names in the sources, and which of their models. */

export const SOURCE_NAMES: Readonly<Record<ProviderName, { modelsDev: string; genaiPrices: string }>> = {
  openai: { modelsDev: 'openai', genaiPrices: 'openai' },
  anthropic: { modelsDev: 'anthropic', genaiPrices: 'anthropic' },
  google: { modelsDev: 'google', genaiPrices: 'google' },
  xai: { modelsDev: 'xai', genaiPrices: 'x-ai' },
  mistral: { modelsDev: 'mistral', genaiPrices: 'mistral' },
  deepseek: { modelsDev: 'deepseek', genaiPrices: 'deepseek' },
  groq: { modelsDev: 'groq', genaiPrices: 'groq' },
  together: { modelsDev: 'togetherai', genaiPrices: 'together' },
  fireworks: { modelsDev: 'fireworks-ai', genaiPrices: 'fireworks' },
  openrouter: { modelsDev: 'openrouter', genaiPrices: 'openrouter' },
  moonshot: { modelsDev: 'moonshotai', genaiPrices: 'moonshotai' },
};

/** Of OpenRouter: recent models with tools, of vendors that cannot be called directly. */
const OPENROUTER_VENDORS = new Set(
  'ai21 amazon arcee-ai baidu bytedance-seed cohere ibm-granite inception meta-llama microsoft minimax nvidia qwen rekaai stepfun tencent upstage writer xiaomi z-ai'.split(
    ' ',
  ),
);
const OPENROUTER_SINCE = '2025-06-01';

/** The sources also list embedding models, which cannot chat. */
const EMBEDDING = /(^|[-/])embed/;

type Candidate = { released: string; capabilities: readonly string[] };

export function isWanted(
  provider: ProviderName,
  model: string,
  { released, capabilities }: Candidate,
): boolean {
  if (EMBEDDING.test(model)) return false;
  if (provider !== 'openrouter') return true;
  const [vendor = ''] = model.split('/');
  // The part after a colon is a variant of the route, not of the model.
  const isPlain = OPENROUTER_VENDORS.has(vendor) && !model.includes(':');
  return isPlain && released >= OPENROUTER_SINCE && capabilities.includes('tools');
}

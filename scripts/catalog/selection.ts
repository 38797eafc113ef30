import type { ProviderName } from '../../server/base/endpoints';

/** Which providers the catalogue covers, their names in the sources, and which of their models. */

/** Those whose language models are listed. The models of the others are in `document-models.json`. */
export type ListedProvider = Exclude<ProviderName, 'cohere' | 'voyage' | 'jina'>;

export const SOURCE_NAMES: Readonly<
  Record<ListedProvider, { modelsDev: string; genaiPrices: string; liteLlm: string }>
> = {
  openai: { modelsDev: 'openai', genaiPrices: 'openai', liteLlm: 'openai' },
  anthropic: { modelsDev: 'anthropic', genaiPrices: 'anthropic', liteLlm: 'anthropic' },
  google: { modelsDev: 'google', genaiPrices: 'google', liteLlm: 'gemini' },
  xai: { modelsDev: 'xai', genaiPrices: 'x-ai', liteLlm: 'xai' },
  mistral: { modelsDev: 'mistral', genaiPrices: 'mistral', liteLlm: 'mistral' },
  deepseek: { modelsDev: 'deepseek', genaiPrices: 'deepseek', liteLlm: 'deepseek' },
  groq: { modelsDev: 'groq', genaiPrices: 'groq', liteLlm: 'groq' },
  together: { modelsDev: 'togetherai', genaiPrices: 'together', liteLlm: 'together_ai' },
  fireworks: { modelsDev: 'fireworks-ai', genaiPrices: 'fireworks', liteLlm: 'fireworks_ai' },
  openrouter: { modelsDev: 'openrouter', genaiPrices: 'openrouter', liteLlm: 'openrouter' },
  moonshot: { modelsDev: 'moonshotai', genaiPrices: 'moonshotai', liteLlm: 'moonshot' },
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

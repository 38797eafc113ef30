import { findByLongestPrefix } from '../longest-prefix';
import type { EffortName, ProviderProfile } from '../profiles';

/**
 * The parameters that a model accepts at `/chat/completions`. Source: the vendors' references, November 2026.
 */
export type ChatCapabilities = {
  limitName: 'max_tokens' | 'max_completion_tokens' | 'max_output_tokens';
  systemRole: 'system' | 'developer';
  /** Accepts temperature and top_p: always, never, or only without reasoning. */
  sampling: 'yes' | 'no' | 'without-reasoning';
  stop: boolean;
  /** Null when the provider does not know the field. */
  efforts: readonly EffortName[] | null;
  /** Accepts function tools only without reasoning. */
  toolsWithoutReasoning: boolean;
  forcedTool: boolean;
  cacheBreakpoints: boolean;
  /** Not served at `/chat/completions` at all. */
  onlyResponses: boolean;
};

const REASONING = {
  limitName: 'max_completion_tokens',
  systemRole: 'developer',
  sampling: 'no',
  stop: false,
} as const satisfies Partial<ChatCapabilities>;
const GPT_5_1 = {
  ...REASONING,
  sampling: 'without-reasoning',
  efforts: ['none', 'low', 'medium', 'high'],
} as const satisfies Partial<ChatCapabilities>;
const GPT_5_2 = { ...GPT_5_1, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] } as const;
const GPT_6 = {
  ...REASONING,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  cacheBreakpoints: true,
} as const satisfies Partial<ChatCapabilities>;
const GPT_6_OFF = { ...GPT_6, efforts: ['none', ...GPT_6.efforts] } as const;

const CHAT_MODELS: Record<string, Partial<ChatCapabilities>> = {
  'gpt-3': { efforts: null },
  'gpt-4': { efforts: null },
  'gpt-4o': { efforts: null },
  'gpt-4o-search': { efforts: null, sampling: 'no' },
  'gpt-4o-mini-search': { efforts: null, sampling: 'no' },
  'gpt-5-search': { efforts: null, sampling: 'no' },
  'gpt-5-chat': { efforts: null },
  'gpt-audio': { efforts: null },
  o1: { ...REASONING, efforts: ['low', 'medium', 'high'], stop: true },
  o3: { ...REASONING, efforts: ['low', 'medium', 'high'] },
  'o3-mini': { ...REASONING, efforts: ['low', 'medium', 'high'], stop: true },
  'o4-mini': { ...REASONING, efforts: ['low', 'medium', 'high'] },
  'gpt-5': { ...REASONING, efforts: ['minimal', 'low', 'medium', 'high'] },
  'gpt-5.': GPT_5_2,
  'gpt-5.1': GPT_5_1,
  'gpt-5.2': GPT_5_2,
  'gpt-5.3': GPT_5_2,
  'gpt-5.4': GPT_5_2,
  'gpt-5.5': GPT_5_2,
  'gpt-5.6': { ...GPT_5_2, toolsWithoutReasoning: true, cacheBreakpoints: true },
  'gpt-6': GPT_6,
  'gpt-6-sol': GPT_6_OFF,
  'gpt-6-luna': GPT_6_OFF,
  'gpt-6.1-terra': GPT_6_OFF,
  'deepseek-reasoner': { forcedTool: false, sampling: 'no' },
  'grok-4': { efforts: null },
};

const ONLY_RESPONSES = /^(gpt|o\d).*-(pro|codex)(-|$)/;

/** `reasoning`: whether a model without an entry in the table reasons before it responds. */
export function chatCapabilities(
  profile: ProviderProfile,
  upstreamModel: string,
  { reasoning }: { reasoning?: boolean | undefined } = {},
): ChatCapabilities {
  const model = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  // For xAI, only the newer name limits reasoning as well.
  const usesNewName = profile.takesMaxCompletionTokens && (reasoning === true || profile.name === 'xai');
  const base: ChatCapabilities = {
    limitName: usesNewName ? 'max_completion_tokens' : 'max_tokens',
    systemRole: 'system',
    sampling: 'yes',
    stop: true,
    efforts: reasoning === false ? null : profile.efforts,
    toolsWithoutReasoning: false,
    forcedTool: true,
    cacheBreakpoints: false,
    onlyResponses: profile.name === 'openai' && ONLY_RESPONSES.test(model),
  };
  return { ...base, ...findByLongestPrefix(CHAT_MODELS, model) };
}

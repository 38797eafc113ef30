import type { Effort } from '../protocols/neutral';
import type { EffortName, ProviderProfile } from './profiles';

/** What a Claude model takes. Source: the vendor's model pages and migration guides, November 2026. */
export type ClaudeCapabilities = {
  maxOutput: number;
  /** Takes temperature, top_p and top_k. */
  sampling: boolean;
  thinking: 'adaptive' | 'budget';
  /** Takes a thinking budget in tokens. */
  takesBudget: boolean;
  /** Thinks when nothing is said of it. */
  thinksByDefault: boolean;
  /** How thinking is switched off; null: it cannot be. */
  off: 'disabled' | 'between_tools' | null;
  /** With thinking off, efforts above high are refused. */
  offLimitsEffort: boolean;
  forcedTool: boolean;
  nativeJson: boolean;
  efforts: readonly Effort[];
  /** Takes system turns inside the conversation. */
  laterSystem: boolean;
  /** Continues a last turn of the assistant. */
  prefill: boolean;
  strictTools: boolean;
};

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const ADAPTIVE: ClaudeCapabilities = {
  maxOutput: 128_000,
  sampling: false,
  thinking: 'adaptive',
  takesBudget: false,
  thinksByDefault: false,
  off: 'disabled',
  offLimitsEffort: true,
  forcedTool: true,
  nativeJson: true,
  efforts: EFFORTS,
  laterSystem: true,
  prefill: false,
  strictTools: true,
};
const ADAPTIVE_4: ClaudeCapabilities = { ...ADAPTIVE, offLimitsEffort: false };
const SAMPLING_4_6: ClaudeCapabilities = {
  ...ADAPTIVE_4,
  sampling: true,
  takesBudget: true,
  laterSystem: false,
  efforts: ['low', 'medium', 'high', 'max'],
};
const BUDGET: ClaudeCapabilities = {
  ...SAMPLING_4_6,
  maxOutput: 64_000,
  thinking: 'budget',
  efforts: [],
  prefill: true,
};
const BUDGET_OLD: ClaudeCapabilities = { ...BUDGET, nativeJson: false, strictTools: false };
const ALWAYS: ClaudeCapabilities = { ...ADAPTIVE, thinksByDefault: true, off: null };

/** The longest beginning that fits decides. */
const CLAUDE: Record<string, ClaudeCapabilities> = {
  'claude-': { ...ADAPTIVE, laterSystem: false },
  'claude-sonnet-5-5': { ...ALWAYS, off: 'between_tools', forcedTool: false },
  'claude-opus-5-5': { ...ALWAYS, forcedTool: false },
  'claude-haiku-5-5': ADAPTIVE,
  'claude-fable-5-1': { ...ALWAYS, forcedTool: false },
  'claude-fable-5-2': { ...ALWAYS, forcedTool: false },
  'claude-mythos-5-1': { ...ALWAYS, forcedTool: false },
  'claude-mythos-5-2': { ...ALWAYS, forcedTool: false },
  'claude-fable-5': ALWAYS,
  'claude-mythos-5': ALWAYS,
  'claude-opus-5': { ...ADAPTIVE, thinksByDefault: true },
  'claude-sonnet-5': { ...ADAPTIVE_4, laterSystem: false },
  'claude-opus-4-8': ADAPTIVE_4,
  'claude-opus-4-7': { ...ADAPTIVE_4, laterSystem: false },
  'claude-opus-4-6': SAMPLING_4_6,
  'claude-sonnet-4-6': SAMPLING_4_6,
  'claude-opus-4-5': BUDGET,
  'claude-sonnet-4-5': BUDGET,
  'claude-haiku-4-5': BUDGET,
  'claude-opus-4': { ...BUDGET_OLD, maxOutput: 32_000 },
  'claude-opus-4-1': { ...BUDGET_OLD, maxOutput: 32_000, nativeJson: true },
  'claude-sonnet-4': BUDGET_OLD,
  'claude-3-7': BUDGET_OLD,
  'claude-3': { ...BUDGET_OLD, maxOutput: 8_192 },
};

/** Names are written with dots by some providers, and with the vendor in front by others. */
export function claudeCapabilities(upstreamModel: string): ClaudeCapabilities {
  const model = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1).replaceAll('.', '-');
  return findByLongestPrefix(CLAUDE, model) ?? ADAPTIVE;
}

/** What a model takes at `/chat/completions`. Source: the vendors' references, November 2026. */
export type ChatCapabilities = {
  limitName: 'max_tokens' | 'max_completion_tokens';
  systemRole: 'system' | 'developer';
  /** Takes temperature and top_p: always, never, or only without reasoning. */
  sampling: 'yes' | 'no' | 'without-reasoning';
  stop: boolean;
  /** Null: the field is not known there. */
  efforts: readonly EffortName[] | null;
  /** Takes function tools only without reasoning. */
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

/** `reasoning` tells of a model that the table does not know whether it thinks before it answers. */
export function chatCapabilities(
  profile: ProviderProfile,
  upstreamModel: string,
  { reasoning }: { reasoning?: boolean | undefined } = {},
): ChatCapabilities {
  const model = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  const base: ChatCapabilities = {
    limitName: reasoning && profile.takesMaxCompletionTokens ? 'max_completion_tokens' : 'max_tokens',
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

/** Beginnings end where a word of the name ends: `o1` says nothing of `o10`. */
function findByLongestPrefix<Value>(table: Record<string, Value>, model: string): Value | null {
  let found: string | null = null;
  for (const prefix of Object.keys(table)) {
    const fits =
      model.startsWith(prefix) && (/[-.]$/.test(prefix) || !/[a-z0-9]/i.test(model[prefix.length] ?? ''));
    if (fits && prefix.length > (found?.length ?? 0)) found = prefix;
  }
  return found === null ? null : (table[found] ?? null);
}

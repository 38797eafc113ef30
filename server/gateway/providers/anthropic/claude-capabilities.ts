import type { Effort } from '../../protocols/neutral';
import { findByLongestPrefix } from '../longest-prefix';

/**
 * The parameters that a Claude model accepts. Source: Anthropic's model pages and migration guides, November
 * 2026.
 */
export type ClaudeCapabilities = {
  maxOutput: number;
  /** Accepts temperature, top_p and top_k. */
  sampling: boolean;
  thinking: 'adaptive' | 'budget';
  /** Accepts a thinking budget in tokens. */
  takesBudget: boolean;
  /** Thinks unless thinking is disabled. */
  thinksByDefault: boolean;
  /** How thinking is switched off; null when it cannot be. */
  off: 'disabled' | 'between_tools' | null;
  /** Rejects efforts above high when thinking is off. */
  offLimitsEffort: boolean;
  forcedTool: boolean;
  nativeJson: boolean;
  efforts: readonly Effort[];
  /** Accepts system turns inside the conversation. */
  laterSystem: boolean;
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
};
const BUDGET_OLD: ClaudeCapabilities = { ...BUDGET, nativeJson: false, strictTools: false };
const ALWAYS: ClaudeCapabilities = { ...ADAPTIVE, thinksByDefault: true, off: null };

/** By prefix of the model's name; the longest matching one applies. */
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

/** Some providers write names with dots, others with the vendor in front. */
export function claudeCapabilities(upstreamModel: string): ClaudeCapabilities {
  const model = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1).replaceAll('.', '-');
  return findByLongestPrefix(CLAUDE, model) ?? ADAPTIVE;
}

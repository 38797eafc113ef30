import type { Effort, Json, Prompt, Reasoning } from '../../protocols/neutral';
import { effortOfBudget, MIN_BUDGET } from '../effort';
import type { RequestTarget } from '../request-target';
import type { ClaudeCapabilities } from './claude-capabilities';

export type Thinking = {
  /** The `thinking` field; null leaves it out. */
  thinking: Json | null;
  effort: Effort | null;
  /** Whether the model will think. */
  isOn: boolean;
};

/** An effort in tokens, as a share of the model's maximum output. */
const BUDGET_SHARE: Record<Effort, number> = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.9,
  max: 0.95,
};
const LADDER: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Effort and thinking of a prompt, in the form that the model accepts. */
export function writeThinking(
  prompt: Prompt,
  capabilities: ClaudeCapabilities,
  target: RequestTarget,
): Thinking {
  const { reasoning } = prompt;
  if (reasoning === null) return { thinking: null, effort: null, isOn: capabilities.thinksByDefault };
  if (capabilities.thinking === 'budget') return writeBudget(prompt, reasoning, capabilities, target);
  return writeAdaptive(reasoning, capabilities, target.warnings);
}

function writeAdaptive(reasoning: Reasoning, capabilities: ClaudeCapabilities, warnings: string[]): Thinking {
  if (reasoning.type === 'off') return writeOff(capabilities, warnings);
  if (reasoning.type === 'budget')
    warnings.push('{budget} was changed to an effort: this model does not accept a budget');
  const requested = reasoning.type === 'budget' ? effortOfBudget(reasoning.tokens) : reasoning.effort;
  const effort = requested === null ? null : fitEffort(requested, capabilities, warnings);
  // Without `display`, newer models return thinking blocks without text.
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort, isOn: true };
}

function writeOff({ off }: ClaudeCapabilities, warnings: string[]): Thinking {
  if (off !== null) return { thinking: { type: off }, effort: null, isOn: off !== 'disabled' };
  warnings.push('{reasoning} was set to low: this model always thinks');
  return { thinking: null, effort: 'low', isOn: true };
}

function fitEffort(requested: Effort, { efforts }: ClaudeCapabilities, warnings: string[]): Effort {
  const wanted = requested === 'minimal' ? 'low' : requested;
  const below = LADDER.filter(
    (effort) => efforts.includes(effort) && LADDER.indexOf(effort) <= LADDER.indexOf(wanted),
  );
  const effort = below.at(-1) ?? 'low';
  if (effort !== wanted) warnings.push(`{effort} was lowered to ${effort}`);
  return effort;
}

const OFF: Thinking = { thinking: null, effort: null, isOn: false };

/**
 * In the chat format, the output limit includes reasoning, so a budget is a part of it and never added to it.
 */
function writeBudget(
  prompt: Prompt,
  reasoning: Reasoning,
  capabilities: ClaudeCapabilities,
  target: RequestTarget,
): Thinking {
  const { outputCap, warnings } = target;
  const wanted = wantedBudget(reasoning, capabilities.maxOutput);
  if (wanted === null) return OFF;
  if (lacksThoughts(prompt) || target.withoutReasoning) {
    warnings.push('{reasoning} was dropped: the history has tool calls without their thoughts');
    return OFF;
  }
  const budget = Math.min(wanted, outputCap - 1);
  if (budget < MIN_BUDGET) {
    warnings.push('{reasoning} was dropped: the output limit is too low for it');
    return OFF;
  }
  return { thinking: { type: 'enabled', budget_tokens: budget }, effort: null, isOn: true };
}

function wantedBudget(reasoning: Reasoning, maxOutput: number): number | null {
  switch (reasoning.type) {
    case 'off':
      return null;
    case 'budget':
      return reasoning.tokens;
    case 'effort':
      return Math.floor(maxOutput * BUDGET_SHARE[reasoning.effort]);
    case 'adaptive':
      return Math.floor(maxOutput * BUDGET_SHARE[reasoning.effort ?? 'medium']);
  }
}

/** These models reject a tool loop whose last assistant turn does not begin with its thinking. */
function lacksThoughts(prompt: Prompt): boolean {
  const last = prompt.messages.findLast(({ role }) => role === 'assistant');
  const calls = last?.parts.some((part) => part.type === 'tool-call') ?? false;
  return (
    calls && !last?.parts.some((part) => part.type === 'reasoning' || part.type === 'redacted-reasoning')
  );
}

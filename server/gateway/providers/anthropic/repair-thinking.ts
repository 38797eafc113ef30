import type { MessagesRequest } from '../../protocols/messages/schema';
import type { Json } from '../../protocols/neutral';
import { asObject, asText } from '../../protocols/read-fields';
import { effortOfBudget, MIN_BUDGET } from '../effort';
import type { RequestTarget } from '../request-target';
import { claudeCapabilities } from './claude-capabilities';

/**
 * Adjusts the thinking of a request that otherwise passes through: a budget where the model accepts only
 * efforts, a budget that exceeds the output cap, or an effort that is rejected with thinking off.
 */
export function repairThinking(request: MessagesRequest, target: RequestTarget): Json {
  const { takesBudget, offLimitsEffort } = claudeCapabilities(target.upstreamModel);
  const thinking = asObject(request.thinking);
  const budget = typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : null;
  if (thinking.type === 'enabled' && target.withoutReasoning) {
    // Without its earlier thinking, such a model refuses to continue thinking in a tool loop.
    if (takesBudget)
      target.warnings.push('thinking was turned off: the provider refused its earlier thoughts');
    if (takesBudget) return { thinking: { type: 'disabled' } };
  }
  if (thinking.type === 'enabled' && budget !== null) {
    return takesBudget ? lowerBudget(request, budget, target) : toEffort(request, budget, target);
  }
  const isOff = thinking.type === 'disabled' || thinking.type === 'between_tools';
  const effort = asText(asObject(request.output_config).effort);
  if (!isOff || !offLimitsEffort || (effort !== 'xhigh' && effort !== 'max')) return {};
  target.warnings.push('output_config.effort was lowered to high');
  return { output_config: { ...request.output_config, effort: 'high' } };
}

function toEffort(request: MessagesRequest, budget: number, { warnings }: RequestTarget): Json {
  const { budget_tokens: _, ...thinking } = asObject(request.thinking);
  warnings.push('thinking.budget_tokens was changed to an effort: this model does not accept a budget');
  return {
    thinking: { display: 'summarized', ...thinking, type: 'adaptive' },
    output_config: { effort: effortOfBudget(budget), ...request.output_config },
  };
}

/** An output cap below the client's limit must still be above the thinking budget. */
function lowerBudget({ thinking, max_tokens }: MessagesRequest, budget: number, target: RequestTarget): Json {
  const { outputCap, warnings } = target;
  if (outputCap >= max_tokens || budget < outputCap) return {};
  if (outputCap - 1 < MIN_BUDGET) {
    warnings.push('thinking was dropped: the output limit is too low for it');
    // Without thinking, Claude ignores its earlier thoughts.
    target.isShortened = true;
    return { thinking: { type: 'disabled' } };
  }
  warnings.push(`thinking.budget_tokens was lowered to ${outputCap - 1}`);
  return { thinking: { ...thinking, budget_tokens: outputCap - 1 } };
}

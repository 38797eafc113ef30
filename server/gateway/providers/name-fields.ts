import type { ClientRequest } from '../protocols/client-protocols';
import { asObject } from '../protocols/read-fields';

/**
 * The parameters that have another name in each format. A warning contains one in braces, as `{effort}`, until it is
 * known which format the client uses, and which of several names it used.
 */
export type FieldName = 'reasoning' | 'effort' | 'budget' | 'format' | 'stop' | 'search' | 'history';

/** Writes the names that the client knows into the warnings. */
export function nameFields(warnings: string[], client: ClientRequest): void {
  if (warnings.every((warning) => !warning.includes('{'))) return;
  const names: Readonly<Record<string, string>> = namesOf(client);
  for (const [place, warning] of warnings.entries())
    warnings[place] = warning.replace(/\{([a-z]{4,9})\}/g, (given, name) => names[name] ?? given);
}

function namesOf({ format, body }: ClientRequest): Record<FieldName, string> {
  const sent = asObject(body);
  if (format === 'messages') {
    const hasEffort = asObject(sent.output_config).effort != null;
    return {
      reasoning: sent.thinking == null && hasEffort ? 'output_config.effort' : 'thinking',
      effort: hasEffort ? 'output_config.effort' : 'thinking',
      budget: 'thinking.budget_tokens',
      format: 'output_config.format',
      stop: 'stop_sequences',
      search: 'tools',
      history: 'messages',
    };
  }
  if (format === 'responses') {
    const effort = 'reasoning.effort';
    return {
      reasoning: effort,
      effort,
      budget: effort,
      format: 'text.format',
      stop: 'stop',
      search: 'tools',
      history: 'input',
    };
  }
  const reasoning = findReasoning(sent);
  return {
    reasoning,
    effort: reasoning,
    budget: reasoning === 'thinking' ? 'thinking.budget_tokens' : 'reasoning.max_tokens',
    format: 'response_format',
    stop: 'stop',
    search: 'web_search_options',
    history: 'messages',
  };
}

/** The chat format has OpenAI's field and those of OpenRouter and Anthropic. */
function findReasoning({ reasoning_effort, reasoning, thinking }: Record<string, unknown>): string {
  if (reasoning_effort != null) return 'reasoning_effort';
  if (reasoning != null) return 'reasoning';
  return thinking == null ? 'reasoning_effort' : 'thinking';
}

import { expect, test } from 'vitest';
import { ApiError } from '@/server/base/errors';
import type { Json } from '@/server/gateway/protocols/neutral';
import { asArray, isObject } from '@/server/gateway/protocols/read-fields';
import { exchange } from './exchange-harness';

/** A warning begins with the field that the client sent, in the words of its format. */

const HI = [{ role: 'user', content: 'Hi' }];
const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};
const CHAT_TOOL = { type: 'function', function: { name: 'f', parameters: SCHEMA, strict: true } };
const SEARCH = { type: 'web_search_20250305', name: 'web_search' };

const REQUESTS: Record<'chat' | 'messages' | 'responses', Json[]> = {
  chat: [
    { reasoning_effort: 'none' },
    { reasoning_effort: 'minimal' },
    { reasoning_effort: 'xhigh', temperature: 1.5, top_p: 0.5, top_k: 3, stop: ['x'] },
    { reasoning_effort: 'high', tools: [CHAT_TOOL], tool_choice: 'required', parallel_tool_calls: false },
    { reasoning: { effort: 'high' } },
    { reasoning: { max_tokens: 5_000 } },
    { thinking: { type: 'enabled', budget_tokens: 5_000 } },
    { response_format: { type: 'json_object' } },
    {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } },
      tool_choice: 'required',
    },
    { web_search_options: { search_context_size: 'high', max_results: 20 } },
    { messages: [...HI, { role: 'assistant', content: 'Sunny.' }] },
    { store: true, prediction: { type: 'content', content: 'x' }, unknown_field: 1 },
  ],
  messages: [
    { thinking: { type: 'enabled', budget_tokens: 5_000 }, max_tokens: 9_000 },
    { thinking: { type: 'disabled' } },
    { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    { thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    { output_config: { effort: 'max' }, stop_sequences: ['x'], top_k: 3, temperature: 0.5 },
    { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    {
      thinking: { type: 'adaptive' },
      tools: [{ name: 'f', input_schema: SCHEMA }],
      tool_choice: { type: 'any' },
    },
    { tools: [{ ...SEARCH, user_location: { type: 'approximate', city: 'Berlin' } }] },
    { unknown_field: 1 },
  ],
  responses: [
    { reasoning: { effort: 'none' } },
    { reasoning: { effort: 'minimal' }, tools: [{ type: 'web_search', search_context_size: 'high' }] },
    { reasoning: { effort: 'xhigh' }, temperature: 0.5, top_p: 0.5 },
    {
      reasoning: { effort: 'high' },
      tools: [{ type: 'function', name: 'f', parameters: SCHEMA }],
      tool_choice: 'required',
    },
    { text: { format: { type: 'json_object' } } },
    { text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA }, verbosity: 'low' } },
    { input: [...HI, { role: 'assistant', content: 'Sunny.' }] },
    { unknown_field: 1 },
  ],
};

const MODELS = [
  ...['claude-sonnet-4-5', 'claude-sonnet-5', 'claude-opus-4-1', 'claude-opus-4-8'].map((model) => [
    'anthropic',
    model,
  ]),
  ...['gpt-4.1', 'gpt-5', 'o3', 'gpt-5.1'].map((model) => ['openai', model]),
  ['google', 'gemini-2.5-pro'],
  ['xai', 'grok-4'],
  ['mistral', 'mistral-large'],
  ['deepseek', 'deepseek-chat'],
  ['moonshot', 'kimi-k2'],
  ['groq', 'llama'],
  ['openrouter', 'x'],
  ['generic', 'x'],
] as [string, string][];

/** Whether a request has the field; a list has it if an item does, whichever index the path names. */
function hasField(json: unknown, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return json != null;
  if (Array.isArray(json))
    return asArray(json).some((item) => hasField(item, /^\d+$/.test(name) ? rest : path));
  return isObject(json) && hasField(json[name], rest);
}

test.each(Object.entries(REQUESTS))(
  'every warning in the %s format names a field of the request',
  (format, requests) => {
    const named = new Set<string>();
    for (const [provider, upstreamModel] of MODELS) {
      for (const withoutReasoning of [false, true]) {
        for (const fields of requests) {
          const base =
            format === 'responses'
              ? { input: HI }
              : { messages: HI, ...(format === 'messages' && { max_tokens: 9_000 }) };
          const body = { model: 'm', ...base, ...fields };
          for (const warning of warningsOf(format as keyof typeof REQUESTS, body, {
            provider,
            upstreamModel,
            withoutReasoning,
          })) {
            const field = /^[\w.]+/.exec(warning)?.[0] ?? warning;
            named.add(field);
            const isSent = hasField(body, field.split('.')) || hasFieldDeep(body, field);
            if (!isSent && !OWN_DECISIONS.test(warning))
              throw new Error(`${provider}/${upstreamModel}: ${warning}: not in ${JSON.stringify(fields)}`);
            expect(warning).not.toMatch(/[{}]/);
          }
        }
      }
    }
    expect(named.size).toBeGreaterThan(3);
  },
);

/** A warning about a field of a tool or part may name it alone. */
const hasFieldDeep = (json: unknown, name: string): boolean =>
  Array.isArray(json) || isObject(json)
    ? Object.entries(json).some(([own, value]) => own === name || hasFieldDeep(value, name))
    : false;

/** What changes although the client did not ask for it: its default. */
const OWN_DECISIONS =
  /^(reasoning_effort|reasoning\.effort|thinking) (was turned off: (the history lacks|this model does not accept)|was set to none)/;

function warningsOf(format: keyof typeof REQUESTS, body: Json, options: object): string[] {
  try {
    return exchange(format, body, { searches: hasSearch(body) ? 3 : 0, reasoning: true, ...options })
      .warnings;
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

const hasSearch = ({ tools, web_search_options }: Json): boolean =>
  web_search_options !== undefined || JSON.stringify(tools ?? []).includes('web_search');

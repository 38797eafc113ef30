import type { ApiRequest } from './random-requests';

/** The requests of a coding agent: each step sends the conversation so far, with a call and its result. */

export type Agent = { model: string; path: '/v1/chat/completions' | '/v1/messages'; maxTokens?: number };

const STATEMENT =
  'export const readTotal = (rows: Row[]) => rows.reduce((sum, { amount }) => sum + amount, 0);\n';
const INSTRUCTIONS = 'You are a coding agent. Read files before you change them, and run the tests. '.repeat(
  60,
);
const RESULT_LINES = 60;
/** What the agent was given first: some 90,000 tokens. */
const FILES = Array.from({ length: 2_600 }, (_, line) => `${line}: ${STATEMENT}`).join('');

const TOOLS = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Reads, writes or searches the files of the project, and returns what it found. '.repeat(3),
  schema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Relative to the root of the project.' } },
    required: ['path'],
  },
}));

/** The request of a step, of which the first is 0. */
export function agentRequest(agent: Agent, step: number, task = 'Fix the failing test.'): ApiRequest {
  const body = agent.path === '/v1/messages' ? messagesBody(agent, step, task) : chatBody(agent, step, task);
  return { path: agent.path, body };
}

const resultOf = (step: number): string =>
  Array.from({ length: RESULT_LINES }, (_, line) => `${step}.${line}: ${STATEMENT}`).join('');

const markedText = (text: string, isMarked: boolean) => ({
  type: 'text',
  text,
  ...(isMarked && { cache_control: { type: 'ephemeral' } }),
});

function chatBody({ model, maxTokens }: Agent, steps: number, task: string): ApiRequest['body'] {
  const turns = Array.from({ length: steps }, (_, step) => [
    {
      role: 'assistant',
      content: `I read file ${step}.`,
      tool_calls: [
        {
          id: `call_${step}`,
          type: 'function',
          function: { name: 'tool_1', arguments: `{"path":"src/file-${step}.ts"}` },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${step}`, content: [markedText(resultOf(step), step >= steps - 2)] },
  ]);
  return {
    model,
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content: `${task}\n${FILES}` },
      ...turns.flat(),
    ],
    tools: TOOLS.map(({ schema, ...tool }) => ({
      type: 'function',
      function: { ...tool, parameters: schema },
    })),
  };
}

/** Marks the last two results for the cache, as agents do. */
function messagesBody({ model, maxTokens = 8_000 }: Agent, steps: number, task: string): ApiRequest['body'] {
  const turns = Array.from({ length: steps }, (_, step) => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `I read file ${step}.` },
        { type: 'tool_use', id: `call_${step}`, name: 'tool_1', input: { path: `src/file-${step}.ts` } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `call_${step}`,
          content: resultOf(step),
          ...(step >= steps - 2 && { cache_control: { type: 'ephemeral' } }),
        },
      ],
    },
  ]);
  return {
    model,
    max_tokens: maxTokens,
    system: [{ type: 'text', text: INSTRUCTIONS, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: `${task}\n${FILES}` }, ...turns.flat()],
    tools: TOOLS.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })),
  };
}

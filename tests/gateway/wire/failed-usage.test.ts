import { expect, test } from 'vitest';
import { asObject } from '@/server/gateway/protocols/read-fields';
import { FailedResponse } from '@/server/gateway/providers/provider-failure';
import { CHAT, exchange, frameEvents, MESSAGES, relay } from './exchange-harness';

/** A response that failed hands over what it reports: its provider may bill for that. */

const CHOICE = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } };
const USAGE = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50 };
const ERROR = { message: 'The model failed', type: 'server_error' };
const ITEM = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] };
const COUNTS = { input_tokens: 20, output_tokens: 30, total_tokens: 50 };

const open = (format: string, provider: string) => {
  if (format === 'responses') return exchange('responses', { model: 'm', input: 'Hi' }, { provider });
  return format === 'chat'
    ? exchange('chat', CHAT, { provider })
    : exchange('messages', MESSAGES, { provider });
};

function failureOf(format: string, provider: string, body: object): FailedResponse {
  try {
    open(format, provider).readWhole(JSON.stringify(body));
  } catch (error) {
    if (error instanceof FailedResponse) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

test.each([
  ['chat', 'openai', { choices: [{ ...CHOICE, finish_reason: 'error' }], usage: USAGE }],
  ['chat', 'openai', { choices: [CHOICE], error: ERROR, usage: USAGE }],
  ['chat', 'openai', { error: ERROR, usage: USAGE }],
  ['chat', 'openai', { choices: [], usage: USAGE }],
  ['messages', 'openai', { choices: [CHOICE], error: ERROR, x_groq: { usage: USAGE } }],
  ['messages', 'anthropic', { type: 'error', error: ERROR, usage: COUNTS }],
  ['messages', 'anthropic', { type: 'message', usage: COUNTS }],
  ['chat', 'anthropic', { type: 'error', error: ERROR, content: [], usage: COUNTS }],
  ['responses', 'openai', { status: 'failed', error: ERROR, output: [ITEM], usage: COUNTS }],
  ['responses', 'openai', { status: 'failed', error: ERROR, output: [], usage: COUNTS }],
  ['responses', 'openai', { status: 'cancelled', error: null, output: [ITEM], usage: COUNTS }],
])(
  'a failed response in the %s format of %s has the usage of %j, and is not repeated as if it were free',
  (format, provider, body) => {
    const { failure, isRefusal } = failureOf(format, provider, body);
    expect(failure.produced?.usage).toMatchObject({ input: 20, output: 30 });
    expect(isRefusal).toBe(false);
  },
);

test('output without usage counts too, and an error alone is a refusal', () => {
  const { failure, isRefusal } = failureOf('chat', 'openai', { choices: [CHOICE], error: ERROR });
  expect(failure.produced).toMatchObject({ usage: null, outputBytes: 5 });
  expect(isRefusal).toBe(false);
  const refused = failureOf('chat', 'openai', { error: ERROR });
  expect([refused.failure.produced, refused.isRefusal]).toEqual([null, true]);
});

test.each([
  ['chat', [{ choices: [{ index: 0, delta: { content: 'Hello' } }] }, { error: ERROR, usage: USAGE }]],
  ['chat', [{ choices: [{ index: 0, finish_reason: 'error', delta: {} }], usage: USAGE }]],
  ['responses', [{ type: 'response.failed', response: { error: ERROR, output: [], usage: COUNTS } }]],
  [
    'responses',
    [
      { type: 'response.in_progress', response: { usage: COUNTS } },
      { type: 'error', error: ERROR },
    ],
  ],
])('so does a stream in the %s format that fails: %j', (format, events) => {
  const { facts } = relay(open(format, 'openai'), frameEvents(events));
  expect(asObject(facts.usage)).toMatchObject({ input: 20, output: 30 });
  expect(facts.failure).not.toBeNull();
});

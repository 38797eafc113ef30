import { describe, expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import {
  isPlaceholderSignature,
  providerOfPlaceholder,
} from '@/server/gateway/protocols/placeholder-signature';
import { CHAT, exchange, MESSAGES, refusalOf } from './exchange-harness';

const usage = {
  input_tokens: 10,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 3,
  output_tokens: 5,
};

describe('an Anthropic message for a chat client', () => {
  const tell = (message: Json) =>
    JSON.parse(
      exchange('chat', CHAT, { provider: 'anthropic' }).readWhole(
        JSON.stringify({
          id: 'msg_up',
          type: 'message',
          model: 'up',
          stop_reason: 'end_turn',
          usage,
          content: [],
          ...message,
        }),
      ).body,
    );
  const message = (content: Json[], more: Json = {}) => tell({ content, ...more }).choices[0].message;

  test('has our id and the requested model name', () => {
    expect(tell({ content: [{ type: 'text', text: 'Hi' }] })).toEqual({
      id: 'chatcmpl-id1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'some/model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 17,
        completion_tokens: 5,
        total_tokens: 22,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  test.each<[string, Json[], Json]>([
    [
      'texts are joined',
      [
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ],
      { content: 'AB' },
    ],
    ['nothing at all', [], { content: '' }],
    [
      'a call',
      [{ type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } }],
      {
        content: null,
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    ],
    [
      'tools of the provider are not shown',
      [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', content: [] },
        { type: 'text', text: 'A' },
      ],
      { content: 'A' },
    ],
    [
      'reasoning, with the parts that must be sent back',
      [
        { type: 'thinking', thinking: 'Hm', signature: 'EvQB+/=' },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'text', text: 'A' },
      ],
      {
        content: 'A',
        reasoning_content: 'Hm',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm', signature: 'EvQB+/=', index: 0 },
          { type: 'reasoning.encrypted', data: 'x', index: 1 },
        ],
      },
    ],
    [
      'citations with an address, by their place in the whole text',
      [
        { type: 'text', text: 'See ' },
        {
          type: 'text',
          text: 'this',
          citations: [
            { type: 'web_search_result_location', url: 'https://t.test', title: 'T' },
            { type: 'char_location', document_title: 'D' },
          ],
        },
      ],
      {
        content: 'See this',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { start_index: 4, end_index: 8, url: 'https://t.test', title: 'T' },
          },
        ],
      },
    ],
  ])('%s', (_, content, expected) => {
    expect(message(content)).toEqual({ role: 'assistant', refusal: null, ...expected });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'stop'],
    ['compaction', 'stop'],
    ['something_new', 'stop'],
  ])('stop reason %s becomes %s', (stop_reason, finish) => {
    expect(tell({ stop_reason }).choices[0].finish_reason).toBe(finish);
  });

  test('a refusal includes its reason', () => {
    expect(
      message([], { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'No.' } }).refusal,
    ).toBe('No.');
  });
});

describe('a chat completion for a messages client', () => {
  const read = (message: unknown, finish = 'stop', more: Json = {}) => {
    const prepared = exchange('messages', MESSAGES, { provider: 'generic' });
    const { body } = prepared.readWhole(
      JSON.stringify({
        id: 'x',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: { prompt_tokens: 10, completion_tokens: 5 },
        ...more,
      }),
    );
    return { ...JSON.parse(body), warnings: prepared.warnings };
  };
  const call = (json: unknown, more: Json = {}) => ({
    id: 'c1',
    type: 'function',
    function: { name: 'f', arguments: json },
    ...more,
  });
  const use = (input: Json, id = 'c1') => ({ type: 'tool_use', id, name: 'f', input });

  test('has our id and the requested model name', () => {
    expect(read({ role: 'assistant', content: 'Hi', refusal: null })).toEqual({
      id: 'msg_id1',
      type: 'message',
      role: 'assistant',
      model: 'some/model',
      container: null,
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 0 },
        service_tier: 'standard',
      },
      warnings: [],
    });
  });

  test.each<[string, Json, Json[]]>([
    ['no text, no block', { content: '' }, []],
    ['nothing at all', { content: null }, []],
    [
      'parts',
      {
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
      [{ type: 'text', text: 'AB' }],
    ],
    ['a refusal that is none', { content: 'A', refusal: false }, [{ type: 'text', text: 'A' }]],
    [
      'think tags stay text',
      { content: '<think>Hm</think>A' },
      [{ type: 'text', text: '<think>Hm</think>A' }],
    ],
    ['annotations are dropped', { content: 'A', annotations: [{}] }, [{ type: 'text', text: 'A' }]],
    ['a call', { content: null, tool_calls: [call('{"a":1}')] }, [use({ a: 1 })]],
    ['a call without arguments', { tool_calls: [call('')] }, [use({})]],
    ['arguments that are already an object', { tool_calls: [call({ a: 1 })] }, [use({ a: 1 })]],
    [
      'an odd id is cleaned',
      { tool_calls: [call('{}', { id: 'fn:1' })] },
      [use({}, expect.stringMatching(/^fn_1_[0-9a-f]{8}$/) as unknown as string)],
    ],
    ['no id', { tool_calls: [call('{}', { id: undefined })] }, [use({}, 'call_id1')]],
    ['one id for two calls', { tool_calls: [call('{}'), call('{}')] }, [use({}), use({}, 'c1_2')]],
    [
      'a legacy call',
      { content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      [use({ a: 1 }, 'call_id1')],
    ],
  ])('%s', (_, message, content) => {
    expect(read(message).content).toEqual(content);
  });

  test.each<[Json]>([
    [{ reasoning_content: 'Hm' }],
    [{ reasoning: 'Hm' }],
    [{ reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }],
    [{ reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }],
    [
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'A' },
        ],
      },
    ],
  ])('reasoning as %j comes first, with our signature', (fields) => {
    const [thinking, text] = read({ content: 'A', ...fields }).content;
    expect([thinking.type, thinking.thinking, text]).toEqual(['thinking', 'Hm', { type: 'text', text: 'A' }]);
    expect([isPlaceholderSignature(thinking.signature), providerOfPlaceholder(thinking.signature)]).toEqual([
      true,
      'generic',
    ]);
  });

  test('a refusal', () => {
    expect(read({ content: null, refusal: 'No.' })).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'No.' },
    });
  });

  test.each([
    ['stop', false, 'end_turn'],
    ['stop', true, 'tool_use'],
    ['tool_calls', true, 'tool_use'],
    ['tool_calls', false, 'end_turn'],
    ['function_call', true, 'tool_use'],
    ['length', false, 'max_tokens'],
    ['content_filter', false, 'refusal'],
    ['eos', false, 'end_turn'],
    ['end_turn', false, 'end_turn'],
    ['max_output', false, 'max_tokens'],
    ['model_length', false, 'max_tokens'],
    ['MALFORMED_FUNCTION_CALL', false, 'end_turn'],
    ['SAFETY', false, 'refusal'],
  ])('finish reason %s, calls %s: %s', (finish, hasCalls, stop) => {
    expect(read({ content: 'A', ...(hasCalls && { tool_calls: [call('{}')] }) }, finish).stop_reason).toBe(
      stop,
    );
  });

  test('truncated arguments', () => {
    expect(read({ tool_calls: [call('{"a":')] }, 'length')).toMatchObject({
      content: [use({})],
      stop_reason: 'max_tokens',
      warnings: [expect.any(String)],
    });
  });

  test('further choices are ignored', () => {
    const choices = [
      { message: { content: 'A' }, finish_reason: 'stop' },
      { message: { content: 'B' }, finish_reason: 'stop' },
    ];
    expect(read(null, 'stop', { choices }).content).toEqual([{ type: 'text', text: 'A' }]);
  });
});

describe('an invalid response', () => {
  const bodies: [string, string, string, string][] = [
    ['no choices', 'openai', '{"choices":[]}', 'upstream_error'],
    ['choices missing', 'openai', '{}', 'upstream_error'],
    ['not JSON', 'openai', '<html>', 'upstream_error'],
    ['an error', 'openai', '{"error":{"message":"slow","code":429}}', 'rate_limited'],
    [
      'an error next to choices',
      'openrouter',
      '{"error":{"message":"boom"},"choices":[{"message":{}}]}',
      'upstream_error',
    ],
    [
      'a response that failed midway',
      'openrouter',
      '{"choices":[{"finish_reason":"error","error":{"message":"boom"},"message":{"content":"Onc"}}]}',
      'upstream_error',
    ],
    ['no content', 'anthropic', '{"type":"message"}', 'upstream_error'],
    [
      'an Anthropic error',
      'anthropic',
      '{"type":"error","error":{"type":"overloaded_error","message":"x"}}',
      'upstream_error',
    ],
    [
      'an Anthropic refusal of the request',
      'anthropic',
      '{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}',
      'invalid_request',
    ],
  ];

  test.each(bodies)('%s from %s', (_, provider, body, code) => {
    for (const format of ['chat', 'messages'] as const) {
      const prepared = exchange(format, format === 'chat' ? CHAT : MESSAGES, { provider });
      expect(refusalOf(() => prepared.readWhole(body)).code).toBe(code);
    }
  });
});

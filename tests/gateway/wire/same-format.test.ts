import { describe, expect, test } from 'vitest';
import { chatProtocol } from '@/server/gateway/protocols/chat/protocol';
import { measureDocuments } from '@/server/gateway/protocols/measure-size';
import { messagesProtocol, validateCountTokens } from '@/server/gateway/protocols/messages/protocol';
import type { Json } from '@/server/gateway/protocols/neutral';
import { writePlaceholderSignature } from '@/server/gateway/protocols/placeholder-signature';
import { prepareTokenCount } from '@/server/gateway/providers/anthropic/count-tokens';
import { profileOf } from '@/server/gateway/providers/profiles';
import { CHAT, eventsOf, exchange, frameEvents, MESSAGES, refusalOf, relay, sent } from './exchange-harness';
import { CHAT_FIXTURES, MESSAGES_FIXTURES } from './fixtures';

/** Requests that keep their format: unchanged except for what we must set. */

const HI: Json = { role: 'user', content: 'Hi' };

describe('chat to the OpenAI format', () => {
  const translate = (request: Json, provider = 'generic', more: Json = {}) => {
    const prepared = exchange('chat', { ...CHAT, ...request }, { provider, ...more });
    return { body: sent(prepared), warnings: prepared.warnings, path: prepared.path };
  };

  test('known fields are passed on, and others are dropped with a warning at every level', () => {
    const request = {
      seed: 7,
      logit_bias: { 1: 2 },
      reasoning: { effort: 'high' },
      temperature: 0,
      tools: [{ type: 'function', function: { name: 'f', parameters: { properties: { extra: {} } } } }],
      messages: [{ ...HI, name: 'Ann' }],
    };
    const body = { ...request, model: 'upstream-model', max_tokens: 1_000 };
    expect(translate(request)).toEqual({ body, warnings: [], path: '/chat/completions' });
    const more = {
      ...request,
      new_thing: { a: [1] },
      reasoning: { effort: 'high', extra: 1 },
      tools: [{ type: 'function', function: { ...request.tools[0]?.function, extra: 1 } }],
      messages: [{ ...HI, name: 'Ann', extra: 1 }],
    };
    expect(translate(more)).toEqual({
      body,
      warnings: [
        'messages.extra was dropped',
        'reasoning.extra was dropped',
        'tools.function.extra was dropped',
        'new_thing was dropped',
      ],
      path: '/chat/completions',
    });
  });

  test('usage in streams is always requested, and other stream options are kept', () => {
    expect(translate({ stream: true }).body.stream_options).toEqual({ include_usage: true });
    expect(
      translate({ stream: true, stream_options: { include_usage: false, include_obfuscation: false } }).body
        .stream_options,
    ).toEqual({ include_usage: true, include_obfuscation: false });
  });

  test.each<[string, string, Json, string]>([
    ['openai', 'gpt-4o', {}, 'max_tokens'],
    ['openai', 'gpt-4o', { max_completion_tokens: 9 }, 'max_completion_tokens'],
    ['openai', 'gpt-5', { max_tokens: 9 }, 'max_completion_tokens'],
    ['mistral', 'mistral-large', { max_completion_tokens: 9 }, 'max_tokens'],
  ])('the output cap of %s %s with %j is %s', (provider, upstreamModel, request, name) => {
    const { body } = translate(request, provider, { upstreamModel });
    expect(Object.entries(body).filter(([key]) => key.startsWith('max_'))).toEqual([[name, 1_000]]);
  });

  test('the service tier, the end user and the account are ours', () => {
    const request = {
      service_tier: 'auto',
      user: 'ann@example.com',
      safety_identifier: 'ann',
      store: true,
      metadata: { a: 'b' },
      prediction: { type: 'content', content: 'billed as output where it is wrong' },
    };
    const { body, warnings } = translate(request, 'openai', { userHash: 'hash' });
    expect(body).toEqual({
      ...CHAT,
      model: 'upstream-model',
      max_tokens: 1_000,
      service_tier: 'default',
      safety_identifier: 'hash',
    });
    expect(warnings).toEqual(['store was dropped', 'prediction was dropped']);
    expect(translate(request, 'mistral', { userHash: 'hash' }).body).toEqual({
      ...CHAT,
      model: 'upstream-model',
      max_tokens: 1_000,
    });
  });

  test('gpt-5.6 accepts tools only without reasoning', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(translate({ tools }, 'openai', { upstreamModel: 'gpt-5.6' }).body.reasoning_effort).toBe('none');
    expect(translate({ tools }, 'openai', { upstreamModel: 'gpt-5.5' }).body).not.toHaveProperty(
      'reasoning_effort',
    );
  });

  test('a developer message becomes a system message except for OpenAI’s newer models', () => {
    const roleFor = (provider: string, upstreamModel: string) =>
      (
        translate({ messages: [{ role: 'developer', content: 'Be brief' }, HI] }, provider, { upstreamModel })
          .body.messages as Json[]
      )[0];
    expect(roleFor('mistral', 'mistral-large')).toEqual({ role: 'system', content: 'Be brief' });
    expect(roleFor('deepseek', 'deepseek-v4-pro')).toEqual({ role: 'system', content: 'Be brief' });
    expect(roleFor('openai', 'gpt-5')).toEqual({ role: 'developer', content: 'Be brief' });
  });

  test('reasoning of other providers does not reach a provider that refuses unknown fields', () => {
    const messages = [
      HI,
      { role: 'assistant', content: 'Yo', reasoning_content: 'Hm', reasoning_details: [] },
      HI,
    ];
    expect((translate({ messages }, 'openai').body.messages as Json[])[1]).toEqual({
      role: 'assistant',
      content: 'Yo',
    });
    expect(translate({ messages }, 'deepseek').body.messages).toEqual(messages);
    expect(
      (translate({ messages }, 'deepseek', { withoutReasoning: true }).body.messages as Json[])[1],
    ).toEqual({
      role: 'assistant',
      content: 'Yo',
    });
  });

  test('cache breakpoints are passed where they are supported, in the provider’s notation', () => {
    const cacheControl = { cache_control: { type: 'ephemeral' } };
    const text = { type: 'text', text: 'Hi' };
    const request = {
      messages: [
        { role: 'system', content: [text, { ...text, ...cacheControl }] },
        { ...HI, ...cacheControl },
      ],
      tools: [{ type: 'function', function: { name: 'f' }, ...cacheControl }],
    };
    const plain = {
      messages: [{ role: 'system', content: [text, text] }, HI],
      tools: [{ type: 'function', function: { name: 'f' } }],
    };
    for (const provider of ['openai', 'mistral', 'groq'])
      expect(translate(request, provider).body).toMatchObject(plain);
    expect(JSON.stringify(translate(request, 'groq').body)).not.toContain('cache_control');
    expect(translate(request, 'openrouter').body).toMatchObject(request);
    const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };
    const { body } = translate(request, 'openai', { upstreamModel: 'gpt-6' });
    expect(body.messages).toEqual([{ role: 'system', content: [text, { ...text, ...breakpoint }] }, HI]);
    expect(body.tools).toEqual([{ ...plain.tools[0], ...breakpoint }]);
  });

  test('OpenRouter’s field for reasoning becomes that of the provider', () => {
    const reason = (reasoning: Json, upstreamModel = 'gpt-5.2', provider = 'openai') => {
      const { body, warnings } = translate({ reasoning }, provider, { upstreamModel });
      return [body.reasoning_effort, body.reasoning, warnings];
    };
    expect(reason({ effort: 'high' })).toEqual(['high', undefined, []]);
    expect(reason({ enabled: false })).toEqual(['none', undefined, []]);
    expect(reason({ max_tokens: 4_000 })).toEqual(['medium', undefined, []]);
    expect(reason({ effort: 'high' }, 'gpt-4o')).toEqual([undefined, undefined, ['reasoning was dropped']]);
    expect(reason({ exclude: true }, 'gpt-4o')).toEqual([undefined, undefined, []]);
    expect(reason({ effort: 'high' }, 'x', 'openrouter')).toEqual([undefined, { effort: 'high' }, []]);
    expect(
      translate({ reasoning: { effort: 'low' }, reasoning_effort: 'high' }, 'openai').body,
    ).toMatchObject({
      reasoning_effort: 'high',
    });
  });

  test.each<[string, string, Json, Json, string[]]>([
    [
      'openai',
      'gpt-5',
      { temperature: 0.1, top_p: 0.5 },
      {},
      ['temperature was dropped', 'top_p was dropped'],
    ],
    ['openai', 'gpt-5', { temperature: 1, presence_penalty: 0, logprobs: false }, {}, []],
    ['openai', 'gpt-5.2', { temperature: 0.1 }, {}, ['temperature was dropped']],
    [
      'openai',
      'gpt-5.2',
      { temperature: 0.1, reasoning_effort: 'none' },
      { temperature: 0.1, reasoning_effort: 'none' },
      [],
    ],
    ['openai', 'gpt-4.1', { temperature: 0.1, stop: ['x'] }, { temperature: 0.1, stop: ['x'] }, []],
    ['openai', 'o3', { stop: ['x'] }, {}, ['stop was dropped']],
    ['openai', 'gpt-4.1', { reasoning_effort: 'high' }, {}, ['reasoning_effort was dropped']],
    [
      'openai',
      'gpt-5',
      { reasoning_effort: 'none' },
      { reasoning_effort: 'minimal' },
      ['reasoning_effort was changed to minimal'],
    ],
    ['openai', 'gpt-5', { reasoning_effort: 'newest' }, { reasoning_effort: 'newest' }, []],
    [
      'openai',
      'gpt-5',
      { thinking: { type: 'enabled', budget_tokens: 9_000 } },
      { reasoning_effort: 'high' },
      [],
    ],
    ['openai', 'gpt-4.1', { top_k: 5 }, {}, ['top_k was dropped']],
    ['openai', 'gpt-4.1', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }, {}, []],
    ['openai', 'gpt-4.1', { tool_choice: 'required' }, {}, ['tool_choice was dropped: there are no tools']],
    ['deepseek', 'deepseek-chat', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }, []],
    ['groq', 'qwen3-32b', { reasoning_effort: 'none' }, { reasoning_effort: 'none' }, []],
    ['mistral', 'mistral-large', { reasoning_effort: 'high' }, {}, ['reasoning_effort was dropped']],
    [
      'my-vllm',
      'gpt-5',
      { temperature: 0.1, top_k: 5, tools: [], reasoning_effort: 'high' },
      { temperature: 0.1, top_k: 5, tools: [], reasoning_effort: 'high' },
      [],
    ],
    ['openrouter', 'openai/gpt-5', { temperature: 0.1, stop: 'x' }, { temperature: 0.1, stop: 'x' }, []],
  ])('%s %s receives of %j only what it accepts', (provider, upstreamModel, given, expected, warnings) => {
    const translated = translate(given, provider, { upstreamModel });
    const kept = Object.keys(given).flatMap((name) => (name in translated.body ? [name] : []));
    expect([kept.sort(), translated.warnings]).toEqual([
      Object.keys(expected)
        .filter((name) => name in given)
        .sort(),
      warnings,
    ]);
    expect(translated.body).toMatchObject(expected);
  });

  test('tools of google are called in parallel or not as the model decides', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const { body, warnings } = translate({ tools, parallel_tool_calls: false }, 'google');
    expect([body.parallel_tool_calls, warnings]).toEqual([undefined, ['parallel_tool_calls was dropped']]);
    expect(translate({ tools, parallel_tool_calls: false }, 'openai').body.parallel_tool_calls).toBe(false);
  });

  test.each<[string, unknown]>([
    ['required', 'required'],
    ['one function', { type: 'function', function: { name: 'f' } }],
  ])('a model that cannot be forced refuses the choice of %s', (_, tool_choice) => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const force = (model: string) => () =>
      translate({ tools, tool_choice }, 'deepseek', { upstreamModel: model });
    expect(refusalOf(force('deepseek-reasoner'))).toMatchObject({ param: 'tool_choice' });
    expect(force('deepseek-chat')().body.tool_choice).toEqual(tool_choice);
  });

  test('an image in the result of a tool moves to the user', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const text = { type: 'text', text: 'Here' };
    const assistant = { role: 'assistant', content: null, tool_calls: [] };
    const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content });
    const label = (id: string) => ({ type: 'text', text: `[Result of the tool call ${id}]` });
    const messages = [HI, assistant, result('a', [text, image]), result('b', 'plain'), result('c', [image])];
    const moved = [HI, assistant, result('a', [text]), result('b', 'plain'), result('c', [])];
    const shown = [label('a'), image, label('c'), image];
    expect(translate({ messages }, 'openai').body.messages).toEqual([
      ...moved,
      { role: 'user', content: shown },
    ]);
    expect(translate({ messages: [...messages, HI, assistant] }, 'openai').body.messages).toEqual([
      ...moved,
      { role: 'user', content: [...shown, { type: 'text', text: 'Hi' }] },
      assistant,
    ]);
    expect(translate({ messages }, 'openrouter').body.messages).toEqual(messages);
  });

  test('chunks and responses without an id, time, object or model receive them', () => {
    const bare = {
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    };
    const known = { id: 'c1', created: 5, ...bare };
    const { text } = relay(
      exchange('chat', { ...CHAT, stream: true }),
      frameEvents([bare, known, { ...bare, id: '', created: null, object: 'x', model: '' }]),
    );
    const object = 'chat.completion.chunk';
    const model = 'some/model';
    expect(eventsOf(text)).toMatchObject([
      { id: 'chatcmpl-id1', created: 1_700_000_000, object, model },
      { id: 'c1', created: 5, object, model },
      { id: 'c1', created: 5, object, model },
    ]);
    const message = { role: 'assistant', content: 'Hi' };
    const whole = exchange('chat', CHAT).readWhole(JSON.stringify({ choices: [{ index: 0, message }] }));
    expect(JSON.parse(whole.body)).toMatchObject({
      id: 'chatcmpl-id1',
      created: 1_700_000_000,
      object: 'chat.completion',
      model,
    });
  });

  test('usage is always reported: OpenRouter’s field for it is passed to nobody', () => {
    expect(translate({ usage: { include: true } }, 'openai').body).not.toHaveProperty('usage');
  });

  test.each<[string, Json, string?]>([
    ['a more expensive tier', { service_tier: 'priority' }],
    ['web search', { web_search_options: {} }],
    ['a tool of the provider', { tools: [{ type: 'openrouter:web_search' }] }],
    ['spoken responses', { modalities: ['text', 'audio'], audio: {} }],
    [
      'an uploaded file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    ],
    ['audio', { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }],
    [
      'a part of unknown size',
      {
        messages: [
          { role: 'user', content: [{ type: 'document_url', document_url: 'https://x.example/a' }] },
        ],
      },
      'mistral',
    ],
    ['a response stored in an account', { messages: [{ role: 'assistant', audio: { id: 'a' } }, HI] }],
    ['other models', { models: ['a', 'b'] }, 'openrouter'],
    ['another plugin', { plugins: [{ id: 'moderation' }] }, 'openrouter'],
    ['live search', { search_parameters: { mode: 'on' } }, 'xai'],
    ['a model of another API', { upstreamModel: 'gpt-5-pro' }, 'openai'],
  ])('%s is refused', (_, request, provider) => {
    const { upstreamModel = 'm', ...fields } = request;
    expect(refusalOf(() => translate(fields, provider, { upstreamModel })).code).toBe('invalid_request');
  });

  test('usage next to a choice is removed, and reported separately on request', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    const head = { id: 'chatcmpl-theirs', object: 'chat.completion.chunk', created: 7, model: 'theirs' };
    const delta = { role: 'assistant', content: 'Hi' };
    const events = [{ ...head, choices: [{ index: 0, delta, finish_reason: 'stop' }], usage }];
    const chunks = (include_usage: boolean) =>
      eventsOf(
        relay(
          exchange('chat', { ...CHAT, stream: true, stream_options: { include_usage } }),
          frameEvents(events, { done: true }),
        ).text,
      );
    expect(chunks(false).map((chunk) => 'usage' in chunk)).toEqual([false]);
    expect(chunks(true)).toMatchObject([
      { choices: [{ delta, finish_reason: 'stop' }], usage: null },
      { ...head, model: 'some/model', choices: [], usage },
    ]);
  });

  test('the provider’s cost is not reported as the client’s charge', () => {
    const costs = {
      cost: 0.01,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.2 },
      cost_in_usd_ticks: 5,
    };
    const counts = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    const usage = { ...counts, ...costs };
    const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
    const whole = exchange('chat', CHAT, { provider: 'openrouter' }).readWhole(
      JSON.stringify({ model: 'theirs', choices: [choice], usage }),
    );
    expect(JSON.parse(whole.body).usage).toEqual(counts);
    expect(whole.providerCost).toBe(21_000_000_000_000n);
    const request = { ...CHAT, stream: true, stream_options: { include_usage: true } };
    const events = [
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] },
      { choices: [], usage },
    ];
    const streamed = relay(
      exchange('chat', request, { provider: 'openrouter' }),
      frameEvents(events, { done: true }),
    );
    expect(eventsOf(streamed.text).at(-1)?.usage).toEqual(counts);
    expect(streamed.facts.providerCost).toBe(21_000_000_000_000n);
  });

  test('reasoning that a provider excludes from its reported output is included in the client’s usage', () => {
    const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 303 };
    const reported = { ...usage, completion_tokens: 291 };
    const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
    const whole = exchange('chat', CHAT, { provider: 'xai' }).readWhole(
      JSON.stringify({ choices: [choice], usage }),
    );
    expect([JSON.parse(whole.body).usage, whole.usage?.output]).toEqual([reported, 291]);
    const request = { ...CHAT, stream: true, stream_options: { include_usage: true } };
    const events = [
      { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
      { choices: [], usage },
    ];
    const { text } = relay(
      exchange('chat', request, { provider: 'xai' }),
      frameEvents(events, { done: true }),
    );
    expect(eventsOf(text).at(-1)?.usage).toEqual(reported);
  });

  test('complete text next to each delta is not mistaken for the response', () => {
    const chunk = (delta: string, cumulative: string, finish_reason: string | null) => ({
      choices: [
        {
          index: 0,
          delta: { content: delta },
          message: { role: 'assistant', content: cumulative },
          finish_reason,
        },
      ],
    });
    const events = [chunk('Hel', 'Hel', null), chunk('lo', 'Hello', 'stop')];
    const { text, facts } = relay(
      exchange('chat', { ...CHAT, stream: true }),
      frameEvents(events, { done: true }),
    );
    const reported = eventsOf(text).flatMap(({ choices }) =>
      (choices as { delta: Json }[]).map(({ delta }) => delta.content),
    );
    expect([reported, facts.outputBytes]).toEqual([['Hel', 'lo'], 5]);
  });

  test('a whole response is repaired like a streamed one', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
        { type: 'text', text: 'Hi' },
      ],
      tool_calls: [{ id: 'call_1', function: { name: 'one', arguments: { a: 1 } } }],
    };
    const response = { model: 'theirs', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
    const { body } = exchange('chat', CHAT, { provider: 'mistral' }).readWhole(JSON.stringify(response));
    expect(JSON.parse(body)).toMatchObject({
      model: 'some/model',
      choices: [
        {
          message: {
            content: 'Hi',
            reasoning_content: 'Hm',
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'one', arguments: '{"a":1}' } }],
          },
        },
      ],
    });
  });

  test.each(['deepseek', 'moonshot'])(
    '%s does not continue to reason when its reasoning is missing',
    (provider) => {
      const again = exchange('chat', CHAT, { provider, withoutReasoning: true });
      expect(sent(again).thinking).toEqual({ type: 'disabled' });
      expect(again.warnings).toEqual(['reasoning_effort was turned off: the history lacks its thoughts']);
      expect(sent(exchange('chat', CHAT, { provider })).thinking).toBeUndefined();
    },
  );

  test('chunks pass byte for byte except for the model’s name', () => {
    const { events } = CHAT_FIXTURES['OpenAI: role chunk, obfuscation, usage chunk apart'] ?? { events: [] };
    const bytes = frameEvents(events, { done: true });
    const request = { ...CHAT, stream: true, stream_options: { include_usage: true } };
    const expected = new TextDecoder().decode(bytes).replaceAll('upstream-model', 'some/model');
    expect(relay(exchange('chat', request), bytes).text).toBe(expected);
    const withoutUsage = relay(exchange('chat', { ...CHAT, stream: true }), bytes).text;
    expect(withoutUsage).toBe(expected.replace(/data: [^\n]*"choices":\[\][^\n]*\n\n/, ''));
  });
});

describe('messages to the Anthropic format', () => {
  const translate = (request: Json, upstreamModel = 'claude-opus-5-5', more: Json = {}) => {
    const prepared = exchange(
      'messages',
      { ...MESSAGES, ...request },
      { provider: 'anthropic', upstreamModel, ...more },
    );
    return { body: sent(prepared), warnings: prepared.warnings, path: prepared.path };
  };
  const plain = { ...MESSAGES, model: 'claude-opus-5-5', service_tier: 'standard_only' };

  test('known fields are passed on, including those of Claude Code, and others are dropped', () => {
    const request = {
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: a' },
        { type: 'text', text: 'B', cache_control: { type: 'ephemeral' } },
      ],
      messages: [HI, { role: 'system', content: 'Brief' }],
      thinking: { type: 'adaptive', display: 'omitted' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      output_config: { effort: 'high' },
      tools: [
        { name: 'f', input_schema: { type: 'object' } },
        { type: 'bash_20250124', name: 'bash' },
      ],
    };
    const body = { ...plain, ...request };
    expect(translate(request)).toEqual({ body, warnings: [], path: '/messages' });
    expect(translate({ ...request, new_thing: 1, thinking: { ...request.thinking, extra: {} } })).toEqual({
      body,
      warnings: ['thinking.extra was dropped', 'new_thing was dropped'],
      path: '/messages',
    });
  });

  test('the end user is ours', () => {
    expect(
      translate({ metadata: { user_id: 'ann' }, service_tier: 'auto' }, 'claude-opus-5-5', {
        userHash: 'hash',
      }).body,
    ).toEqual({ ...plain, metadata: { user_id: 'hash' } });
    expect(translate({ metadata: { user_id: 'ann' } }).body).toEqual(plain);
  });

  test('thinking is sent back byte for byte; that of another provider is omitted', () => {
    const own = [
      { type: 'thinking', thinking: '', signature: 'EvQB+/=' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'Yo' },
    ];
    const foreign = {
      type: 'thinking',
      thinking: 'Hm',
      signature: writePlaceholderSignature('deepseek', 'r1'),
    };
    const history = (content: Json[]) => [HI, { role: 'assistant', content }, HI];
    expect(translate({ messages: history(own) }).body.messages).toEqual(history(own));
    expect(translate({ messages: history([foreign, ...own]) }).body.messages).toEqual(history(own));
    expect(translate({ messages: history([foreign]) }).body.messages).toEqual([HI, HI]);
    expect(
      translate({ messages: history(own) }, 'claude-opus-5-5', { withoutReasoning: true }).body.messages,
    ).toEqual(history([{ type: 'text', text: 'Yo' }]));
  });

  test('a system turn becomes a note for models that accept none', () => {
    const { body } = translate({ messages: [HI, { role: 'system', content: 'Brief' }] }, 'claude-sonnet-4-5');
    expect((body.messages as Json[])[1]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '[Note from the operator of this app]' },
        { type: 'text', text: 'Brief' },
      ],
    });
  });

  test.each<[string, Json, string, number, Json, number]>([
    [
      'a budget where efforts are taken',
      { thinking: { type: 'enabled', budget_tokens: 900 } },
      'claude-opus-5-5',
      1_000,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
      1,
    ],
    [
      'a budget above the lowered limit',
      { max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 8_000 } },
      'claude-sonnet-4-5',
      2_000,
      { thinking: { type: 'enabled', budget_tokens: 1_999 } },
      1,
    ],
    [
      'a lowered limit too low for any budget',
      { max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 8_000 } },
      'claude-sonnet-4-5',
      500,
      { thinking: { type: 'disabled' } },
      1,
    ],
    [
      'a budget that fits',
      { max_tokens: 9_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      'claude-sonnet-4-5',
      9_000,
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      0,
    ],
    [
      'a high effort with thinking off',
      { thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
      'claude-opus-5',
      1_000,
      { output_config: { effort: 'high' } },
      1,
    ],
    [
      'a high effort with thinking off, older',
      { thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
      'claude-opus-4-8',
      1_000,
      { output_config: { effort: 'max' } },
      0,
    ],
  ])('%s', (_, request, model, outputCap, expected, warnings) => {
    const translated = translate(request, model, { outputCap });
    expect(translated.body).toMatchObject({ ...expected, max_tokens: outputCap });
    expect(translated.warnings).toHaveLength(warnings);
  });

  test.each<[string, Json]>([
    ['no limit', { max_tokens: undefined }],
    ['a limit of 0', { max_tokens: 0 }],
    ['fast mode', { speed: 'fast' }],
    ['a region', { inference_geo: 'us' }],
    ['a container', { container: 'c' }],
    ['MCP servers', { mcp_servers: [{ url: 'x' }] }],
    ['fallbacks', { fallbacks: [{ model: 'x' }] }],
    ['compaction', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
    ['web search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['a page of any length', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
    ['code execution', { tools: [{ type: 'code_execution_20250825', name: 'x' }] }],
    [
      'an uploaded file',
      {
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }],
      },
    ],
    [
      'an uploaded file in a result',
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }],
              },
            ],
          },
        ],
      },
    ],
  ])('%s is refused', (_, request) => {
    expect(refusalOf(() => translate(request)).code).toBe('invalid_request');
  });

  test.each([false, null, 7])('a call whose name is %j gets a name that is text', (name) => {
    const content = [{ type: 'tool_use', id: 't1', name, input: {} }];
    const { body } = exchange('messages', MESSAGES, { provider: 'anthropic' }).readWhole(
      JSON.stringify({ type: 'message', content, stop_reason: 'tool_use' }),
    );
    expect(JSON.parse(body).content).toEqual([{ type: 'tool_use', id: 't1', name: '', input: {} }]);
  });

  test.each(['Hello', ''])('content that is the text %j becomes a block', (content) => {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content };
    const end = { stop_reason: 'end_turn', stop_sequence: null };
    const whole = JSON.stringify({ ...message, ...end, usage: { input_tokens: 3, output_tokens: 2 } });
    const { body } = exchange('messages', MESSAGES, { provider: 'anthropic' }).readWhole(whole);
    expect(JSON.parse(body).content).toEqual([{ type: 'text', text: content }]);
  });

  test('events pass byte for byte except for the model’s name', () => {
    const { events } = MESSAGES_FIXTURES['thinking with its signature, and redacted thinking'] ?? {
      events: [],
    };
    const usage = {
      input_tokens: 43,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    };
    const [start, ...rest] = events as Json[];
    const whole = { ...start, message: { ...(start?.message as Json), usage } };
    const bytes = frameEvents([whole, ...rest], { names: true });
    expect(
      relay(exchange('messages', { ...MESSAGES, stream: true }, { provider: 'anthropic' }), bytes).text,
    ).toBe(new TextDecoder().decode(bytes).replace('upstream-model', 'some/model'));
  });

  test('the start of a message without all of its counts receives them', () => {
    const usage = { input_tokens: 7, output_tokens: 1 };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], usage };
    const { text } = relay(
      exchange('messages', { ...MESSAGES, stream: true }, { provider: 'anthropic' }),
      frameEvents([{ type: 'message_start', message }], { names: true }),
    );
    expect(eventsOf(text)[0]?.message).toMatchObject({
      ...message,
      model: 'some/model',
      usage: { ...usage, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
  });

  test('the start of a message without all of its fields receives them', () => {
    const start = {
      type: 'message_start',
      message: { usage: { input_tokens: 7, cache_read_input_tokens: null } },
    };
    const end = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }];
    const { text } = relay(
      exchange('messages', { ...MESSAGES, stream: true }, { provider: 'anthropic' }),
      frameEvents([start, ...end], { names: true }),
    );
    expect(eventsOf(text)[0]).toEqual({
      type: 'message_start',
      message: {
        id: 'msg_id1',
        type: 'message',
        role: 'assistant',
        model: 'some/model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 7,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
        },
      },
    });
  });

  test('a whole response passes byte for byte except for the model’s name', () => {
    const response =
      '{ "id":"msg_1","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"model":"theirs"}}], "model":"up","stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2} }';
    const { body, usage, outputBytes } = exchange('messages', MESSAGES, { provider: 'anthropic' }).readWhole(
      response,
    );
    expect(body).toBe(response.replace('"up"', '"some/model"'));
    expect([usage?.output, outputBytes]).toEqual([2, 18]);
  });

  test('tokens are counted without fields that the count ignores', () => {
    const request = validateCountTokens({
      model: 'x',
      messages: [HI],
      system: 'S',
      metadata: { user_id: 'ann' },
      stream: true,
      max_tokens: 5,
    });
    const count = prepareTokenCount(request, {
      provider: profileOf('anthropic'),
      upstreamModel: 'claude-opus-5-5',
      clientHeaders: {},
    });
    expect([count.path, count.body]).toEqual([
      '/messages/count_tokens',
      { model: 'claude-opus-5-5', messages: [HI], system: 'S' },
    ]);
    expect([count.readCount('{"input_tokens":14}'), count.readCount('{}'), count.readCount('x')]).toEqual([
      14,
      null,
      null,
    ]);
  });
});

describe('requests as the generation reads them', () => {
  test('chat', () => {
    const request = chatProtocol.validate({
      ...CHAT,
      max_tokens: 9,
      max_completion_tokens: 7,
      n: 2,
      stream: true,
    });
    expect([
      chatProtocol.requestedOutputTokens(request),
      chatProtocol.choices(request),
      chatProtocol.wantsStream(request),
    ]).toEqual([7, 2, true]);
    expect(chatProtocol.requestedOutputTokens(chatProtocol.validate(CHAT))).toBeNull();
  });

  test('messages', () => {
    const request = messagesProtocol.validate(MESSAGES);
    expect([
      messagesProtocol.requestedOutputTokens(request),
      messagesProtocol.choices(request),
      messagesProtocol.wantsStream(request),
    ]).toEqual([1_000, 1, false]);
  });

  test.each<[string, Json, string]>([
    ['chat', { messages: [HI] }, 'model'],
    ['chat', { ...CHAT, messages: [] }, 'messages'],
    ['chat', { ...CHAT, messages: [{ role: 'robot' }] }, 'messages.0.role'],
    ['chat', { ...CHAT, max_tokens: 0 }, 'max_tokens'],
    ['chat', { ...CHAT, n: 9 }, 'n'],
    ['chat', { ...CHAT, stream: 'yes' }, 'stream'],
    ['chat', { ...CHAT, tools: 'all' }, 'tools'],
    ['messages', CHAT, 'max_tokens'],
    ['messages', { ...MESSAGES, temperature: 'hot' }, 'temperature'],
    ['messages', { ...MESSAGES, tool_choice: 'any' }, 'tool_choice'],
    ['chat', { ...CHAT, temperature: 'hot' }, 'temperature'],
    ['chat', { ...CHAT, top_p: [] }, 'top_p'],
    ['chat', { ...CHAT, stop: 5 }, 'stop'],
    ['chat', { ...CHAT, stop: ['a', 5] }, 'stop.1'],
    ['chat', { ...CHAT, response_format: 'json' }, 'response_format'],
    ['messages', { ...MESSAGES, messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
    ['messages', { ...MESSAGES, messages: [{ role: 'user' }] }, 'messages.0.content'],
    ['messages', { ...MESSAGES, messages: 'Hi' }, 'messages'],
    ['messages', { ...MESSAGES, stop_sequences: 'END' }, 'stop_sequences'],
  ])('%s %j is refused and the field named', (format, json, param) => {
    const protocol = format === 'chat' ? chatProtocol : messagesProtocol;
    expect(refusalOf(() => protocol.validate(json))).toMatchObject({ code: 'invalid_request', param });
  });

  test('a missing field is reported as missing', () => {
    expect(refusalOf(() => messagesProtocol.validate(CHAT)).message).toBe('max_tokens: is required');
  });

  test('sizes: text by its pieces, higher for Claude; media by their kind', async () => {
    const measure = (content: unknown) =>
      measureDocuments(
        chatProtocol.measure(chatProtocol.validate({ ...CHAT, messages: [{ role: 'user', content }] })),
      );
    const text = await measure('x'.repeat(12_000));
    const openai = text('openai');
    const anthropic = text('anthropic');
    expect(openai.largestInputTokens).toBeGreaterThanOrEqual(4_000);
    expect(anthropic.largestInputTokens).toBeGreaterThan(openai.largestInputTokens);
    expect(anthropic.likelyInputTokens).toBeLessThan(anthropic.largestInputTokens);
    const url = `data:image/png;base64,${'A'.repeat(400_000)}`;
    const image = await measure([{ type: 'image_url', image_url: { url } }]);
    expect(image('openai').largestInputTokens).toBeLessThan(100);
    const pdf = {
      role: 'user',
      content: [{ type: 'document', source: { type: 'base64', data: 'A'.repeat(40_000) } }],
    };
    const request = messagesProtocol.validate({ ...MESSAGES, messages: [pdf] });
    const size = (await measureDocuments(messagesProtocol.measure(request)))('anthropic');
    expect(size.largestInputTokens).toBeLessThan(100);
    expect(size.media).toMatchObject({ pages: 1, documentTokens: Number.POSITIVE_INFINITY });
  });
});

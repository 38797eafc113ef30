import { describe, expect, test } from 'vitest';
import { CLIENT_PROTOCOLS } from '@/server/gateway/protocols/client-protocols';
import type { Json } from '@/server/gateway/protocols/neutral';
import { writePlaceholderSignature } from '@/server/gateway/protocols/placeholder-signature';
import type { Reply } from '../../harness/scripted-upstream';
import {
  ANNOTATION,
  routedSearch,
  routedSearchStream,
  SEARCHED,
  searchMessage,
  searchResponse,
  searchResponseStream,
  searchStream,
} from '../../harness/search-responses';
import { CHAT, eventsOf, exchange, frameEvents, MESSAGES, refusalOf, relay, sent } from './exchange-harness';
import { readWithOpenAi } from './official-clients';

/** Web searches between the formats: the request, the history, and recorded-looking responses and streams. */

const OPENAI = { provider: 'openai', upstreamModel: 'gpt-5-mini', searches: 3, outputCap: 1_000 };
const ANTHROPIC = { provider: 'anthropic', upstreamModel: 'claude-sonnet-4-5', searches: 3 };
const OPENROUTER = { provider: 'openrouter', upstreamModel: 'qwen/qwen3.6-27b', searches: 3 };
const TOOL = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };
const MESSAGES_SEARCH: Json = { ...MESSAGES, tools: [TOOL] };
const CHAT_SEARCH: Json = { ...CHAT, web_search_options: {} };
const ROUTER_TOOL = { type: 'openrouter:web_search' };
const RESPONSES: Json = { model: 'some/model', input: 'Hi' };
const RESPONSES_SEARCH: Json = { ...RESPONSES, tools: [{ type: 'web_search' }] };

const BERLIN = { city: 'Berlin', country: 'DE' };
const one = { name: 'one', description: 'One', input_schema: { type: 'object', properties: {} } };

describe('the request', () => {
  test('of the messages format becomes one of OpenAI’s responses format', () => {
    const prepared = exchange(
      'messages',
      {
        ...MESSAGES,
        system: 'Be brief',
        stream: true,
        tools: [
          { ...TOOL, blocked_domains: ['example.org'], user_location: { type: 'approximate', ...BERLIN } },
          one,
        ],
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Let me see' },
              { type: 'tool_use', id: 'toolu_1', name: 'one', input: { a: 1 } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' },
              { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            ],
          },
        ],
      },
      { ...OPENAI, userHash: 'hash' },
    );
    expect(prepared.path).toBe('/responses');
    expect(prepared.warnings).toEqual([]);
    expect(sent(prepared)).toEqual({
      model: 'gpt-5-mini',
      max_output_tokens: 1_000,
      max_tool_calls: 3,
      include: ['web_search_call.action.sources'],
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see' }] },
        { type: 'function_call', call_id: 'toolu_1', name: 'one', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'toolu_1', output: 'done' },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' }],
        },
      ],
      tools: [
        {
          type: 'function',
          name: 'one',
          description: 'One',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
        {
          type: 'web_search',
          filters: { blocked_domains: ['example.org'] },
          user_location: { type: 'approximate', ...BERLIN },
        },
      ],
      stream: true,
      stream_options: { include_obfuscation: false },
      store: false,
      service_tier: 'default',
      safety_identifier: 'hash',
    });
  });

  test('of the chat format becomes one of OpenAI’s responses format', () => {
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const prepared = exchange(
      'chat',
      {
        ...CHAT,
        reasoning_effort: 'minimal',
        stop: ['x'],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate: BERLIN },
        },
      },
      OPENAI,
    );
    expect(sent(prepared)).toMatchObject({
      max_tool_calls: 3,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
      tools: [
        {
          type: 'web_search',
          search_context_size: 'low',
          user_location: { type: 'approximate', ...BERLIN },
        },
      ],
    });
    expect(prepared.warnings).toEqual([
      'stop was dropped',
      'reasoning_effort was changed to low: this model searches only from there',
    ]);
    expect(sent(prepared)).not.toHaveProperty('web_search_options');
  });

  test.each<['chat' | 'responses', Json, Json, string[]]>([
    ['chat', CHAT_SEARCH, {}, []],
    [
      'chat',
      {
        ...CHAT,
        web_search_options: { search_context_size: 'high', user_location: { approximate: BERLIN } },
      },
      { user_location: { type: 'approximate', ...BERLIN } },
      ['web_search_options.search_context_size was dropped'],
    ],
    [
      'responses',
      {
        ...RESPONSES,
        max_tool_calls: 3,
        tools: [{ type: 'web_search_2025_08_26', filters: { allowed_domains: ['example.com'] } }],
      },
      { allowed_domains: ['example.com'] },
      [],
    ],
  ])('of the %s format becomes Anthropic’s tool: %j', (format, request, tool, warnings) => {
    const prepared = exchange(format, request, ANTHROPIC);
    expect(prepared.path).toBe('/messages');
    expect(sent(prepared).tools).toEqual([
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3, ...tool },
    ]);
    expect(prepared.warnings).toEqual(warnings);
  });

  test.each<[Json, Json]>([
    [
      { type: 'tool', name: 'web_search' },
      { tool_choice: 'required', tools: [{ type: 'web_search' }] },
    ],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'tool', name: 'one' }, { tool_choice: { type: 'function', name: 'one' } }],
    [{ type: 'none' }, { tool_choice: 'none' }],
  ])('forces what the client forces at OpenAI: %j', (tool_choice, expected) => {
    expect(
      sent(exchange('messages', { ...MESSAGES, tools: [TOOL, one], tool_choice }, OPENAI)),
    ).toMatchObject(expected);
  });

  const limited = (fields: Json = {}): Json => ({
    type: 'openrouter:web_search',
    parameters: { engine: 'exa', max_uses: 3, max_results: 5, max_characters: 3_000, ...fields },
  });

  test.each<[string, 'chat' | 'messages' | 'responses', Json, Json, string[]]>([
    ['OpenAI’s options', 'chat', CHAT_SEARCH, limited(), []],
    [
      'the plugin',
      'chat',
      {
        ...CHAT,
        plugins: [
          { id: 'web', max_results: 2, engine: 'native', include_domains: ['example.com'] },
          { id: 'web', enabled: false },
        ],
      },
      limited({ max_results: 2, max_characters: 7_500, allowed_domains: ['example.com'] }),
      ['plugins.0.engine was dropped'],
    ],
    [
      'its own tool',
      'chat',
      {
        ...CHAT,
        max_tool_calls: 9,
        tools: [
          {
            ...ROUTER_TOOL,
            parameters: {
              max_uses: 8,
              max_results: 25,
              max_characters: 100_000,
              search_context_size: 'high',
              user_location: { type: 'approximate', ...BERLIN },
              excluded_domains: ['example.org'],
            },
          },
        ],
      },
      limited({ max_results: 10, max_characters: 1_500, excluded_domains: ['example.org'] }),
      [
        'tools.0.parameters.max_characters was dropped',
        'web_search_options.user_location was dropped',
        'web_search_options.search_context_size was dropped',
        'web_search_options.max_results was lowered to 10',
      ],
    ],
    [
      'Anthropic’s tool',
      'messages',
      {
        ...MESSAGES,
        tools: [{ ...TOOL, blocked_domains: ['example.org'] }],
        tool_choice: { type: 'tool', name: 'web_search' },
      },
      limited({ excluded_domains: ['example.org'] }),
      ['tool_choice was lowered to auto: this model cannot be forced to search'],
    ],
    ['the tool of the responses format', 'responses', RESPONSES_SEARCH, limited(), []],
  ])('becomes the limited tool of OpenRouter: %s', (_, format, request, tool, warnings) => {
    const prepared = exchange(format, request, OPENROUTER);
    const { tools, max_tool_calls, plugins, web_search_options, tool_choice } = sent(prepared);
    expect({ tools, max_tool_calls, plugins, web_search_options, tool_choice }).toEqual({
      tools: [tool],
      max_tool_calls: 3,
    });
    expect(prepared.warnings).toEqual(warnings);
  });

  test('of OpenRouter reaches Claude and OpenAI as their own', () => {
    const plugin = { ...CHAT, plugins: [{ id: 'web', max_results: 2 }] };
    const claude = exchange('chat', plugin, ANTHROPIC);
    expect(sent(claude).tools).toEqual([{ ...TOOL, max_uses: 3 }]);
    expect(claude.warnings).toEqual(['web_search_options.max_results was dropped']);
    const parameters = { excluded_domains: ['example.org'], search_context_size: 'low' };
    const tool = { ...CHAT, tools: [{ ...ROUTER_TOOL, parameters }] };
    expect(sent(exchange('chat', tool, OPENAI)).tools).toEqual([
      { type: 'web_search', filters: { blocked_domains: ['example.org'] }, search_context_size: 'low' },
    ]);
  });

  test.each<[Json, number]>([
    [{}, 0],
    [{ max_tool_calls: 3 }, 0],
    [{ web_search_options: {} }, 5],
    [{ plugins: [{ id: 'web' }] }, 1],
    [{ plugins: [{ id: 'web', enabled: false }, { id: 'moderation' }] }, 0],
    [{ plugins: [{ id: 'web', max_uses: 4 }] }, 4],
    [{ tools: [ROUTER_TOOL] }, 5],
    [{ tools: [{ ...ROUTER_TOOL, parameters: { max_uses: 100 } }] }, 20],
    [{ tools: [ROUTER_TOOL], max_tool_calls: 2 }, 2],
  ])('allows as many searches as a chat client says: %j', (fields, searches) => {
    const { chat } = CLIENT_PROTOCOLS;
    expect(chat.searches(chat.validate({ ...CHAT, ...fields }))).toBe(searches);
  });

  test('forces a search at Anthropic, where its model can be forced', () => {
    const request = { ...RESPONSES_SEARCH, tool_choice: { type: 'web_search' } };
    const forced = exchange('responses', request, ANTHROPIC);
    expect(sent(forced).tool_choice).toEqual({ type: 'tool', name: 'web_search' });
    const free = exchange('responses', request, { ...ANTHROPIC, upstreamModel: 'claude-opus-5-5' });
    expect(sent(free).tool_choice).toEqual({ type: 'auto' });
    expect(free.warnings).toEqual(['tool_choice was lowered to auto: this model cannot be forced to search']);
  });

  test('offers no search that the allowed tools of the responses format leave out', () => {
    const named = { type: 'function', name: 'one', parameters: {} };
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'one' }] };
    const request = { ...RESPONSES, tools: [{ type: 'web_search' }, named], tool_choice };
    expect(sent(exchange('responses', request, ANTHROPIC)).tools).toMatchObject([{ name: 'one' }]);
  });

  test.each<[string, 'chat' | 'messages' | 'responses', Json, object, string]>([
    ['no search', 'chat', CHAT_SEARCH, { ...OPENAI, searches: 0 }, 'web_search_options'],
    ['no search', 'chat', CHAT_SEARCH, { provider: 'google' }, 'web_search_options'],
    ['no search', 'messages', MESSAGES_SEARCH, { provider: 'xai' }, 'tools.0.type'],
    ['no search', 'responses', RESPONSES_SEARCH, { provider: 'openrouter' }, 'tools.0.type'],
    ['no search', 'chat', { ...CHAT, tools: [ROUTER_TOOL] }, { provider: 'openrouter' }, 'tools.0.type'],
    ['no search', 'chat', { ...CHAT, plugins: [{ id: 'web' }] }, { provider: 'mistral' }, 'plugins.0'],
    ['two searches', 'chat', { ...CHAT_SEARCH, plugins: [{ id: 'web' }] }, OPENROUTER, 'plugins.0'],
    ['several choices', 'chat', { ...CHAT_SEARCH, n: 2 }, OPENROUTER, 'n'],
    [
      'a limit that is none',
      'chat',
      { ...CHAT, tools: [{ ...ROUTER_TOOL, parameters: { max_uses: 'many' } }] },
      OPENROUTER,
      'tools.0.parameters.max_uses',
    ],
    [
      'both filters',
      'chat',
      { ...CHAT, plugins: [{ id: 'web', include_domains: ['a.com'], exclude_domains: ['b.com'] }] },
      OPENROUTER,
      'plugins.0',
    ],
    [
      'filters of paths',
      'messages',
      { ...MESSAGES, tools: [{ ...TOOL, allowed_domains: ['example.com/blog'] }] },
      OPENAI,
      'tools.0',
    ],
    [
      'filters that are none',
      'messages',
      { ...MESSAGES, tools: [{ ...TOOL, allowed_domains: 'example.com' }] },
      OPENAI,
      'tools.0.allowed_domains',
    ],
    [
      'both filters',
      'responses',
      {
        ...RESPONSES,
        tools: [{ type: 'web_search', filters: { allowed_domains: ['a.com'], blocked_domains: ['b.com'] } }],
      },
      ANTHROPIC,
      'tools.0',
    ],
    [
      'JSON without a schema',
      'chat',
      { ...CHAT_SEARCH, response_format: { type: 'json_object' } },
      OPENAI,
      'response_format',
    ],
    ['several choices', 'chat', { ...CHAT_SEARCH, n: 2 }, OPENAI, 'n'],
    [
      'a tool of its name',
      'chat',
      { ...CHAT_SEARCH, tools: [{ type: 'function', function: { name: 'web_search' } }] },
      ANTHROPIC,
      'tools',
    ],
    [
      'a limit that is none',
      'messages',
      { ...MESSAGES, tools: [{ ...TOOL, max_uses: 0 }] },
      OPENAI,
      'tools.0.max_uses',
    ],
    ['two searches', 'messages', { ...MESSAGES, tools: [TOOL, TOOL] }, OPENAI, 'tools.1.type'],
  ])('is refused where the model has %s', (_, format, request, options, param) => {
    const refusal = refusalOf(() => exchange(format, request, options));
    expect(refusal).toMatchObject({ code: 'invalid_request', param });
    expect(refusal.message.length).toBeGreaterThan(param.length + 10);
  });
});

type Case = { format: 'chat' | 'messages' | 'responses'; request: Json; options: object };

/** Both ways of a response, which must have the same content. */
function receive({ format, request, options }: Case, whole: Reply, stream: Reply) {
  const read = exchange(format, request, options).readWhole(JSON.stringify(whole.body));
  const names = !('upstreamModel' in options && options.upstreamModel === 'gpt-5-mini');
  const relayed = relay(
    exchange(format, { ...request, stream: true }, options),
    frameEvents(stream.events ?? [], { names }),
  );
  return { whole: JSON.parse(read.body) as Json, wholeUsage: read.usage, ...relayed };
}

describe('the response', () => {
  test('of OpenAI reaches a client of the messages format with its search, pages and citations', () => {
    const { whole, wholeUsage, text, facts } = receive(
      { format: 'messages', request: MESSAGES_SEARCH, options: OPENAI },
      searchResponse(),
      searchResponseStream(),
    );
    const signature = writePlaceholderSignature('openai', 'gpt-5-mini');
    const page = (url: string) => ({
      type: 'web_search_result',
      url,
      title: url,
      page_age: null,
      encrypted_content: signature,
    });
    const citation = {
      type: 'web_search_result_location',
      url: ANNOTATION.url,
      title: ANNOTATION.title,
      encrypted_index: signature,
      cited_text: '',
    };
    const call = {
      type: 'server_tool_use',
      id: 'srvtoolu_svc_ws_01up',
      name: 'web_search',
      input: { query: 'shops today; ginza shop' },
    };
    const results = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_svc_ws_01up',
      content: [page('https://example.com/ginza'), page('https://example.com/news')],
    };
    const answer = 'It opens on Friday ([example.com](https://example.com/ginza)).';
    expect(whole).toMatchObject({
      content: [call, results, { type: 'text', text: answer, citations: [citation] }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 21_000, output_tokens: 400, server_tool_use: { web_search_requests: 1 } },
    });
    expect(facts).toMatchObject({ finished: true, failure: null, usage: wholeUsage });
    expect(wholeUsage).toMatchObject({ input: 21_000, output: 400, searches: 1 });

    const events = eventsOf(text);
    const blocks = events.flatMap(({ type, content_block }) =>
      type === 'content_block_start' ? [content_block] : [],
    );
    expect(blocks).toEqual([{ ...call, input: {} }, results, { type: 'text', text: '' }]);
    const deltas = events.flatMap(({ delta, index }) => (index === undefined ? [] : [[index, delta]]));
    expect(deltas.filter(([, delta]) => delta !== undefined)).toEqual([
      [0, { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }],
      [2, { type: 'text_delta', text: answer.slice(0, 19) }],
      [2, { type: 'text_delta', text: answer.slice(19) }],
      [2, { type: 'citations_delta', citation }],
    ]);
    expect(events.find(({ type }) => type === 'message_delta')?.usage).toMatchObject({
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    });
  });

  test('of OpenRouter reaches clients of every format with its sources, and counts its searches', () => {
    const answer = 'It opens on Friday ([example.com](https://example.com/ginza)).';
    const received = (format: Case['format'], request: Json, options: object = OPENROUTER) =>
      receive({ format, request, options }, routedSearch(), routedSearchStream());
    const metered = { input: 9_000, output: 300, searches: 1 };

    const page = { url: ANNOTATION.url, title: ANNOTATION.title };
    const ofMessages = received('messages', MESSAGES_SEARCH);
    expect(ofMessages.whole).toMatchObject({
      content: [
        { type: 'server_tool_use', name: 'web_search', input: { query: '' } },
        { type: 'web_search_tool_result', content: [page] },
        { type: 'text', text: answer, citations: [{ type: 'web_search_result_location', ...page }] },
      ],
      usage: { server_tool_use: { web_search_requests: 1 } },
    });
    const blocks = eventsOf(ofMessages.text).flatMap(({ type, content_block }) =>
      type === 'content_block_start' ? [content_block] : [],
    );
    expect(blocks).toMatchObject([
      { type: 'text' },
      { type: 'server_tool_use' },
      { type: 'web_search_tool_result', content: [page] },
    ]);
    expect(ofMessages.text).toContain('"citations_delta"');

    const ofResponses = received('responses', RESPONSES_SEARCH);
    expect(ofResponses.whole.output).toMatchObject([
      { type: 'web_search_call', status: 'completed' },
      { type: 'message', content: [{ text: answer, annotations: [ANNOTATION] }] },
    ]);
    expect(ofResponses.text).toContain('response.output_text.annotation.added');

    const ofChat = received('chat', CHAT_SEARCH);
    const url_citation = { ...page, start_index: ANNOTATION.start_index, end_index: ANNOTATION.end_index };
    expect(ofChat.whole.choices).toMatchObject([
      { message: { content: answer, annotations: [{ type: 'url_citation', url_citation }] } },
    ]);
    for (const { wholeUsage, facts } of [ofMessages, ofResponses, ofChat]) {
      expect(wholeUsage).toMatchObject(metered);
      expect(facts).toMatchObject({ finished: true, usage: metered, searches: 1 });
    }

    const unknown = received('chat', CHAT, { ...OPENROUTER, provider: 'mistral' });
    expect(unknown.wholeUsage).not.toHaveProperty('searches');
  });

  test('of OpenAI reaches a client of the chat format with its annotations', () => {
    const { whole, text, facts } = receive(
      { format: 'chat', request: CHAT_SEARCH, options: OPENAI },
      searchResponse(),
      searchResponseStream(),
    );
    const { type, ...cited } = ANNOTATION;
    const annotations = [{ type, url_citation: cited }];
    expect((whole.choices as Json[])[0]).toMatchObject({ message: { annotations }, finish_reason: 'stop' });
    const deltas = eventsOf(text).map(({ choices }) => ((choices as Json[])[0]?.delta ?? {}) as Json);
    expect(deltas.flatMap((delta) => delta.annotations ?? [])).toEqual(annotations);
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe(
      (whole.choices as [{ message: Json }])[0].message.content,
    );
    expect(facts.usage).toMatchObject({ searches: 1 });
  });

  test('of Claude reaches a client of the responses format with its search and citations', () => {
    const { whole, text, facts } = receive(
      {
        format: 'responses',
        request: { ...RESPONSES_SEARCH, include: ['web_search_call.action.sources'] },
        options: ANTHROPIC,
      },
      searchMessage(),
      searchStream(),
    );
    const query = 'shops, today';
    const output = [
      {
        type: 'web_search_call',
        status: 'completed',
        action: {
          type: 'search',
          query,
          queries: [query],
          sources: [
            { type: 'url', url: 'https://example.com/ginza' },
            { type: 'url', url: 'https://example.com/news' },
          ],
        },
      },
      {
        type: 'message',
        content: [
          {
            type: 'output_text',
            text: 'It opens on Friday.',
            annotations: [{ ...ANNOTATION, start_index: 0, end_index: 19 }],
          },
        ],
      },
    ];
    expect(whole).toMatchObject({ status: 'completed', output });
    const events = eventsOf(text);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output } });
    expect(events.map(({ type }) => type).filter((type) => String(type).includes('search'))).toEqual([
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
    ]);
    expect(facts.usage).toMatchObject({ searches: 1 });
  });

  test('of Claude names its sources only for a client of the responses format that asks for them', () => {
    const read = exchange('responses', RESPONSES_SEARCH, ANTHROPIC).readWhole(
      JSON.stringify(searchMessage().body),
    );
    expect(JSON.parse(read.body).output[0].action).toEqual({
      type: 'search',
      query: 'shops, today',
      queries: ['shops, today'],
    });
  });

  test('of Claude reaches a client of the chat format with its annotations', () => {
    const { whole, text } = receive(
      { format: 'chat', request: CHAT_SEARCH, options: ANTHROPIC },
      searchMessage(),
      searchStream(),
    );
    const { type, ...cited } = ANNOTATION;
    const annotations = [{ type, url_citation: { ...cited, start_index: 0, end_index: 19 } }];
    expect((whole.choices as Json[])[0]).toMatchObject({ message: { annotations } });
    const deltas = eventsOf(text).flatMap(({ choices }) =>
      (choices as Json[]).map(({ delta }) => delta as Json),
    );
    expect(deltas.flatMap((delta) => delta.annotations ?? [])).toEqual(annotations);
  });

  test('has the sources of several passages in one delta, as the official client needs', async () => {
    const events = (searchStream().events ?? []) as Json[];
    const isOfText = ({ index }: Json): boolean => index === 2;
    const again = events.filter(isOfText).map((event) => ({ ...event, index: 3 }));
    const last = events.findLastIndex(isOfText) + 1;
    const twice = [...events.slice(0, last), ...again, ...events.slice(last)];
    const { text } = relay(
      exchange('chat', { ...CHAT_SEARCH, stream: true }, ANTHROPIC),
      frameEvents(twice, { names: true }),
    );
    const { choices } = await readWithOpenAi(text);
    const spans = choices[0]?.message.annotations?.map(({ url_citation: { start_index, end_index } }) => [
      start_index,
      end_index,
    ]);
    expect(spans).toEqual([
      [0, 19],
      [19, 38],
    ]);
  });

  test('reports a failed search as failed', () => {
    const failed = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_01up',
      content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
    };
    const { body } = searchMessage({ input: 10, output: 1, searches: 0 });
    const message = { ...(body as Json), content: [SEARCHED[0], failed] };
    const read = exchange('responses', RESPONSES_SEARCH, ANTHROPIC).readWhole(JSON.stringify(message));
    expect(JSON.parse(read.body).output).toMatchObject([{ type: 'web_search_call', status: 'failed' }]);

    const item = {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'failed',
      action: { type: 'search', query: 'x' },
    };
    const response = { ...(searchResponse().body as Json), output: [item] };
    const translated = exchange('messages', MESSAGES_SEARCH, OPENAI).readWhole(JSON.stringify(response));
    expect(JSON.parse(translated.body).content[1].content).toEqual({
      type: 'web_search_tool_result_error',
      error_code: 'unavailable',
    });
    expect(translated.usage?.searches).toBeUndefined();
  });

  test('that Anthropic pauses has reached a limit for clients that cannot continue it', () => {
    const message = { ...(searchMessage().body as Json), stop_reason: 'pause_turn' };
    const read = exchange('chat', CHAT_SEARCH, ANTHROPIC).readWhole(JSON.stringify(message));
    expect(JSON.parse(read.body).choices[0].finish_reason).toBe('length');
  });

  test('of OpenAI with calls, a refusal or a limit ends as those of its chat format', () => {
    const ended = (output: Json[], more: Json = {}) => {
      const body = { ...(searchResponse().body as Json), output, ...more };
      return JSON.parse(exchange('chat', CHAT_SEARCH, OPENAI).readWhole(JSON.stringify(body)).body)
        .choices[0];
    };
    const call = { type: 'function_call', call_id: 'call_1', name: 'one', arguments: '{"a":1}' };
    expect(ended([call])).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'call_1', function: { name: 'one', arguments: '{"a":1}' } }] },
    });
    const refused = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
    expect(ended([refused]).message).toMatchObject({ refusal: 'No.' });
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(ended([], cut).finish_reason).toBe('length');
    expect(ended([], { ...cut, incomplete_details: { reason: 'content_filter' } }).finish_reason).toBe(
      'content_filter',
    );
  });

  test('of OpenAI streams its calls to a client of another format', () => {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'one', arguments: '{"a":1}' };
    const response = { ...(searchResponse().body as Json), output: [call] };
    const events = [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: ':1}' },
      { type: 'response.output_item.done', output_index: 0, item: call },
      { type: 'response.completed', response },
    ];
    const { text } = relay(exchange('chat', { ...CHAT_SEARCH, stream: true }, OPENAI), frameEvents(events));
    const calls = eventsOf(text).flatMap(({ choices }) =>
      (choices as Json[]).flatMap(({ delta }) => (delta as { tool_calls?: Json[] }).tool_calls ?? []),
    );
    expect(calls).toMatchObject([
      { id: 'call_1', function: { name: 'one', arguments: '' } },
      { function: { arguments: '{"a"' } },
      { function: { arguments: ':1}' } },
    ]);
  });

  test('of OpenAI that breaks off or fails is an error', () => {
    const { events = [] } = searchResponseStream(undefined, { breaksOff: true });
    const cut = relay(exchange('chat', { ...CHAT_SEARCH, stream: true }, OPENAI), frameEvents(events));
    expect(cut.facts).toMatchObject({ finished: false, searches: 1 });
    expect(cut.facts.failure).not.toBeNull();
    const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } };
    const ended = relay(
      exchange('chat', { ...CHAT_SEARCH, stream: true }, OPENAI),
      frameEvents([...events, failed]),
    );
    expect(ended.facts.failure).not.toBeNull();
  });
});

describe('a search in the conversation', () => {
  const history = (content: unknown): Json => ({
    ...MESSAGES_SEARCH,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'And tomorrow?' },
    ],
  });

  test('of Anthropic stays as it is for Claude, and becomes text for OpenAI', () => {
    const [, kept] = sent(exchange('messages', history(SEARCHED), ANTHROPIC)).messages as Json[];
    expect(kept?.content).toEqual(SEARCHED);
    const input = sent(exchange('messages', history(SEARCHED), OPENAI)).input as Json[];
    const found =
      '[search results]\n- The Ginza shop opens https://example.com/ginza\n- News https://example.com/news';
    expect(input[1]).toEqual({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `${found}It opens on Friday.` }],
    });
    expect(JSON.stringify(input)).not.toMatch(/RXJrZUNpb0lDQmdD|RW84QkNpb0k/);
  });

  test('of OpenAI becomes text for Claude, which can read only what it encrypted', () => {
    const { body } = exchange('messages', MESSAGES_SEARCH, OPENAI).readWhole(
      JSON.stringify(searchResponse().body),
    );
    const [, turn] = sent(exchange('messages', history(JSON.parse(body).content), ANTHROPIC))
      .messages as Json[];
    expect(turn?.content).toEqual([
      {
        type: 'text',
        text: '[search results]\n- https://example.com/ginza https://example.com/ginza\n- https://example.com/news https://example.com/news',
      },
      { type: 'text', text: 'It opens on Friday ([example.com](https://example.com/ginza)).' },
    ]);
  });

  test('of Claude in the responses format is sent without its call', () => {
    const { body } = exchange('responses', RESPONSES_SEARCH, ANTHROPIC).readWhole(
      JSON.stringify(searchMessage().body),
    );
    const input = [
      { role: 'user', content: 'Hi' },
      ...JSON.parse(body).output,
      { role: 'user', content: 'More' },
    ];
    const request = { ...RESPONSES_SEARCH, input };
    const [, turn] = sent(exchange('responses', request, ANTHROPIC)).messages as Json[];
    expect(turn?.content).toEqual([{ type: 'text', text: 'It opens on Friday.' }]);
    const items = sent(exchange('responses', request, OPENAI)).input as Json[];
    expect(items.map(({ type }) => type)).toEqual([undefined, 'message', undefined]);
  });
});

import { describe, expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { writePlaceholderSignature } from '@/server/gateway/protocols/placeholder-signature';
import { exchange, refusalOf, sent } from './exchange-harness';

/** Messages requests to models of the OpenAI format: every row of the translation tables. */

const user = (content: unknown): Json => ({ role: 'user', content });
const assistant = (...content: Json[]): Json => ({ role: 'assistant', content });
const HI = user('Hi');
const text = (value: string, more: Json = {}): Json => ({ type: 'text', text: value, ...more });
const use = (id: string, name = 'one', input: Json = { a: 1 }): Json => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, content: unknown = 'done', more: Json = {}): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const call = (id: string, name = 'one', json = '{"a":1}'): Json => ({
  id,
  type: 'function',
  function: { name, arguments: json },
});
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

function translate(request: Json, model = 'gpt-4o', provider = 'openai', more: Json = {}) {
  const json = { model: 'x/y', max_tokens: 32_000, messages: [HI], ...request };
  const prepared = exchange('messages', json, { provider, upstreamModel: model, outputCap: 4_000, ...more });
  return { ...sent(prepared), warnings: prepared.warnings } as Json & {
    warnings: string[];
    messages: Json[];
  };
}

const turns = (messages: Json[], model?: string, provider?: string) =>
  translate({ messages }, model, provider).messages;
const refused = (request: Json, model?: string, provider?: string) =>
  refusalOf(() => translate(request, model, provider));

describe('messages and roles', () => {
  test.each<[unknown, unknown]>([
    ['A', 'A'],
    [[text('A'), text('B')], 'A\n\nB'],
    [[text('x-anthropic-billing-header: cc_version=2'), text('B')], 'B'],
  ])('system %j', (system, content) => {
    expect(translate({ system }).messages[0]).toEqual({ role: 'system', content });
    expect(translate({ system }, 'gpt-5').messages[0]).toEqual({ role: 'developer', content });
  });

  test('a later system turn stays where it is, or becomes part of a user turn', () => {
    const messages = [HI, { role: 'system', content: 'Brief' }, HI];
    expect(turns(messages, 'gpt-5')[1]).toEqual({ role: 'developer', content: 'Brief' });
    expect(turns(messages, 'mistral-large', 'mistral')).toEqual([
      user([text('Hi'), text('[Note from the operator of this app]\nBrief'), text('Hi')]),
    ]);
  });

  test.each<[string, Json[], Json[]]>([
    ['text', [HI], [HI]],
    ['several texts', [user([text('A'), text('B', { citations: [] })])], [user([text('A'), text('B')])]],
    [
      'the assistant’s texts are joined',
      [HI, assistant(text('A'), text('B')), HI],
      [HI, { role: 'assistant', content: 'AB' }, HI],
    ],
    [
      'calls without text',
      [HI, assistant(use('t1')), user([result('t1')])],
      [
        HI,
        { role: 'assistant', content: null, tool_calls: [call('t1')] },
        { role: 'tool', tool_call_id: 't1', content: 'done' },
      ],
    ],
    [
      'results first, in the order of the calls, then the rest',
      [HI, assistant(use('t1'), use('t2')), user([text('See'), result('t2', 'two'), result('t1', 'one')])],
      [
        HI,
        { role: 'assistant', content: null, tool_calls: [call('t1'), call('t2')] },
        { role: 'tool', tool_call_id: 't1', content: 'one' },
        { role: 'tool', tool_call_id: 't2', content: 'two' },
        user('See'),
      ],
    ],
    [
      'results spread over turns are brought together',
      [
        HI,
        assistant(use('t1'), use('t2')),
        user([result('t1', 'one')]),
        user([text('And')]),
        user([result('t2', 'two')]),
      ],
      [
        HI,
        { role: 'assistant', content: null, tool_calls: [call('t1'), call('t2')] },
        { role: 'tool', tool_call_id: 't1', content: 'one' },
        { role: 'tool', tool_call_id: 't2', content: 'two' },
        user('And'),
      ],
    ],
    [
      'a result without content',
      [HI, assistant(use('t1')), user([{ type: 'tool_result', tool_use_id: 't1' }])],
      [
        HI,
        { role: 'assistant', content: null, tool_calls: [call('t1')] },
        { role: 'tool', tool_call_id: 't1', content: '' },
      ],
    ],
    [
      'a failed tool',
      [HI, assistant(use('t1')), user([result('t1', 'boom', { is_error: true })])],
      [
        HI,
        { role: 'assistant', content: null, tool_calls: [call('t1')] },
        { role: 'tool', tool_call_id: 't1', content: 'Error: boom' },
      ],
    ],
    [
      'images of a result become a user message',
      [HI, assistant(use('t1')), user([result('t1', [text('A'), image, text('B')]), text('So?')])],
      [
        HI,
        { role: 'assistant', content: null, tool_calls: [call('t1')] },
        { role: 'tool', tool_call_id: 't1', content: 'A\n\nB' },
        user([text('[Result of the tool call t1]'), shown, text('So?')]),
      ],
    ],
    [
      'reasoning is dropped',
      [
        HI,
        assistant(
          { type: 'thinking', thinking: 'Hm', signature: 'EvQB' },
          { type: 'redacted_thinking', data: 'x' },
          text('Yo'),
        ),
        HI,
      ],
      [HI, { role: 'assistant', content: 'Yo' }, HI],
    ],
    [
      'a search of the provider becomes text',
      [
        HI,
        assistant(
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's1',
            content: [
              { type: 'web_search_result', title: 'T', url: 'https://t.test', encrypted_content: 'x' },
            ],
          },
          text(' So'),
        ),
        HI,
      ],
      [HI, { role: 'assistant', content: '[search results]\n- T https://t.test So' }, HI],
    ],
    [
      'a compaction becomes text',
      [assistant({ type: 'compaction', content: 'Earlier: hi' }), HI],
      [{ role: 'assistant', content: 'Earlier: hi' }, HI],
    ],
    [
      'a tool reference becomes text',
      [HI, assistant(use('t1')), user([result('t1', [{ type: 'tool_reference', tool_name: 'two' }])])],
      [
        HI,
        { role: 'assistant', content: null, tool_calls: [call('t1')] },
        { role: 'tool', tool_call_id: 't1', content: '[tool: two]' },
      ],
    ],
    ['turns of one role stay apart', [HI, user('there')], [HI, user('there')]],
  ])('%s', (_, messages, expected) => {
    expect(turns(messages)).toEqual(expected);
  });

  test('turns of one role are merged for strict templates', () => {
    expect(turns([HI, user('there')], 'mistral-large', 'mistral')).toEqual([
      user([text('Hi'), text('there')]),
    ]);
  });

  test('results of other server tools are dropped with a warning', () => {
    const translated = translate({
      messages: [
        HI,
        assistant({ type: 'code_execution_tool_result', tool_use_id: 's', content: {} }, text('Yo')),
        HI,
      ],
    });
    expect([translated.messages[1], translated.warnings.length]).toEqual([
      { role: 'assistant', content: 'Yo' },
      1,
    ]);
  });

  test.each<[string, Json[]]>([
    ['a call without a result', [HI, assistant(use('t1'))]],
    ['a result without a call', [user([result('t9')])]],
    ['an upload', [user([{ type: 'container_upload', file_id: 'f' }])]],
    ['a call of an MCP server', [HI, assistant({ type: 'mcp_tool_use', id: 'm', name: 'x', input: {} })]],
    ['an unknown block', [user([{ type: 'hologram' }])]],
  ])('%s is refused', (_, messages) => {
    expect(refused({ messages }).code).toBe('invalid_request');
  });

  test('reasoning is sent back to providers that want it, but not that of another provider', () => {
    const thinking = (signature: string) =>
      assistant({ type: 'thinking', thinking: 'Hm', signature }, use('t1'));
    const history = (signature: string) => [HI, thinking(signature), user([result('t1')])];
    const echoed = { role: 'assistant', content: null, reasoning_content: 'Hm', tool_calls: [call('t1')] };
    expect(
      turns(history(writePlaceholderSignature('deepseek', 'r1')), 'deepseek-reasoner', 'deepseek')[1],
    ).toEqual(echoed);
    expect(turns(history('EvQB'), 'deepseek-reasoner', 'deepseek')[1]).toEqual(echoed);
    expect(
      turns(history(writePlaceholderSignature('moonshot', 'k3')), 'deepseek-reasoner', 'deepseek')[1],
    ).not.toHaveProperty('reasoning_content');
  });
});

describe('content', () => {
  test.each<[string, Json, Json]>([
    ['an image', image, shown],
    [
      'an image by address',
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
    ],
    [
      'a PDF',
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ],
  ])('%s', (_, block, part) => {
    expect(turns([user([block])])).toEqual([user([part])]);
  });

  test.each<[string, Json, string]>([
    [
      'a text document',
      { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'Line' } },
      'Notes\nLine',
    ],
    [
      'a document of blocks',
      { type: 'document', source: { type: 'content', content: [text('Line')] } },
      'Line',
    ],
    [
      'what a document is about',
      { type: 'document', title: 'Notes', context: 'Of May', source: { type: 'text', data: 'Line' } },
      'Notes\nOf May\nLine',
    ],
    [
      'a search result',
      { type: 'search_result', title: 'T', source: 'https://t.test', content: [text('Found')] },
      'T\nhttps://t.test\nFound',
    ],
  ])('%s becomes text', (_, block, content) => {
    expect(turns([user([block])])).toEqual([user(content)]);
  });

  test.each<[string, Json, string]>([
    [
      'a PDF by address',
      { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
      'openai',
    ],
    ['an uploaded document', { type: 'document', source: { type: 'file', file_id: 'f' } }, 'openai'],
    ['an uploaded image', { type: 'image', source: { type: 'file', file_id: 'f' } }, 'openai'],
    [
      'an image by address, for a provider that fetches none',
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
      'google',
    ],
    [
      'a PDF, for a provider that accepts none',
      { type: 'document', source: { type: 'base64', data: 'JVBERi0=' } },
      'groq',
    ],
  ])('%s is refused', (_, block, provider) => {
    expect(refused({ messages: [user([block])] }, 'm', provider).code).toBe('invalid_request');
  });
});

describe('tools', () => {
  const schema = {
    $schema: 'x',
    type: 'object',
    properties: { a: { $ref: '#/$defs/A' } },
    required: ['a'],
    additionalProperties: false,
    $defs: { A: { type: 'string' } },
  };
  const tools = [
    {
      name: 'one',
      description: 'First',
      input_schema: schema,
      strict: true,
      cache_control: { type: 'ephemeral' },
    },
    { name: 'two', input_schema: { type: 'object' } },
  ];
  const choose = (choice: unknown, model?: string, provider?: string) =>
    translate({ tools, tool_choice: choice }, model, provider);

  test('keep their whole schema, with properties always', () => {
    expect(translate({ tools }).tools).toEqual([
      { type: 'function', function: { name: 'one', description: 'First', parameters: schema, strict: true } },
      { type: 'function', function: { name: 'two', parameters: { type: 'object', properties: {} } } },
    ]);
    const [strict] = translate({ tools }, 'gemini-3-pro', 'google').tools as {
      function: { parameters: Json };
    }[];
    expect(strict?.function.parameters).not.toHaveProperty('$schema');
  });

  test.each<[unknown, unknown]>([
    [undefined, undefined],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'one' },
      { type: 'function', function: { name: 'one' } },
    ],
  ])('choice %j becomes %j', (choice, expected) => {
    expect(choose(choice).tool_choice).toEqual(expected);
  });

  test('a forced choice is refused where the model accepts none', () => {
    const force = () => choose({ type: 'any' }, 'deepseek-reasoner', 'deepseek');
    expect(refusalOf(force)).toMatchObject({ code: 'invalid_request', param: 'tool_choice' });
  });

  test('one call at a time, where the provider knows the field', () => {
    const choice = { type: 'auto', disable_parallel_tool_use: true };
    expect(choose(choice).parallel_tool_calls).toBe(false);
    expect(choose(choice, 'm', 'deepseek')).not.toHaveProperty('parallel_tool_calls');
  });

  test.each([
    'web_search_20250305',
    'web_fetch_20250910',
    'code_execution_20250825',
    'tool_search_tool_regex_20251119',
    'computer_20251124',
    'memory_20250818',
    'bash_20250124',
    'text_editor_20250728',
    'mcp_toolset',
  ])('a server tool (%s) is refused, never turned into a function', (type) => {
    expect(refused({ tools: [{ type, name: 'x' }] })).toMatchObject({
      code: 'invalid_request',
      param: 'tools.0.type',
    });
  });

  test('two with the same name are refused', () => {
    expect(refused({ tools: [tools[1], tools[1]] }).code).toBe('invalid_request');
  });

  test('long and odd names are shortened, in the history too, and the response has the original names', () => {
    const name = `mcp__server.with.dots__${'x'.repeat(60)}`;
    const request = {
      model: 'x',
      max_tokens: 10,
      tools: [{ name, input_schema: {} }],
      messages: [HI, assistant(use('t1', name)), user([result('t1')])],
    };
    const prepared = exchange('messages', request, { provider: 'openai' });
    const body = sent(prepared) as {
      tools: { function: { name: string } }[];
      messages: { tool_calls?: { function: { name: string } }[] }[];
    };
    const short = body.tools[0]?.function.name ?? '';
    expect(short).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(body.messages[1]?.tool_calls?.[0]?.function.name).toBe(short);
    const response = {
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: { role: 'assistant', content: null, tool_calls: [call('c1', short)] },
        },
      ],
    };
    expect(JSON.parse(prepared.readWhole(JSON.stringify(response)).body).content[0].name).toBe(name);
  });

  test('ids fit: up to 64 characters, nine for Mistral, the same on call and result', () => {
    const long = `toolu_${'a'.repeat(80)}`;
    const ids = (provider: string) => {
      const [, translated, resultTurn] = turns(
        [HI, assistant(use(long)), user([result(long)])],
        'm',
        provider,
      ) as {
        tool_calls: { id: string }[];
        tool_call_id: string;
      }[];
      expect(translated?.tool_calls[0]?.id).toBe(resultTurn?.tool_call_id);
      return resultTurn?.tool_call_id;
    };
    expect(ids('openai')).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(ids('mistral')).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  test('Google’s thought signature of a call travels inside the id', () => {
    const signature = 'CiQBd+/==';
    const response = {
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            tool_calls: [{ ...call('c1'), extra_content: { google: { thought_signature: signature } } }],
          },
        },
      ],
    };
    const warned = JSON.parse(
      exchange('messages', { model: 'x', max_tokens: 9, messages: [HI] }, { provider: 'google' }).readWhole(
        JSON.stringify(response),
      ).body,
    );
    const { id } = warned.content[0];
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    const history = [HI, assistant(use(id)), user([result(id)])];
    expect(turns(history, 'gemini-3-pro', 'google').slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call('c1'), extra_content: { google: { thought_signature: signature } } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ]);
    expect(turns(history, 'gpt-4o', 'openai')[1]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [call('c1')],
    });
  });
});

describe('sampling, limits and other fields', () => {
  test.each([
    ['gpt-4o', 'openai', 'max_tokens'],
    ['gpt-5', 'openai', 'max_completion_tokens'],
    ['o3', 'openai', 'max_completion_tokens'],
    ['gpt-5.6', 'openai', 'max_completion_tokens'],
    ['openai/gpt-5', 'openrouter', 'max_completion_tokens'],
    ['llama', 'groq', 'max_tokens'],
  ])('%s at %s takes its limit as %s', (model, provider, name) => {
    const translated = translate({}, model, provider);
    expect([translated[name], 'max_tokens' in translated && 'max_completion_tokens' in translated]).toEqual([
      4_000,
      false,
    ]);
  });

  test.each([0, -1, 1.5, undefined, '10'])('max_tokens %s is refused', (max_tokens) => {
    expect(refused({ max_tokens })).toMatchObject({ param: 'max_tokens' });
  });

  test.each<[string, string, Json, Json, number]>([
    ['gpt-4o', 'openai', {}, { temperature: 0, top_p: 0.5 }, 0],
    ['gpt-5', 'openai', {}, {}, 2],
    ['o4-mini', 'openai', {}, {}, 2],
    ['gpt-5.2', 'openai', {}, {}, 2],
    ['gpt-5.2', 'openai', { thinking: { type: 'disabled' } }, { temperature: 0, top_p: 0.5 }, 0],
    ['gpt-6', 'openai', {}, {}, 2],
    ['llama', 'groq', {}, { temperature: 0, top_p: 0.5 }, 0],
  ])('sampling of %s at %s with %j', (model, provider, request, expected, warnings) => {
    const {
      temperature,
      top_p,
      warnings: warned,
    } = translate({ temperature: 0, top_p: 0.5, ...request }, model, provider);
    expect(JSON.parse(JSON.stringify({ temperature, top_p }))).toEqual(expected);
    expect(warned).toHaveLength(warnings);
  });

  test('top_k is passed where it is supported, otherwise dropped with a warning', () => {
    expect(translate({ top_k: 5 }, 'm', 'together')).toMatchObject({ top_k: 5, warnings: [] });
    expect(translate({ top_k: 5 })).toMatchObject({ warnings: ['top_k was dropped'] });
  });

  test('stop sequences: passed, refused when too many, dropped where the model accepts none', () => {
    expect(translate({ stop_sequences: ['A', 'B'] }).stop).toEqual(['A', 'B']);
    expect(refused({ stop_sequences: ['1', '2', '3', '4', '5'] })).toMatchObject({ param: 'stop_sequences' });
    for (const model of ['o3', 'o4-mini', 'gpt-5']) {
      expect(translate({ stop_sequences: ['A'] }, model)).toMatchObject({
        warnings: ['stop_sequences was dropped'],
      });
    }
  });

  test('usage is always requested in streams, and never more than one choice', () => {
    const translated = translate({ stream: true });
    expect(translated).toMatchObject({
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
    });
    expect(translated).not.toHaveProperty('n');
    expect(translate({})).not.toHaveProperty('stream_options');
  });

  test('the end user is our hash, never what the client sent; the tier is the default', () => {
    const translated = translate(
      { metadata: { user_id: 'user_abc_account_123', other: 'x' }, service_tier: 'auto' },
      'gpt-4o',
      'openai',
      { userHash: 'hash' },
    );
    expect(translated).toMatchObject({ safety_identifier: 'hash', service_tier: 'default' });
    expect(translated).not.toHaveProperty('metadata');
    expect(JSON.stringify(translated)).not.toContain('user_abc');
  });

  test('cache breakpoints are passed where they are supported, otherwise dropped', () => {
    const marked = {
      system: [text('Long', { cache_control: { type: 'ephemeral' } })],
      messages: [user([text('Hi', { cache_control: { type: 'ephemeral', ttl: '1h' } })])],
    };
    expect(translate(marked, 'gpt-5.6').messages).toEqual([
      { role: 'developer', content: [text('Long', { prompt_cache_breakpoint: { mode: 'explicit' } })] },
      user([text('Hi', { prompt_cache_breakpoint: { mode: 'explicit' } })]),
    ]);
    expect(JSON.stringify(translate(marked))).not.toMatch(/cache/);
  });

  test.each<[Json]>([
    [{ speed: 'fast' }],
    [{ inference_geo: 'us' }],
    [{ container: 'c' }],
    [{ mcp_servers: [{}] }],
    [{ fallbacks: [{}] }],
    [{ thread: {} }],
    [{ context_management: { edits: [{ type: 'compact_20260112' }] } }],
  ])('%j is refused', (request) => {
    expect(refused(request).code).toBe('invalid_request');
  });

  test('context_management and diagnostics are dropped with a warning', () => {
    expect(
      translate({ context_management: { edits: [{ type: 'clear_thinking_20251015' }] }, diagnostics: {} })
        .warnings,
    ).toHaveLength(2);
  });

  test('fields that change nothing are accepted', () => {
    expect(translate({ speed: 'standard', mcp_servers: [] }).warnings).toEqual([]);
  });
});

describe('output format', () => {
  const format = {
    type: 'json_schema',
    schema: { type: 'object', properties: {}, additionalProperties: false },
  };
  const written = {
    type: 'json_schema',
    json_schema: { name: 'response', schema: format.schema, strict: true },
  };

  test('is accepted under its new and its old name', () => {
    expect(translate({ output_config: { format } }).response_format).toEqual(written);
    expect(translate({ output_format: format }).response_format).toEqual(written);
    expect(translate({})).not.toHaveProperty('response_format');
  });

  test.each<[string, Json]>([
    ['an optional property', { properties: { a: { type: 'string' } }, additionalProperties: false }],
    ['an open object', { properties: {} }],
    [
      'an open object inside',
      {
        properties: { a: { type: 'array', items: { type: 'object' } } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
  ])('%s, which strict schemas do not support, is requested all the same', (_, more) => {
    const schema = { type: 'object', ...more };
    const translated = translate({
      output_config: { format: { type: 'json_schema', schema } },
      tools: [{ name: 'f', input_schema: schema, strict: true }],
    });
    expect(translated.response_format).toMatchObject({ json_schema: { schema, strict: false } });
    expect((translated.tools as Json[])[0]?.function).not.toHaveProperty('strict');
    expect(translated.warnings).toHaveLength(2);
  });

  test('where schemas are not supported, an instruction describes the schema', () => {
    const translated = translate({ output_config: { format } }, 'm', 'deepseek');
    expect(translated.response_format).toEqual({ type: 'json_object' });
    expect(translated.messages.at(-1)?.content).toContain('Answer with JSON only');
    expect(translated.warnings).toHaveLength(1);
  });
});

describe('reasoning', () => {
  const effort = (request: Json, model: string, provider = 'openai') =>
    translate(request, model, provider).reasoning_effort;
  const budget = (budget_tokens: number): Json => ({ thinking: { type: 'enabled', budget_tokens } });

  test.each<[Json, string, unknown]>([
    [{}, 'gpt-5', undefined],
    [{ thinking: { type: 'disabled' } }, 'gpt-5.2', 'none'],
    [{ thinking: { type: 'disabled' } }, 'gpt-5', 'minimal'],
    [{ thinking: { type: 'disabled' } }, 'o3', 'low'],
    [{ thinking: { type: 'disabled' } }, 'gpt-6', 'low'],
    [{ thinking: { type: 'disabled' } }, 'gpt-6-sol', 'none'],
    [{ thinking: { type: 'disabled' } }, 'gpt-4o', undefined],
    [{ thinking: { type: 'adaptive' } }, 'gpt-5', undefined],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, 'gpt-5', 'high'],
    [{ output_config: { effort: 'low' } }, 'gpt-5', 'low'],
    [{ output_config: { effort: 'max' } }, 'gpt-5.2', 'xhigh'],
    [{ output_config: { effort: 'max' } }, 'gpt-6', 'max'],
    [budget(1_024), 'gpt-5', 'low'],
    [budget(2_048), 'gpt-5', 'medium'],
    [budget(8_192), 'gpt-5', 'high'],
    [budget(24_576), 'gpt-5', 'high'],
    [budget(24_576), 'gpt-5.2', 'xhigh'],
  ])('%j on %s', (request, model, expected) => {
    expect(effort(request, model)).toBe(expected);
  });

  test('a budget of the whole limit is refused', () => {
    expect(refused({ ...budget(32_000) })).toMatchObject({ param: 'thinking.budget_tokens' });
  });

  test('gpt-5.6 accepts tools only without reasoning', () => {
    const translated = translate(
      { tools: [{ name: 'one', input_schema: {} }], output_config: { effort: 'high' } },
      'gpt-5.6',
    );
    expect([translated.reasoning_effort, translated.warnings.length]).toEqual(['none', 1]);
  });

  test('models of another API are refused', () => {
    expect(refused({}, 'gpt-5.2-pro')).toMatchObject({ param: 'model' });
    expect(refused({}, 'gpt-5.1-codex')).toMatchObject({ param: 'model' });
  });
});

describe('JSON that would be written inside JSON, and take long to write, is refused', () => {
  const long = { x: 'x'.repeat(2_000_000) };

  test('the arguments of all calls together @attack', () => {
    const messages = [HI, assistant(use('c1', 'one', long), use('c2', 'one', long)), user([result('c1')])];
    expect(refused({ messages })).toMatchObject({ code: 'invalid_request', param: 'messages' });
  });

  test('a schema that becomes an instruction @attack', () => {
    const schema = { type: 'object', properties: long, examples: [long] };
    const request = { output_config: { format: { type: 'json_schema', schema } } };
    const prepare = () => translate(request, 'deepseek-chat', 'deepseek');
    expect(refusalOf(prepare)).toMatchObject({ param: 'output_config.format.schema' });
  });
});

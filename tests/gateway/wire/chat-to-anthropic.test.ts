import { describe, expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { writePlaceholderSignature } from '@/server/gateway/protocols/placeholder-signature';
import { CHAT, exchange, refusalOf, sent } from './exchange-harness';

/** Chat requests to Claude models: every row of the translation tables. */

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const JPEG = '/9j/4AAQSkZJRg==';
const user = (content: unknown): Json => ({ role: 'user', content });
const HI = user('Hi');

function translate(request: Json, model = 'claude-opus-5-5', more: Json = {}) {
  const prepared = exchange(
    'chat',
    { model: 'anthropic/m', messages: [HI], ...request },
    { provider: 'anthropic', upstreamModel: model, outputCap: 4_000, ...more },
  );
  return { ...sent(prepared), warnings: prepared.warnings } as Json & {
    warnings: string[];
    messages: Json[];
  };
}

const turns = (messages: Json[], model?: string) => translate({ messages }, model).messages;
const blocksOf = (turn: Json | undefined): Json[] => (turn?.content ?? []) as Json[];
const refused = (request: Json, model?: string) => refusalOf(() => translate(request, model));

const call = (id: string, name = 'one', json: unknown = '{"a":1}'): Json => ({
  id,
  type: 'function',
  function: { name, arguments: json },
});
const assistant = (...calls: Json[]): Json => ({ role: 'assistant', content: null, tool_calls: calls });
const tool = (id: string, content: unknown = 'done'): Json => ({ role: 'tool', tool_call_id: id, content });
const text = (value: string): Json => ({ type: 'text', text: value });
const use = (id: string, input: Json = { a: 1 }, name = 'one'): Json => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, value = 'done'): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [text(value)],
});

describe('messages and roles', () => {
  test('leading system and developer messages become blocks, in order, with their cache breakpoints', () => {
    const messages = [
      { role: 'system', content: 'A' },
      {
        role: 'developer',
        content: [{ ...text('B'), cache_control: { type: 'ephemeral' } }, text('')],
      },
      HI,
    ];
    expect(translate({ messages }).system).toEqual([
      text('A'),
      { ...text('B'), cache_control: { type: 'ephemeral' } },
    ]);
  });

  const reminder = { role: 'system', content: 'Be brief' };
  test('a later system message stays where a model accepts it: after a user turn', () => {
    expect(
      turns([HI, reminder, { role: 'assistant', content: 'Yo' }, HI], 'claude-opus-4-8').map(
        ({ role }) => role,
      ),
    ).toEqual(['user', 'system', 'assistant', 'user']);
    expect(
      turns([HI, { role: 'assistant', content: 'Yo' }, reminder, reminder, HI], 'claude-opus-5-5').map(
        ({ role }) => role,
      ),
    ).toEqual(['user', 'assistant', 'user', 'system']);
  });

  test('elsewhere it becomes an operator note, in place', () => {
    expect(turns([HI, { role: 'assistant', content: 'Yo' }, reminder, HI], 'claude-sonnet-4-5')[2]).toEqual({
      role: 'user',
      content: [text('[Note from the operator of this app]'), text('Be brief'), text('Hi')],
    });
  });

  test('the note is written once, however many parts the message has @attack', () => {
    const parts = { role: 'system', content: [text('A'), text('B')] };
    expect(turns([HI, parts, HI], 'claude-sonnet-4-5')).toEqual([
      user([text('Hi'), text('[Note from the operator of this app]'), text('A'), text('B'), text('Hi')]),
    ]);
  });

  test('it never comes between a call and its result', () => {
    const messages = turns([HI, assistant(call('c1')), reminder, tool('c1'), HI], 'claude-opus-4-8');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'system', 'user']);
    expect(messages[2]).toEqual({ role: 'user', content: [result('c1')] });
  });

  test.each<[string, Json[], Json[]]>([
    ['the name of a user is dropped', [{ ...HI, name: 'Ann' }], [user([text('Hi')])]],
    [
      'an assistant with blank text and a call',
      [HI, { ...assistant(call('c1')), content: ' ' }, tool('c1')],
      [user([text('Hi')]), { role: 'assistant', content: [use('c1')] }, user([result('c1')])],
    ],
    [
      'a refusal is text',
      [HI, { role: 'assistant', content: null, refusal: 'No' }, HI],
      [user([text('Hi')]), { role: 'assistant', content: [text('No')] }, user([text('Hi')])],
    ],
    [
      'a refusal part is text',
      [HI, { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] }, HI],
      [user([text('Hi')]), { role: 'assistant', content: [text('No')] }, user([text('Hi')])],
    ],
    [
      'text before calls',
      [HI, { ...assistant(call('c1')), content: 'Wait' }, tool('c1')],
      [user([text('Hi')]), { role: 'assistant', content: [text('Wait'), use('c1')] }, user([result('c1')])],
    ],
    [
      'an empty list of calls leaves the text',
      [HI, { role: 'assistant', content: 'Yo', tool_calls: [] }, HI],
      [user([text('Hi')]), { role: 'assistant', content: [text('Yo')] }, user([text('Hi')])],
    ],
    ['two users in a row merge', [HI, user('there')], [user([text('Hi'), text('there')])]],
    [
      'two assistants in a row merge',
      [HI, { role: 'assistant', content: 'A' }, { role: 'assistant', content: 'B' }, HI],
      [user([text('Hi')]), { role: 'assistant', content: [text('A'), text('B')] }, user([text('Hi')])],
    ],
    [
      'a first assistant gets a user before it',
      [{ role: 'assistant', content: 'Yo' }, HI],
      [user([text('Continue.')]), { role: 'assistant', content: [text('Yo')] }, user([text('Hi')])],
    ],
    [
      'results of one turn go into one turn, in call order, the user’s words behind',
      [HI, assistant(call('c1'), call('c2')), tool('c2', 'two'), tool('c1', 'one'), user('And?')],
      [
        user([text('Hi')]),
        { role: 'assistant', content: [use('c1'), use('c2')] },
        user([result('c1', 'one'), result('c2', 'two'), text('And?')]),
      ],
    ],
    [
      'an id that is used again in a later turn',
      [HI, assistant(call('c1')), tool('c1', 'one'), assistant(call('c1')), tool('c1', 'two')],
      [
        user([text('Hi')]),
        { role: 'assistant', content: [use('c1')] },
        user([result('c1', 'one')]),
        { role: 'assistant', content: [use('c1_2')] },
        user([result('c1_2', 'two')]),
      ],
    ],
    [
      'a legacy call and its result',
      [
        HI,
        { role: 'assistant', content: null, function_call: { name: 'one', arguments: '{"a":1}' } },
        { role: 'function', name: 'one', content: 'done' },
      ],
      [
        user([text('Hi')]),
        { role: 'assistant', content: [use('call_legacy_0')] },
        user([result('call_legacy_0')]),
      ],
    ],
  ])('%s', (_, messages, expected) => {
    expect(turns(messages)).toEqual(expected);
  });

  test.each<[unknown, Json]>([
    ['', {}],
    ['{"a"', { _unparsed: '{"a"' }],
    ["{'a':1}", { _unparsed: "{'a':1}" }],
    ['{"a":1}{"b":2}', { _unparsed: '{"a":1}{"b":2}' }],
    ['  ', {}],
    [null, {}],
    ['[1]', { value: [1] }],
    ['"x"', { value: 'x' }],
    ['{"a":{"b":1}}', { a: { b: 1 } }],
  ])('arguments %j become %j', (json, input) => {
    expect(turns([HI, assistant(call('c1', 'one', json)), tool('c1')])[1]).toEqual({
      role: 'assistant',
      content: [use('c1', input)],
    });
  });

  test.each<[string, Json[], string]>([
    ['a call without a result', [HI, assistant(call('c1')), HI], 'messages'],
    ['a result without a call', [HI, tool('c9')], 'messages'],
    [
      'a response stored elsewhere',
      [HI, { role: 'assistant', audio: { id: 'audio_1' } }, HI],
      'messages.1.audio',
    ],
    ['system messages only', [{ role: 'system', content: 'A' }], 'messages'],
    ['an empty conversation', [user('')], 'messages'],
  ])('%s is refused', (_, messages, param) => {
    expect(refused({ messages })).toMatchObject({ code: 'invalid_request', param });
  });

  test('the missing call is named', () => {
    expect(refused({ messages: [HI, assistant(call('c1'), call('c2')), tool('c1')] }).message).toContain(
      'c2',
    );
  });

  test.each(['claude-sonnet-4-5', 'claude-opus-4-1', 'claude-sonnet-5', 'claude-opus-4-8'])(
    'a history that ends with the assistant is complete: %s is asked to go on, not to continue its text',
    (model) => {
      const messages = [HI, { role: 'assistant', content: 'Sunny.' }];
      const ends = [
        exchange('chat', { model: 'x', messages }, { provider: 'anthropic', upstreamModel: model }),
        exchange(
          'responses',
          { model: 'x', input: messages },
          { provider: 'anthropic', upstreamModel: model },
        ),
      ];
      for (const [place, name] of ['messages', 'input'].entries()) {
        const made = ends[place] as (typeof ends)[number];
        expect((sent(made).messages as Json[]).slice(1)).toEqual([
          { role: 'assistant', content: [text('Sunny.')] },
          { role: 'user', content: [text('Continue.')] },
        ]);
        expect(made.warnings).toEqual([
          `${name}: a user turn was added, because the last message is from the assistant`,
        ]);
      }
    },
  );

  test('in the messages format, a final assistant turn is for Claude to continue', () => {
    const messages = [HI, { role: 'assistant', content: 'Once' }];
    const made = exchange('messages', { model: 'x', max_tokens: 9, messages }, { provider: 'anthropic' });
    expect(sent(made).messages).toEqual(messages);
    expect(made.warnings).toEqual([]);
  });

  test('invalid ids are cleaned the same way on the call and its result', () => {
    const [, translated, resultTurn] = turns([HI, assistant(call('fn.one:1')), tool('fn.one:1')]);
    const id = blocksOf(translated)[0]?.id as string;
    expect(id).toMatch(/^fn_one_1_[0-9a-f]{8}$/);
    expect(blocksOf(resultTurn)[0]?.tool_use_id).toBe(id);
  });
});

describe('content parts', () => {
  const part = (value: Json) => blocksOf(turns([user([value])])[0])[0];
  const image = (url: string): Json => ({ type: 'image_url', image_url: { url, detail: 'high' } });

  test.each<[string, Json, Json]>([
    [
      'an image in the request',
      image(`data:image/png;base64,${PNG}`),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ],
    [
      'an image with a wrong type',
      image(`data:image/png;base64,${JPEG}`),
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: JPEG } },
    ],
    [
      'an image by address',
      image('https://x.example/a.png'),
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      'a PDF',
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      },
    ],
    [
      'a marked part',
      { ...text('Long'), prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
      { ...text('Long'), cache_control: { type: 'ephemeral', ttl: '1h' } },
    ],
  ])('%s', (_, given, expected) => {
    expect(part(given)).toEqual(expected);
  });

  test.each<[string, Json]>([
    ['a PDF by its address', { type: 'file', file: { file_data: 'https://x.example/a.pdf' } }],
    ['plain http', image('http://x.test/a.png')],
    ['no image at all', image('data:image/png;base64,AAAA')],
    ['a data URL that is not base64', image('data:image/svg+xml,<svg/>')],
    ['an uploaded image', { type: 'image_url', image_url: { file_id: 'file-1' } }],
    ['an uploaded file', { type: 'file', file: { file_id: 'file-1' } }],
    ['a file that is no PDF', { type: 'file', file: { file_data: 'data:text/csv;base64,YQ==' } }],
    ['audio', { type: 'input_audio', input_audio: {} }],
    ['video', { type: 'video_url', video_url: {} }],
  ])('%s is refused', (_, given) => {
    expect(refusalOf(() => part(given)).code).toBe('invalid_request');
  });

  test('an image of more than 10 MB is refused before it is sent', () => {
    expect(
      refusalOf(() => part(image(`data:image/png;base64,${PNG.replace('==', '')}${'A'.repeat(14_000_000)}`)))
        .message,
    ).toContain('10 MB');
  });

  test('at most four cache breakpoints are kept, the last ones', () => {
    const marked = Array.from({ length: 6 }, (_, index) => ({
      ...text(`${index}`),
      cache_control: { type: 'ephemeral' },
    }));
    const blocks = turns([user(marked)])[0]?.content as Json[];
    expect(blocks.map((block) => block.cache_control !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });
});

describe('tools', () => {
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/A' } },
    $defs: { A: { anyOf: [{ type: 'string' }] } },
  };
  const one: Json = { type: 'function', function: { name: 'one', description: 'First', parameters: schema } };
  const two: Json = { type: 'function', function: { name: 'two' } };
  const choose = (choice: unknown, model = 'claude-haiku-5-5', more: Json = {}) =>
    translate({ tools: [one, two], tool_choice: choice, ...more }, model);

  test('keep their whole schema; a missing one becomes an empty object', () => {
    expect(translate({ tools: [one, two] }).tools).toEqual([
      { name: 'one', description: 'First', input_schema: schema },
      { name: 'two', input_schema: { type: 'object', properties: {} } },
    ]);
  });

  test('strict is passed where it is supported, otherwise dropped with a warning', () => {
    const strict = { tools: [{ type: 'function', function: { name: 'one', strict: true } }] };
    expect((translate(strict, 'claude-sonnet-4-5').tools as Json[])[0]?.strict).toBe(true);
    const old = translate(strict, 'claude-sonnet-4-20250514');
    expect([(old.tools as Json[])[0]?.strict, old.warnings]).toEqual([undefined, ['strict was dropped']]);
  });

  test('fields that only another gateway knows are dropped and named', () => {
    const translated = translate({
      transforms: ['middle-out'],
      prompt_cache_key: 'k',
      seed: null,
      usage: { include: true },
    });
    expect(translated.warnings).toEqual(['transforms was dropped']);
    expect(translated).not.toHaveProperty('transforms');
    expect(translate({ __defineGetter__: 1 }).warnings).toEqual(['__defineGetter__ was dropped']);
  });

  test('the name of a speaker has no field there, so it is dropped with a warning', () => {
    const named = { role: 'user', name: 'ann', content: 'Hi' };
    expect(translate({ messages: [named] }).warnings).toEqual(['messages.name was dropped']);
  });

  test.each<[unknown, unknown]>([
    [undefined, undefined],
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'one' } },
      { type: 'tool', name: 'one' },
    ],
  ])('choice %j becomes %j', (choice, expected) => {
    const { tool_choice, tools } = choose(choice);
    expect(tool_choice).toEqual(expected);
    expect(tools).toHaveLength(2);
  });

  test('allowed tools filter the list', () => {
    const allowed = choose({
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'two' } }] },
    });
    expect([allowed.tool_choice, (allowed.tools as Json[]).map(({ name }) => name)]).toEqual([
      { type: 'any' },
      ['two'],
    ]);
  });

  test.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1', 'claude-fable-5-2'])(
    '%s accepts no forced choice, so it writes the call as its output',
    (model) => {
      const forced = choose('required', model);
      expect([forced.tool_choice, forced.warnings]).toEqual([{ type: 'none' }, []]);
      expect(forced.output_config).toMatchObject({ format: { type: 'json_schema' } });
      expect(choose('auto', model).output_config).toBeUndefined();
    },
  );

  test('definitions of tools that contradict each other cannot be forced', () => {
    const using = (name: string, type: string) => ({
      type: 'function',
      function: {
        name,
        parameters: {
          type: 'object',
          properties: { a: { $ref: '#/$defs/A' } },
          required: ['a'],
          $defs: { A: { type } },
        },
      },
    });
    const force = (...types: string[]) =>
      translate({ tools: types.map((type, i) => using(`t${i}`, type)), tool_choice: 'required' });
    expect(refusalOf(() => force('string', 'number')).param).toBe('tool_choice');
    const { format } = force('string', 'string').output_config as { format: { schema: Json } };
    expect(format.schema.$defs).toEqual({ A: { type: 'string' } });
  });

  test('a schema that cannot be enforced becomes an instruction where no tool can be forced', () => {
    const open = { type: 'object', properties: {}, additionalProperties: true };
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema: open } };
    const { system, tools, warnings } = translate({ response_format });
    expect(JSON.stringify(system)).toContain('Answer with JSON only');
    expect([tools, warnings]).toEqual([undefined, ['response_format was lowered to an instruction']]);
  });

  test('a forced choice turns thinking off where that is possible', () => {
    expect(choose('required', 'claude-haiku-5-5', { reasoning_effort: 'high' })).toMatchObject({
      tool_choice: { type: 'any' },
      thinking: { type: 'disabled' },
    });
    expect(choose('required', 'claude-opus-5')).toMatchObject({
      tool_choice: { type: 'any' },
      thinking: { type: 'disabled' },
    });
    expect(choose('required', 'claude-sonnet-4-5', { reasoning_effort: 'high' })).not.toHaveProperty(
      'thinking',
    );
    expect(choose('required', 'claude-fable-5', { reasoning_effort: 'high' })).toMatchObject({
      tool_choice: { type: 'any' },
      thinking: { type: 'adaptive' },
    });
  });

  test.each<[unknown, unknown]>([
    [undefined, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', { type: 'any', disable_parallel_tool_use: true }],
    ['none', { type: 'none' }],
  ])('one call at a time with choice %j', (choice, expected) => {
    expect(choose(choice, 'claude-haiku-5-5', { parallel_tool_calls: false }).tool_choice).toEqual(expected);
  });

  test('legacy functions', () => {
    expect(
      translate({ functions: [{ name: 'one' }], function_call: { name: 'one' } }, 'claude-haiku-5-5'),
    ).toMatchObject({ tools: [{ name: 'one' }], tool_choice: { type: 'tool', name: 'one' } });
  });

  test.each<[string, Json]>([
    ['a free-form tool', { tools: [{ type: 'custom', custom: { name: 'one' } }] }],
    ['two of one name', { tools: [one, one] }],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }],
    ['web search', { web_search_options: {} }],
  ])('%s is refused', (_, request) => {
    expect(refused(request).code).toBe('invalid_request');
  });

  test('an invalid name is shortened, and the response has the original name', () => {
    const name = `a.${'b'.repeat(80)}`;
    const prepared = exchange(
      'chat',
      { model: 'x', messages: [HI], tools: [{ type: 'function', function: { name } }] },
      { provider: 'anthropic', upstreamModel: 'claude-opus-5-5' },
    );
    const short = ((sent(prepared).tools as Json[])[0] as Json).name as string;
    expect(short).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const response = {
      type: 'message',
      content: [{ type: 'tool_use', id: 't1', name: short, input: {} }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    expect(
      JSON.parse(prepared.readWhole(JSON.stringify(response)).body).choices[0].message.tool_calls[0].function
        .name,
    ).toBe(name);
  });
});

describe('sampling, limits and other fields', () => {
  test('the output cap is the limit, whichever name the request uses', () => {
    expect(translate({ max_tokens: 9, max_completion_tokens: 7 }).max_tokens).toBe(4_000);
  });

  test.each<[string, Json, string, Json, number]>([
    ['temperature above 1', { temperature: 1.7 }, 'claude-sonnet-4-5', { temperature: 1 }, 1],
    ['temperature 0', { temperature: 0 }, 'claude-sonnet-4-5', { temperature: 0 }, 0],
    ['top_p alone', { top_p: 0.5 }, 'claude-sonnet-4-5', { top_p: 0.5 }, 0],
    ['temperature and top_p', { temperature: 0.5, top_p: 0.5 }, 'claude-sonnet-4-5', { temperature: 0.5 }, 1],
    ['top_k', { top_k: 5 }, 'claude-sonnet-4-5', { top_k: 5 }, 0],
    [
      'any of them with thinking',
      { temperature: 0.5, top_k: 5, reasoning_effort: 'low' },
      'claude-sonnet-4-5',
      {},
      2,
    ],
    ['any of them on newer models', { temperature: 0.5, top_p: 0.5, top_k: 5 }, 'claude-opus-4-8', {}, 3],
  ])('%s', (_, request, model, expected, warnings) => {
    const { temperature, top_p, top_k, warnings: warned } = translate(request, model);
    expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(expected);
    expect(warned).toHaveLength(warnings);
  });

  test.each<[Json, number]>([
    [{ frequency_penalty: 0, presence_penalty: 0, logit_bias: {}, logprobs: false, store: false }, 0],
    [{ frequency_penalty: 1 }, 1],
    [{ presence_penalty: 1 }, 1],
    [{ logit_bias: { 1: 1 } }, 1],
    [{ seed: 1 }, 1],
    [{ logprobs: true, top_logprobs: 2 }, 2],
    [{ verbosity: 'low' }, 1],
    [{ prediction: {} }, 1],
    [{ store: true }, 1],
    [{ metadata: { a: 'b' }, prompt_cache_key: 'x', n: 1, modalities: ['text'] }, 0],
  ])('%j is dropped with %i warnings', (request, warnings) => {
    const translated = translate(request);
    expect(translated.warnings).toHaveLength(warnings);
    expect(Object.keys(translated).sort()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'service_tier',
      'warnings',
    ]);
  });

  test.each<[unknown, unknown]>([
    ['END', ['END']],
    [
      ['A', ' ', '', 'B'],
      ['A', 'B'],
    ],
    [[' '], undefined],
    [null, undefined],
  ])('stop %j becomes %j', (stop, expected) => {
    expect(translate({ stop }).stop_sequences).toEqual(expected);
  });

  test('more than one choice is refused', () => {
    expect(refused({ n: 2 })).toMatchObject({ param: 'n' });
  });

  test.each<[Json]>([
    [{ modalities: ['text', 'audio'] }],
    [{ audio: { voice: 'x' } }],
    [{ service_tier: 'priority' }],
    [{ service_tier: 'flex' }],
  ])('%j is refused', (request) => {
    expect(refused(request).code).toBe('invalid_request');
  });

  test('the end user is our hash, never what the client sent; the tier is the standard one', () => {
    const translated = translate(
      { user: 'ann@example.com', safety_identifier: 'ann', service_tier: 'auto' },
      'claude-opus-5-5',
      { userHash: 'hash' },
    );
    expect(translated).toMatchObject({ metadata: { user_id: 'hash' }, service_tier: 'standard_only' });
    expect(JSON.stringify(translated)).not.toContain('ann');
  });

  test('stream_options have no effect upstream', () => {
    const translated = translate({
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: true },
    });
    expect(translated).toMatchObject({ stream: true });
    expect(translated).not.toHaveProperty('stream_options');
  });
});

describe('output format', () => {
  const schema = {
    type: 'object',
    properties: {
      age: { type: 'integer', minimum: 0, description: 'Years' },
      mail: { type: 'string', format: 'email' },
      id: { type: 'string', format: 'custom' },
      kind: { oneOf: [{ const: 1 }, { const: 2 }] },
    },
    required: ['age', 'mail', 'id', 'kind'],
  };
  const json = (value: Json = schema): Json => ({
    response_format: { type: 'json_schema', json_schema: { name: 'person', schema: value } },
  });

  test('a schema is cleaned for native structured output', () => {
    expect(translate(json()).output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            age: { type: 'integer', description: 'Years (minimum: 0)' },
            mail: { type: 'string', format: 'email' },
            id: { type: 'string', description: '(format: "custom")' },
            kind: { anyOf: [{ const: 1 }, { const: 2 }] },
          },
          required: ['age', 'mail', 'id', 'kind'],
        },
      },
    });
  });

  const optional = Object.fromEntries(
    Array.from({ length: 11 }, (_, index) => [`p${index}`, { type: 'string' }]),
  );
  test.each<[string, Json, string]>([
    ['a model without it', schema, 'claude-sonnet-4-20250514'],
    [
      'a recursive schema',
      { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] },
      'claude-haiku-5-5',
    ],
    [
      'a definition that refers to itself',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/A' } },
        required: ['a'],
        $defs: { A: { type: 'object', properties: { b: { $ref: '#/$defs/A' } }, required: ['b'] } },
      },
      'claude-haiku-5-5',
    ],
    [
      'an open object',
      {
        type: 'object',
        properties: { map: { type: 'object', additionalProperties: { type: 'string' } } },
        required: ['map'],
      },
      'claude-haiku-5-5',
    ],
    ['many optional properties', { type: 'object', properties: optional }, 'claude-haiku-5-5'],
  ])('%s: a forced tool is used instead', (_, value, model) => {
    const translated = translate(json(value), model);
    expect(translated).toMatchObject({
      tools: [{ name: 'json_response', input_schema: value }],
      tool_choice: { type: 'tool', name: 'json_response', disable_parallel_tool_use: true },
    });
    expect(translated).not.toHaveProperty('output_config');
  });

  test('the arguments of the tool become the text of the response', () => {
    const prepared = exchange(
      'chat',
      { model: 'x', messages: [HI], ...json() },
      { provider: 'anthropic', upstreamModel: 'claude-sonnet-4-20250514' },
    );
    const response = {
      type: 'message',
      content: [{ type: 'tool_use', id: 't1', name: 'json_response', input: { age: 3 } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const [choice] = JSON.parse(prepared.readWhole(JSON.stringify(response)).body).choices;
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: '{"age":3}' } });
    expect(choice.message).not.toHaveProperty('tool_calls');
  });

  test('json_object becomes an instruction, and text nothing', () => {
    const translated = translate({ response_format: { type: 'json_object' } });
    expect([translated.system, translated.warnings.length]).toEqual([
      [text('Answer with a single valid JSON object and nothing else.')],
      1,
    ]);
    expect(translate({ response_format: { type: 'text' } })).not.toHaveProperty('output_config');
  });
});

describe('reasoning', () => {
  test.each<[string, string, unknown, unknown, number]>([
    ['none', 'claude-opus-4-8', { type: 'disabled' }, undefined, 0],
    ['none', 'claude-sonnet-5-5', { type: 'between_tools' }, undefined, 0],
    ['none', 'claude-opus-5-5', undefined, { effort: 'low' }, 1],
    ['none', 'claude-sonnet-4-5', undefined, undefined, 0],
    ['minimal', 'claude-opus-5-5', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }, 0],
    ['high', 'claude-opus-5-5', { type: 'adaptive', display: 'summarized' }, { effort: 'high' }, 0],
    ['xhigh', 'claude-opus-5-5', { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }, 0],
    ['xhigh', 'claude-opus-4-6', { type: 'adaptive', display: 'summarized' }, { effort: 'high' }, 1],
    ['high', 'claude-sonnet-4-5', { type: 'enabled', budget_tokens: 3_999 }, undefined, 0],
    ['minimal', 'claude-sonnet-4-5', { type: 'enabled', budget_tokens: 1_280 }, undefined, 0],
    ['max', 'claude-unheard-of', { type: 'adaptive', display: 'summarized' }, { effort: 'max' }, 0],
  ])('effort %s on %s', (effort, model, thinking, config, warnings) => {
    const translated = translate({ reasoning_effort: effort }, model);
    expect([translated.thinking, translated.output_config]).toEqual([thinking, config]);
    expect(translated.warnings).toHaveLength(warnings);
  });

  test('a limit too low for a budget omits thinking', () => {
    const translated = translate({ reasoning_effort: 'high' }, 'claude-sonnet-4-5', { outputCap: 900 });
    expect([translated.thinking, translated.warnings.length]).toEqual([undefined, 1]);
  });

  test('no effort in the request means no reasoning fields', () => {
    expect(translate({})).not.toHaveProperty('thinking');
  });

  test('an unknown effort is refused', () => {
    expect(refused({ reasoning_effort: 'extreme' })).toMatchObject({ param: 'reasoning_effort' });
  });

  test('the thinking field of other gateways', () => {
    expect(
      translate({ thinking: { type: 'enabled', budget_tokens: 2_000 } }, 'claude-sonnet-4-5').thinking,
    ).toEqual({ type: 'enabled', budget_tokens: 2_000 });
    expect(
      translate({ thinking: { type: 'enabled', budget_tokens: 2_000 } }, 'claude-opus-5-5'),
    ).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
    expect(translate({ thinking: { type: 'disabled' } }, 'claude-haiku-5-5').thinking).toEqual({
      type: 'disabled',
    });
  });

  const signed: Json = { type: 'reasoning.text', text: 'Hm', signature: 'EvQB+/=' };
  test.each<[string, Json, Json[]]>([
    [
      'signed details go back byte for byte',
      { reasoning_details: [signed, { type: 'reasoning.encrypted', data: 'opaque' }] },
      [
        { type: 'thinking', thinking: 'Hm', signature: 'EvQB+/=' },
        { type: 'redacted_thinking', data: 'opaque' },
      ],
    ],
    [
      'blocks of other gateways',
      { thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'EvQB+/=' }] },
      [{ type: 'thinking', thinking: 'Hm', signature: 'EvQB+/=' }],
    ],
    [
      'redacted thinking with its signature',
      {
        reasoning_details: [{ type: 'reasoning.text', text: '', signature: 'EvQB' }],
      },
      [{ type: 'thinking', thinking: '', signature: 'EvQB' }],
    ],
    ['unsigned text is omitted', { reasoning_content: 'Hm' }, []],
    [
      'another provider’s signature is omitted',
      { reasoning_details: [{ ...signed, signature: writePlaceholderSignature('deepseek', 'r1') }] },
      [],
    ],
  ])('%s', (_, fields, blocks) => {
    const history = [HI, { role: 'assistant', content: 'Yo', ...fields }, HI];
    expect(turns(history)[1]?.content).toEqual([...blocks, text('Yo')]);
  });

  test('a tool loop without its thinking block omits thinking on models that require one', () => {
    const messages = [HI, assistant(call('c1')), tool('c1')];
    expect(translate({ messages, reasoning_effort: 'high' }, 'claude-sonnet-4-5')).not.toHaveProperty(
      'thinking',
    );
    expect(translate({ messages, reasoning_effort: 'high' }, 'claude-opus-4-8')).toHaveProperty('thinking');
  });
});

test('arguments of calls that would take long to parse are refused', () => {
  const call = {
    id: 'c',
    type: 'function',
    function: { name: 'f', arguments: `{"x":"${'x'.repeat(4_000_000)}"}` },
  };
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
  ];
  const refusal = refusalOf(() => exchange('chat', { ...CHAT, messages }, { provider: 'anthropic' }));
  expect(refusal).toMatchObject({ code: 'invalid_request', param: 'messages' });
});

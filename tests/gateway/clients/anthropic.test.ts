import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { describe, expect, test } from 'vitest';
import { completion, completionStream, message, messageStream } from '../../harness/scripted-responses';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

const { url, person, upstream } = await startClientWorld();
const client = new Anthropic({ apiKey: person.userKey, baseURL: url, maxRetries: 0 });

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const user = (content: string) => ({ role: 'user' as const, content });
const weather = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
  },
};
const toolBlocks = [
  { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Zürich' } },
  { type: 'tool_use', id: 'call_2', name: 'weather', input: { city: '東京' } },
];
const chatCalls = toolBlocks.map(({ id, name, input }) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
}));
const thought = { type: 'thinking', thinking: 'Let me see…', signature: 'c2ln/+==' };

describe.each([CLAUDE, GPT])('the Anthropic SDK with %s', (model) => {
  const name = upstreamName(model);
  const isClaude = model === CLAUDE;
  const options = { model, max_tokens: 500 };

  test('the streaming helper receives each chunk of text and assembles the message', async () => {
    upstream.script(
      name,
      isClaude
        ? messageStream([{ type: 'text', text: 'Grüße aus 日本' }])
        : completionStream([{ content: 'Grüße ' }, { content: 'aus 日本' }]),
    );
    const pieces: string[] = [];
    const stream = client.messages.stream({ ...options, messages: [user('hi')] });
    stream.on('text', (piece) => pieces.push(piece));
    const final = await stream.finalMessage();

    expect(pieces.length).toBe(2);
    expect(final).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Grüße aus 日本' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 20, output_tokens: 10 },
    });
  });

  test('parallel tool calls reach the client, and their results, including a failed one, reach the provider', async () => {
    upstream.script(
      name,
      isClaude ? message(toolBlocks, 'tool_use') : completion({ tool_calls: chatCalls }, 'tool_calls'),
      isClaude ? message([{ type: 'text', text: 'Warm' }]) : completion({ content: 'Warm' }),
    );
    const tools = [weather];
    const first = await client.messages.create({ ...options, tools, messages: [user('Weather?')] });
    expect(first).toMatchObject({ content: toolBlocks, stop_reason: 'tool_use' });

    const results = [
      { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'warm' },
      { type: 'tool_result' as const, tool_use_id: 'call_2', content: 'no such city', is_error: true },
    ];
    const second = await client.messages.create({
      ...options,
      tools,
      messages: [
        user('Weather?'),
        { role: 'assistant', content: first.content },
        { role: 'user', content: results },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'Warm' }]);
    expect(upstream.lastBody(name).messages).toMatchObject(
      isClaude
        ? [{ role: 'user' }, { role: 'assistant', content: toolBlocks }, { role: 'user', content: results }]
        : [
            { role: 'user' },
            { role: 'assistant', tool_calls: chatCalls },
            { role: 'tool', tool_call_id: 'call_1', content: 'warm' },
            { role: 'tool', tool_call_id: 'call_2', content: 'Error: no such city' },
          ],
    );
  });

  test('the helper assembles streamed tool calls in order', async () => {
    const piece = (index: number, call: object) => ({ tool_calls: [{ index, ...call }] });
    upstream.script(
      name,
      isClaude
        ? messageStream(toolBlocks, 'tool_use')
        : completionStream(
            chatCalls.flatMap(({ id, type, function: called }, index) => [
              piece(index, { id, type, function: { name: called.name, arguments: '' } }),
              piece(index, { function: { arguments: called.arguments } }),
            ]),
            'tool_calls',
          ),
    );
    const stream = client.messages.stream({ ...options, tools: [weather], messages: [user('Weather?')] });
    expect(await stream.finalMessage()).toMatchObject({ content: toolBlocks, stop_reason: 'tool_use' });
  });

  test('the tool runner, which asks for a thread, continues without one', async () => {
    upstream.script(
      name,
      isClaude
        ? message(toolBlocks.slice(0, 1), 'tool_use')
        : completion({ tool_calls: chatCalls.slice(0, 1) }, 'tool_calls'),
      isClaude ? message([{ type: 'text', text: 'Warm' }]) : completion({ content: 'Warm' }),
    );
    const cities: string[] = [];
    const final = await client.beta.messages.toolRunner({
      ...options,
      messages: [user('Weather?')],
      tools: [
        betaTool({
          name: weather.name,
          description: weather.description,
          inputSchema: { ...weather.input_schema, required: ['city'] as const },
          run: ({ city }) => {
            cities.push(city);
            return `warm in ${city}`;
          },
        }),
      ],
    });
    expect([cities, final.content]).toMatchObject([['Zürich'], [{ type: 'text', text: 'Warm' }]]);
    expect(JSON.stringify(upstream.lastBody(name).messages)).toContain('warm in Zürich');
    expect(upstream.lastBody(name)).not.toHaveProperty('thread');
  });

  test('a thread that should continue is refused without that way out', async () => {
    const continued = { ...options, messages: [user('hi')], thread: { type: 'continue', id: 'thread_1' } };
    const error = await client.messages.create(continued).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, error: { error: { message: 'thread: is not supported' } } });
    expect(error).not.toHaveProperty('error.error.details');
  });

  test('an image reaches the provider in the provider’s format', async () => {
    upstream.script(
      name,
      isClaude ? message([{ type: 'text', text: 'A dot' }]) : completion({ content: 'A dot' }),
    );
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL },
    };
    await client.messages.create({
      ...options,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }],
    });
    expect(upstream.lastBody(name).messages).toMatchObject([
      {
        content: [
          { type: 'text', text: 'What is it?' },
          isClaude ? image : { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ],
      },
    ]);
  });

  test('structured output is requested in the provider’s format', async () => {
    const json = '{"city":"Bern"}';
    upstream.script(name, isClaude ? message([{ type: 'text', text: json }]) : completion({ content: json }));
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const response = await client.messages.create({
      ...options,
      messages: [user('Where?')],
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(response.content).toMatchObject([{ type: 'text', text: json }]);
    expect(upstream.lastBody(name)).toMatchObject(
      isClaude
        ? { output_config: { format: { type: 'json_schema', schema } } }
        : { response_format: { type: 'json_schema', json_schema: { schema } } },
    );
  });

  test.each([
    ['end_turn', 'stop', 'end_turn'],
    ['max_tokens', 'length', 'max_tokens'],
    ['refusal', 'content_filter', 'refusal'],
  ])('a response that ends with %s / %s has the stop reason %s', async (stop, finish, expected) => {
    const text = { type: 'text', text: 'So far' };
    upstream.script(name, isClaude ? message([text], stop) : completion({ content: 'So far' }, finish));
    const { stop_reason } = await client.messages.create({ ...options, messages: [user('hi')] });
    expect(stop_reason).toBe(expected);
  });

  test('a stream that breaks off throws an SDK error instead of ending normally', async () => {
    const { events = [] } = isClaude
      ? messageStream([{ type: 'text', text: 'Half an' }])
      : completionStream([{ content: 'Half an' }]);
    upstream.script(name, { events: events.slice(0, isClaude ? 4 : 2), breaksOff: true });
    const stream = client.messages.stream({ ...options, messages: [user('hi')] });
    const pieces: string[] = [];
    stream.on('text', (piece) => pieces.push(piece));

    const error = await stream.finalMessage().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ error: { error: { type: 'upstream_error' } } });
    expect(pieces.join('')).not.toBe('');
  });
});

describe('thinking', () => {
  const options = { max_tokens: 8_000, thinking: { type: 'enabled' as const, budget_tokens: 2_000 } };
  const response = [thought, { type: 'redacted_thinking', data: 'b3BhcXVl' }, { type: 'text', text: 'Yes' }];

  test.each(['not streamed', 'streamed'])(
    'thinking blocks and signatures pass unchanged in both directions (%s)',
    async (mode) => {
      const name = upstreamName(CLAUDE);
      upstream.script(name, mode === 'not streamed' ? message(response) : messageStream(response));
      const question = { ...options, model: CLAUDE, messages: [user('Is it?')] };
      const first =
        mode === 'not streamed'
          ? await client.messages.create(question)
          : await client.messages.stream(question).finalMessage();
      expect(first.content).toMatchObject(response);
      expect(upstream.lastBody(name).thinking).toEqual(options.thinking);

      upstream.script(name, message([{ type: 'text', text: 'Sure' }]));
      await client.messages.create({
        ...options,
        model: CLAUDE,
        messages: [user('Is it?'), { role: 'assistant', content: first.content }, user('Sure?')],
      });
      expect(upstream.lastBody(name).messages).toMatchObject([
        {},
        { role: 'assistant', content: response },
        {},
      ]);
    },
  );

  test('a thinking block from a provider of the other format is marked and never sent to Claude', async () => {
    upstream.script(upstreamName(GPT), completionStream([{ reasoning_content: 'Hm' }, { content: 'Yes' }]));
    const first = await client.messages
      .stream({ model: GPT, max_tokens: 500, messages: [user('Is it?')] })
      .finalMessage();
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm', signature: expect.stringMatching(/.+/) },
      { type: 'text', text: 'Yes' },
    ]);

    upstream.script(upstreamName(CLAUDE), message([{ type: 'text', text: 'Sure' }]));
    await client.messages.create({
      model: CLAUDE,
      max_tokens: 500,
      messages: [user('Is it?'), { role: 'assistant', content: first.content }, user('Sure?')],
    });
    const { messages } = upstream.lastBody(upstreamName(CLAUDE));
    expect(messages).toMatchObject([{}, { content: [{ type: 'text', text: 'Yes' }] }, {}]);
    expect(JSON.stringify(messages)).not.toContain('thinking');
  });
});

test('a refusal without content includes its explanation', async () => {
  const details = { stop_details: { type: 'refusal', category: 'cyber', explanation: 'Not this' } };
  upstream.script(upstreamName(CLAUDE), messageStream([], 'refusal', details));
  const stream = client.messages.stream({ model: CLAUDE, max_tokens: 500, messages: [user('hi')] });
  expect(await stream.finalMessage()).toMatchObject({ content: [], stop_reason: 'refusal', ...details });
});

test('bearer authentication and the model list of the SDK work', async () => {
  const bearer = new Anthropic({ authToken: person.userKey, apiKey: null, baseURL: url, maxRetries: 0 });
  upstream.script(upstreamName(CLAUDE), message([{ type: 'text', text: 'Yes' }]));
  await bearer.messages.create({ model: CLAUDE, max_tokens: 500, messages: [user('hi')] });

  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining([GPT, CLAUDE]));
  expect(await client.models.retrieve(CLAUDE)).toMatchObject({ id: CLAUDE, type: 'model' });
});

test('the SDK does not retry what the service has already retried', async () => {
  const patient = new Anthropic({ apiKey: person.userKey, baseURL: url, maxRetries: 2 });
  upstream.script(upstreamName(CLAUDE), { status: 401, body: { error: { message: 'bad key' } } });
  await expect(
    patient.messages.create({ model: CLAUDE, max_tokens: 500, messages: [user('hi')] }),
  ).rejects.toBeInstanceOf(Anthropic.InternalServerError);
  expect(upstream.seen(upstreamName(CLAUDE))).toHaveLength(1);
});

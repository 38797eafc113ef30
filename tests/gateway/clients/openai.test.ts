import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { completion, completionStream, message, messageStream } from '../../harness/scripted-responses';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

const { url, person, upstream } = await startClientWorld();
const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const user = (content: string) => ({ role: 'user' as const, content });
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** The tool calls in the responses of both formats. */
const TWO_CALLS = [
  { id: 'call_1', name: 'weather', input: { city: 'Zürich' } },
  { id: 'call_2', name: 'weather', input: { city: '東京' } },
];
const chatCalls = TWO_CALLS.map(({ id, name, input }) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
}));
const toolBlocks = TWO_CALLS.map((call) => ({ type: 'tool_use', ...call }));

describe.each([GPT, CLAUDE])('the OpenAI SDK with %s', (model) => {
  const name = upstreamName(model);
  const isGpt = model === GPT;

  test('the streaming helper receives each chunk of text and assembles the completion', async () => {
    upstream.script(
      name,
      isGpt
        ? completionStream([{ content: 'Grüße ' }, { content: 'aus 日本' }])
        : messageStream([{ type: 'text', text: 'Grüße aus 日本' }]),
    );
    const pieces: string[] = [];
    const stream = client.chat.completions
      .stream({ model, messages: [user('hi')], stream_options: { include_usage: true } })
      .on('content', (piece) => pieces.push(piece));
    const final = await stream.finalChatCompletion();

    expect(pieces.length).toBe(2);
    expect(final).toMatchObject({
      model,
      choices: [{ message: { role: 'assistant', content: 'Grüße aus 日本' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
    });
  });

  test('runTools calls two tools in parallel and sends both results', async () => {
    upstream.script(
      name,
      isGpt ? completion({ tool_calls: chatCalls }, 'tool_calls') : message(toolBlocks, 'tool_use'),
      isGpt ? completion({ content: 'Warm in both' }) : message([{ type: 'text', text: 'Warm in both' }]),
    );
    const cities: string[] = [];
    const runner = client.chat.completions.runTools({
      model,
      messages: [user('Weather?')],
      tools: [
        {
          type: 'function',
          function: {
            ...weather.function,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => {
              cities.push(city);
              return `warm in ${city}`;
            },
          },
        },
      ],
    });

    expect(await runner.finalContent()).toBe('Warm in both');
    expect(cities).toEqual(['Zürich', '東京']);
    const { messages } = upstream.lastBody(name);
    expect(messages).toMatchObject(
      isGpt
        ? [
            { role: 'user' },
            { role: 'assistant', tool_calls: chatCalls },
            { role: 'tool', tool_call_id: 'call_1', content: 'warm in Zürich' },
            { role: 'tool', tool_call_id: 'call_2', content: 'warm in 東京' },
          ]
        : [
            { role: 'user' },
            { role: 'assistant', content: toolBlocks },
            {
              role: 'user',
              content: [
                { type: 'tool_result', tool_use_id: 'call_1' },
                { type: 'tool_result', tool_use_id: 'call_2' },
              ],
            },
          ],
    );
  });

  test('streamed parallel calls arrive complete, each with its own index', async () => {
    const start = (index: number) => ({
      tool_calls: [
        { index, id: chatCalls[index]?.id, type: 'function', function: { name: 'weather', arguments: '' } },
      ],
    });
    const rest = (index: number) => ({
      tool_calls: [{ index, function: { arguments: chatCalls[index]?.function.arguments } }],
    });
    upstream.script(
      name,
      isGpt
        ? completionStream([start(0), rest(0), start(1), rest(1)], 'tool_calls')
        : messageStream(toolBlocks, 'tool_use'),
    );
    const stream = client.chat.completions.stream({ model, messages: [user('Weather?')], tools: [weather] });
    const [choice] = (await stream.finalChatCompletion()).choices;

    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message.tool_calls).toMatchObject(chatCalls);
  });

  test('parse() returns typed structured output', async () => {
    const json = '{"city":"Bern","degrees":7}';
    upstream.script(name, isGpt ? completion({ content: json }) : message([{ type: 'text', text: json }]));
    const schema = z.object({ city: z.string(), degrees: z.number() });
    const parsed = await client.chat.completions.parse({
      model,
      messages: [user('Weather?')],
      response_format: zodResponseFormat(schema, 'weather'),
    });

    expect(parsed.choices[0]?.message.parsed).toEqual({ city: 'Bern', degrees: 7 });
    const sent = upstream.lastBody(name);
    const shape = { type: 'object', required: ['city', 'degrees'], additionalProperties: false };
    expect(sent).toMatchObject(
      isGpt
        ? {
            response_format: {
              type: 'json_schema',
              json_schema: { name: 'weather', strict: true, schema: shape },
            },
          }
        : { output_config: { format: { type: 'json_schema', schema: shape } } },
    );
  });

  test('an image as a data URL reaches the provider in the provider’s format', async () => {
    upstream.script(
      name,
      isGpt ? completion({ content: 'A dot' }) : message([{ type: 'text', text: 'A dot' }]),
    );
    await client.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
      ],
    });

    expect(upstream.lastBody(name).messages).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          isGpt
            ? { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }
            : { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        ],
      },
    ]);
  });

  test.each([
    ['stop', 'end_turn', 'stop'],
    ['length', 'max_tokens', 'length'],
    ['content_filter', 'refusal', 'content_filter'],
  ])('a response that ends with %s / %s has the finish reason %s', async (finish, stop, expected) => {
    const text = { type: 'text', text: 'So far' };
    upstream.script(name, isGpt ? completion({ content: 'So far' }, finish) : message([text], stop));
    const { choices } = await client.chat.completions.create({ model, messages: [user('hi')] });
    expect(choices[0]?.finish_reason).toBe(expected);
  });

  test('a stream that breaks off throws an SDK error instead of ending normally', async () => {
    const { events = [] } = isGpt
      ? completionStream([{ content: 'Half an' }])
      : messageStream([{ type: 'text', text: 'Half an' }]);
    upstream.script(name, { events: events.slice(0, isGpt ? 2 : 4), breaksOff: true });
    const stream = client.chat.completions.stream({ model, messages: [user('hi')] });
    const pieces: string[] = [];
    stream.on('content', (piece) => pieces.push(piece));

    const error = await stream.finalChatCompletion().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ type: 'upstream_error' });
    expect(pieces.join('')).not.toBe('');
  });

  test('a stream whose connection breaks after its finish reason is complete', async () => {
    const { events = [] } = isGpt
      ? completionStream([{ content: 'Half an' }])
      : messageStream([{ type: 'text', text: 'Half an' }]);
    upstream.script(name, { events: events.slice(0, isGpt ? -2 : -1), breaksOff: true });
    const stream = client.chat.completions.stream({ model, messages: [user('hi')] });
    expect(await stream.finalContent()).toBe('Half an');
  });
});

test('a reasoning effort becomes a thinking budget, and signed thinking can be sent back', async () => {
  const thought = { type: 'thinking', thinking: 'Let me see…', signature: 'c2ln/+==' };
  upstream.script(upstreamName(CLAUDE), message([thought, { type: 'text', text: 'Yes' }]));
  const options = { model: CLAUDE, reasoning_effort: 'low' as const, max_tokens: 8_000 };
  const first = await client.chat.completions.create({ ...options, messages: [user('Is it?')] });
  const reply = first.choices[0]?.message;
  expect(reply).toMatchObject({
    content: 'Yes',
    reasoning_content: 'Let me see…',
    reasoning_details: [{ type: 'reasoning.text', text: 'Let me see…', signature: 'c2ln/+==' }],
  });
  expect(upstream.lastBody(upstreamName(CLAUDE)).thinking).toMatchObject({ type: 'enabled' });

  if (reply === undefined) throw new Error('no reply');
  await client.chat.completions.create({ ...options, messages: [user('Is it?'), reply, user('Sure?')] });
  expect(upstream.lastBody(upstreamName(CLAUDE)).messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [thought, { type: 'text', text: 'Yes' }] },
    { role: 'user' },
  ]);
});

test('thinking is streamed separately from the text', async () => {
  upstream.script(
    upstreamName(CLAUDE),
    messageStream([
      { type: 'thinking', thinking: 'Hm, hm', signature: 'c2ln' },
      { type: 'text', text: 'Yes' },
    ]),
  );
  const seen = { thought: '', text: '' };
  for await (const chunk of await client.chat.completions.create({
    model: CLAUDE,
    messages: [user('Is it?')],
    stream: true,
  })) {
    const delta = chunk.choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined;
    seen.thought += delta?.reasoning_content ?? '';
    seen.text += delta?.content ?? '';
  }
  expect(seen).toEqual({ thought: 'Hm, hm', text: 'Yes' });
});

test.each([
  ['required', { type: 'any' }],
  ['none', { type: 'none' }],
  [
    { type: 'function', function: { name: 'weather' } },
    { type: 'tool', name: 'weather' },
  ],
] as const)('tool_choice %j reaches a provider of the other format', async (choice, expected) => {
  upstream.script(upstreamName(CLAUDE), message([{ type: 'text', text: 'Well' }]));
  await client.chat.completions.create({
    model: CLAUDE,
    messages: [user('Weather?')],
    tools: [weather],
    tool_choice: choice,
    parallel_tool_calls: true,
  });
  expect(upstream.lastBody(upstreamName(CLAUDE)).tool_choice).toEqual(expected);
});

test('the SDK lists the models and retrieves one', async () => {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining([GPT, CLAUDE, 'sandbox/echo']));
  expect((await client.models.retrieve(GPT)).id).toBe(GPT);
});

test('errors have the SDK class of their status', async () => {
  const bad = new OpenAI({ apiKey: 'svc_sk_wrong', baseURL: `${url}/v1`, maxRetries: 0 });
  const options = { model: GPT, messages: [user('hi')] };
  await expect(bad.chat.completions.create(options)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  await expect(client.chat.completions.create({ ...options, model: 'no/such' })).rejects.toBeInstanceOf(
    OpenAI.NotFoundError,
  );
  await expect(client.chat.completions.create({ ...options, messages: [] })).rejects.toBeInstanceOf(
    OpenAI.BadRequestError,
  );
});

test('the SDK does not retry what the service has already retried', async () => {
  const patient = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 2 });
  upstream.script(upstreamName(GPT), { status: 401, body: { error: { message: 'bad key' } } });
  await expect(
    patient.chat.completions.create({ model: GPT, messages: [user('hi')] }),
  ).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  expect(upstream.seen(upstreamName(GPT))).toHaveLength(1);
});

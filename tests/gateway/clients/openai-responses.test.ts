import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { forgetKeptResponses } from '@/server/gateway/run/kept-store';
import { deleteAccount } from '@/server/people/delete-account';
import { newPerson } from '../../harness/people';
import { message, messageStream, response, responseStream } from '../../harness/scripted-responses';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

const { url, person, upstream } = await startClientWorld();
const newClient = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
const client = newClient(person.userKey);

afterEach(() => setClock());

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const WEATHER = {
  type: 'function' as const,
  name: 'weather',
  description: 'The weather of a city',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const call = (id: string, city: string) => ({ id, name: 'weather', input: { city } });
const CALLS = [call('call_1', 'Zürich'), call('call_2', '東京')];

/** What a provider of either kind says. */
const says = (model: string, text: string) =>
  model === GPT
    ? response([
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
      ])
    : message([{ type: 'text', text }]);
const streams = (model: string, text: string) =>
  model === GPT
    ? responseStream([
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
      ])
    : messageStream([{ type: 'text', text }]);
const calls = (model: string) =>
  model === GPT
    ? responseStream(
        CALLS.map(({ id, name, input }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: JSON.stringify(input),
        })),
      )
    : messageStream(
        CALLS.map((block) => ({ type: 'tool_use', ...block })),
        'tool_use',
      );

describe.each([GPT, CLAUDE])('the Responses API of the OpenAI SDK with %s', (model) => {
  const name = upstreamName(model);

  test('returns text, usage and the fields of the request', async () => {
    upstream.script(name, says(model, 'Grüße'));
    const { data, response: http } = await client.responses
      .create({ model, instructions: 'Be short.', input: 'hi', metadata: { trace: 'a' }, user: 'u' })
      .withResponse();

    expect(data).toMatchObject({
      object: 'response',
      status: 'completed',
      model,
      output_text: 'Grüße',
      metadata: { trace: 'a' },
      store: true,
      safety_identifier: null,
      usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
    });
    expect(Number(http.headers.get('x-svc-credits-charged'))).toBeGreaterThan(0);
    const sent = JSON.stringify(upstream.lastBody(name));
    expect(sent).toContain('Be short.');
    expect(sent).not.toContain('trace');
    expect(upstream.lastBody(name).store ?? false).toBe(false);
  });

  test('streams the documented events in order, numbered without gaps', async () => {
    upstream.script(name, streams(model, 'Hello'));
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({ model, input: 'hi', stream: true }))
      events.push(event);

    const types = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ response: { model, usage: { total_tokens: 30 }, store: true } });
  });

  test('the streaming helper calls two tools in parallel, and the loop continues', async () => {
    upstream.script(name, calls(model), says(model, 'Warm in both'));
    const input: ResponseInputItem[] = [{ role: 'user', content: 'Weather?' }];
    const first = await client.responses.stream({ model, input, tools: [WEATHER] }).finalResponse();
    const called = first.output.filter((item) => item.type === 'function_call');
    expect(called.map((item) => JSON.parse(item.arguments))).toEqual(CALLS.map((one) => one.input));

    input.push(...(first.output as ResponseInputItem[]));
    for (const { call_id } of called) input.push({ type: 'function_call_output', call_id, output: 'warm' });
    const second = await client.responses.create({ model, input, tools: [WEATHER] });

    expect(second.output_text).toBe('Warm in both');
    expect(JSON.stringify(upstream.lastBody(name))).toMatch(/call_1.*call_2.*warm/);
  });

  test('parse returns structured output', async () => {
    upstream.script(name, says(model, '{"city":"Graz"}'));
    const schema = z.object({ city: z.string() });
    const { output_parsed } = await client.responses.parse({
      model,
      input: 'Where?',
      text: { format: zodTextFormat(schema, 'place') },
    });
    expect(output_parsed).toEqual({ city: 'Graz' });
  });

  test('an image reaches the provider', async () => {
    upstream.script(name, says(model, 'A pixel'));
    await client.responses.create({
      model,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${PIXEL}` },
          ],
        },
      ],
    });
    expect(JSON.stringify(upstream.lastBody(name))).toContain(PIXEL);
  });

  test('a later request continues a kept response, and only for the same user', async () => {
    upstream.script(name, says(model, 'Your name is Ada'));
    const first = await client.responses.create({ model, input: 'I am Ada' });
    const { id } = first;
    await client.responses.create({ model, input: 'Who am I?', previous_response_id: id });
    expect(JSON.stringify(upstream.lastBody(name))).toMatch(/I am Ada.*Your name is Ada.*Who am I\?/);

    const [item] = first.output;
    const reference = { type: 'item_reference' as const, id: item?.id ?? '' };
    await client.responses.create({ model, input: [reference, { role: 'user', content: 'Sure?' }] });
    expect(JSON.stringify(upstream.lastBody(name))).toMatch(/Your name is Ada.*Sure\?/);
    expect(await client.responses.retrieve(id)).toMatchObject({ id, output_text: 'Your name is Ada' });

    const stranger = newClient((await newPerson({ credits: 100 })).userKey);
    await expect(stranger.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(
      stranger.responses.create({ model, input: 'Who?', previous_response_id: id }),
    ).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
    await expect(stranger.responses.create({ model, input: [reference] })).rejects.toMatchObject({
      status: 400,
      param: 'input.0.id',
    });
  });

  test('a response with store: false is not kept', async () => {
    upstream.script(name, says(model, 'Secret'));
    const { id, ...rest } = await client.responses.create({ model, input: 'hi', store: false });
    expect(rest).toMatchObject({ store: false });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});

test('kept responses are encrypted, and deleted with the account', async () => {
  const name = upstreamName(CLAUDE);
  const user = await newPerson({ credits: 100 });
  upstream.script(name, says(CLAUDE, 'An orange lighthouse'));
  await newClient(user.userKey).responses.create({ model: CLAUDE, input: 'A purple harbour' });

  const [row] = await prisma().keptResponse.findMany({ where: { userId: user.userId } });
  const bytes = Buffer.concat([row?.input ?? new Uint8Array(), row?.response ?? new Uint8Array()]).toString(
    'latin1',
  );
  expect(bytes.length).toBeGreaterThan(100);
  expect(bytes).not.toMatch(/harbour|lighthouse/);
  await deleteAccount(user.userId);
  expect(await prisma().keptResponse.count({ where: { userId: user.userId } })).toBe(0);
});

test('signed thinking of Claude comes back byte for byte', async () => {
  const name = upstreamName(CLAUDE);
  const thought = { type: 'thinking', thinking: 'Hmm, 日本', signature: 'c2lnbmVk' };
  upstream.script(
    name,
    messageStream([thought, { type: 'tool_use', ...call('toolu_1', 'Graz') }], 'tool_use'),
    says(CLAUDE, 'Warm'),
  );
  const first = await client.responses
    .stream({
      model: CLAUDE,
      input: 'Weather?',
      tools: [WEATHER],
      reasoning: { effort: 'high' },
      store: false,
    })
    .finalResponse();
  expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
  expect(first.output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: 'Hmm, 日本' }] });
  await client.responses.create({
    model: CLAUDE,
    input: [
      { role: 'user', content: 'Weather?' },
      ...(first.output as ResponseInputItem[]),
      { type: 'function_call_output', call_id: 'toolu_1', output: 'warm' },
    ],
    tools: [WEATHER],
    reasoning: { effort: 'high' },
  });
  const { messages } = upstream.lastBody(name) as { messages: { content: unknown[] }[] };
  expect(messages[1]?.content[0]).toEqual(thought);
});

test('OpenAI is asked to keep nothing, and gets back its own reasoning only', async () => {
  const model = 'openai/gpt-5-mini';
  const own = { type: 'reasoning' as const, id: 'rs_1', summary: [], encrypted_content: 'gAAAA-own' };
  upstream.script('gpt-5-mini', says(GPT, 'ok'));
  await client.responses.create({
    model,
    max_output_tokens: 500,
    temperature: 0.2,
    input: [
      { role: 'user', content: 'hi' },
      own,
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'svc-reasoning.WyJhIiwiYiJd' },
      { role: 'user', content: 'and?' },
    ],
  });
  const [request] = upstream.seen('gpt-5-mini');
  expect(request?.path).toBe('/v1/responses');
  expect(request?.body).toMatchObject({
    model: 'gpt-5-mini',
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 500,
    service_tier: 'default',
  });
  expect(request?.body.temperature).toBeUndefined();
  expect(request?.body.input).toEqual([
    { role: 'user', content: 'hi' },
    { type: 'reasoning', summary: [], encrypted_content: 'gAAAA-own' },
    { role: 'user', content: 'and?' },
  ]);
});

test.each([
  [{ background: true }, 'background'],
  [{ conversation: 'conv_1' }, 'conversation'],
  [{ tools: [{ type: 'file_search' }] }, 'tools.0.type'],
  [
    { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
    'input.0.content.0.file_id',
  ],
  [{ input: undefined }, 'input'],
  [{ previous_response_id: 'resp_\u0000' }, 'previous_response_id'],
  [{ input: [{ type: 'function_call_output', call_id: 'x', output: 'y' }] }, 'input'],
  [{ input: [{ type: 'computer_call', call_id: 'x' }] }, 'input.0.type'],
])('%o is refused with the field %s', async (fields, param) => {
  for (const model of [CLAUDE, ...(param === 'input' ? [] : [GPT])]) {
    const request = { model, input: 'hi', ...fields } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
    await expect(client.responses.create(request)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request',
      param,
    });
  }
});

describe.each([GPT, CLAUDE])('a stream of %s that breaks', (model) => {
  test('ends with an error and response.failed', async () => {
    const { events = [] } = streams(model, 'Half');
    upstream.script(upstreamName(model), { events: events.slice(0, -2), breaksOff: true });
    const request = client.responses.create({ model, input: 'hi', stream: true }).asResponse();
    const text = await (await request).text();
    const frames = text.trim().split('\n\n');
    const last = frames.slice(-2).map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)));
    expect(last).toMatchObject([
      { type: 'error', code: 'upstream_error', error: { code: 'upstream_error' } },
      { type: 'response.failed', response: { status: 'failed', model, error: { code: 'server_error' } } },
    ]);
    expect(last[1].sequence_number).toBe(last[0].sequence_number + 1);
  });
});

test.each([false, true])(
  'custom tools and namespaces reach a model that knows only functions (stream: %s)',
  async (stream) => {
    const name = upstreamName(CLAUDE);
    const uses = [
      { type: 'tool_use', id: 'toolu_1', name: 'patch', input: { input: '*** "Begin"' } },
      { type: 'tool_use', id: 'toolu_2', name: 'files__read', input: { path: 'a' } },
    ];
    upstream.script(name, (stream ? messageStream : message)(uses, 'tool_use'), says(CLAUDE, 'Done'));
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } as const;
    const read = { type: 'function' as const, name: 'read', parameters: { type: 'object', properties: {} } };
    const tools = [
      { type: 'custom', name: 'patch', description: 'Changes files', format },
      { type: 'namespace', name: 'files', description: 'Files', tools: [read] },
      { type: 'web_search', external_web_access: false },
    ] as OpenAI.Responses.Tool[];
    const request = { model: CLAUDE, input: 'Fix it', tools };
    const { output } = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect(output).toMatchObject([
      { type: 'custom_tool_call', name: 'patch', call_id: 'toolu_1', input: '*** "Begin"' },
      { type: 'function_call', name: 'read', namespace: 'files', arguments: '{"path":"a"}' },
    ]);
    const { data, response: http } = await client.responses
      .create({
        ...request,
        input: [
          { role: 'user', content: 'Fix it' },
          ...(output as ResponseInputItem[]),
          { type: 'custom_tool_call_output', call_id: 'toolu_1', output: 'patched' },
          { type: 'function_call_output', call_id: 'toolu_2', output: 'text' },
        ],
      })
      .withResponse();
    expect(data.output_text).toBe('Done');
    expect(http.headers.get('x-svc-warnings')).toContain('the tool web_search was dropped');
    const sent = upstream.lastBody(name) as { tools: { name: string; description?: string }[] };
    expect(sent.tools.map((tool) => tool.name)).toEqual(['patch', 'files__read']);
    expect(sent.tools[0]?.description).toContain('start: "x"');
    expect(JSON.stringify(sent)).toMatch(/toolu_1.*patched.*toolu_2.*text/);
  },
);

test('a failure of OpenAI before any output is an error status', async () => {
  const { events = [] } = streams(GPT, 'never');
  const error = { type: 'server_error', code: 'server_error', message: 'The server had an error' };
  upstream.script(upstreamName(GPT), {
    events: [events[0] ?? '', { type: 'error', error, sequence_number: 1 }],
  });
  const request = client.responses.create({ model: GPT, input: 'hi', stream: true });
  await expect(request).rejects.toMatchObject({ status: 502, type: 'upstream_error' });
});

test('reasoning that OpenAI cannot read is left out of one retry', async () => {
  const message = 'The encrypted content gAAAA could not be verified.';
  upstream.script(
    'gpt-5-mini',
    {
      status: 400,
      body: { error: { message, type: 'invalid_request_error', code: 'invalid_encrypted_content' } },
    },
    says(GPT, 'ok'),
  );
  const { output_text } = await client.responses.create({
    model: 'openai/gpt-5-mini',
    input: [
      { role: 'user', content: 'hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
      { role: 'user', content: 'and?' },
    ],
  });
  expect(output_text).toBe('ok');
  expect(upstream.lastBody('gpt-5-mini').input).toHaveLength(2);
});

test('responses are not kept where the operator keeps none', async () => {
  const before = settings().KEEP_RESPONSES_MINUTES;
  Object.assign(settings(), { KEEP_RESPONSES_MINUTES: 0 });
  try {
    upstream.script(upstreamName(CLAUDE), says(CLAUDE, 'ok'));
    const answer = await client.responses.create({ model: CLAUDE, input: 'hi', store: true });
    expect(answer).toMatchObject({ store: false });
    await expect(
      client.responses.create({ model: CLAUDE, input: 'hi', previous_response_id: answer.id }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('responses are not kept here') });
  } finally {
    Object.assign(settings(), { KEEP_RESPONSES_MINUTES: before });
  }
});

test('a kept response expires an hour after its last use, and the job deletes it', async () => {
  upstream.script(upstreamName(CLAUDE), says(CLAUDE, 'ok'));
  const { id } = await client.responses.create({ model: CLAUDE, input: 'hi' });
  const continued = () => client.responses.create({ model: CLAUDE, input: 'hi', previous_response_id: id });
  const start = now();
  const after = (minutes: number) => setClock(() => start + minutes * MINUTE_MS);
  after(50);
  await continued();
  after(100);
  await forgetKeptResponses();
  await continued();
  after(161);
  await expect(continued()).rejects.toMatchObject({ status: 400 });
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  expect(await prisma().keptResponse.count({ where: { id } })).toBe(1);
  await forgetKeptResponses();
  expect(await prisma().keptResponse.count({ where: { id } })).toBe(0);
});

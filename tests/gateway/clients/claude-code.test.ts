import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { readSpendable } from '@/server/ledger';
import { newPerson } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { completion, message, messageStream } from '../../harness/scripted-responses';
import { searchStream } from '../../harness/search-responses';
import { GPT, startClientWorld, upstreamName } from './world';

/** Requests as Claude Code sends them. */

const { url, person, upstream } = await startClientWorld();
const OPUS = 'anthropic/claude-opus-5';
const name = upstreamName(OPUS);
const client = new Anthropic({ authToken: person.userKey, apiKey: null, baseURL: url, maxRetries: 0 });
const cache_control = { type: 'ephemeral' as const };

const REQUEST = {
  model: OPUS,
  max_tokens: 32_000,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cc_entrypoint=cli' },
    { type: 'text', text: 'You are Claude Code.', cache_control },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Fix the test', cache_control }] },
    { role: 'system', content: 'The user opened a file' },
  ],
  tools: [
    {
      name: 'Bash',
      description: 'Runs a command',
      input_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { command: { type: 'string' } },
        required: ['command'],
        additionalProperties: false,
      },
      cache_control: { ...cache_control, ttl: '1h' },
    },
  ],
  thinking: { type: 'adaptive', display: 'omitted' },
  output_config: { effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  metadata: { user_id: `user_${'a'.repeat(64)}_account__session_${'b'.repeat(36)}` },
  stream: true,
};
const FREE_BETAS = 'claude-code-20250219,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13';
const BETAS = `${FREE_BETAS},fast-mode-2026-02-01`;

function post(body: object, path = '/v1/messages?beta=true'): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.userKey}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': BETAS,
      'x-app': 'cli',
      'user-agent': 'claude-cli/2.1.79 (external, cli)',
    },
    body: JSON.stringify(body),
  });
}

test('a turn reaches Claude unchanged except for the fields that we must set', async () => {
  upstream.script(name, messageStream([{ type: 'text', text: 'Done' }]));
  const response = await post(REQUEST);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  await response.text();
  expect(response.headers.get('x-svc-warnings')).toBe('some anthropic-beta values were not forwarded');

  const { model: _, metadata: _metadata, ...rest } = REQUEST;
  const [sent] = upstream.seen(name);
  expect(sent?.body).toMatchObject({ ...rest, model: name, service_tier: 'standard_only' });
  expect(JSON.stringify(sent?.body)).not.toContain('session_');
  expect(sent?.headers['anthropic-beta']).toBe(FREE_BETAS);
  expect(sent?.headers['x-api-key']).toBe('sk-ant-of-the-operator');
  expect(JSON.stringify(sent?.headers)).not.toMatch(/svc_sk_|x-app|claude-cli/);
});

test('WebSearch gets its results, and costs what Anthropic bills for the search and its tokens', async () => {
  const request = {
    model: OPUS,
    max_tokens: 32_000,
    system: [{ type: 'text', text: 'You are an assistant for performing a web search tool use' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Perform a web search for the query: Ginza' }] },
    ],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    tool_choice: { type: 'tool', name: 'web_search' },
    thinking: { type: 'disabled' },
    metadata: REQUEST.metadata,
    stream: true,
  };
  const { userId, userKey } = await newPerson({ credits: 10_000 });
  const { events = [] } = searchStream();
  upstream.script(name, { events });
  const response = await fetch(`${url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const text = await response.text();
  const received = text.match(/(?<=^data: ).+$/gm)?.map((data) => JSON.parse(data));
  // A ping before the end contains the cost.
  const others = received?.filter(({ type }) => type !== 'ping');
  expect(others?.slice(1)).toEqual(events.slice(1));
  expect(response.headers.get('x-svc-warnings')).toBeNull();

  const { model: _, metadata: _metadata, ...rest } = request;
  expect(upstream.lastBody(name)).toMatchObject({ ...rest, model: name });
  const [receipt] = await readReceipts(userId);
  // 5 and 25 dollars per million tokens, and a cent for the search.
  expect(receipt).toMatchObject({
    webSearches: 1,
    providerCost: 15_665n * 500n + 795n * 2_500n + 1_000_000n,
    estimated: false,
  });
});

test('long thinking streams pings, then a signature without text', async () => {
  const { events = [] } = messageStream([
    { type: 'thinking', thinking: '', signature: 'c2ln' },
    { type: 'text', text: 'Done' },
  ]);
  const [start, ...rest] = events;
  upstream.script(name, { events: [start ?? '', ...Array(20).fill({ type: 'ping' }), ...rest] });
  const text = await (await post(REQUEST)).text();

  const frames = text.trimEnd().split('\n\n');
  for (const frame of frames) {
    const [, event, data] = /^event: (\w+)\ndata: (.+)$/.exec(frame) ?? [];
    expect([event, JSON.parse(data ?? '{}').type]).toEqual([event, event]);
  }
  expect(frames.filter((frame) => frame.startsWith('event: message_start'))).toHaveLength(1);
  expect(frames.filter((frame) => frame.startsWith('event: ping')).length).toBeGreaterThanOrEqual(20);
  expect(text).toContain('"signature":"c2ln"');
  expect(frames.at(-1)).toContain('message_stop');
});

test('the beta API of the SDK assembles the same stream', async () => {
  const thought = { type: 'thinking', thinking: '', signature: 'c2ln' };
  const content = [thought, { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }];
  upstream.script(name, messageStream(content, 'tool_use'));
  const { stream: _, ...request } = REQUEST;
  const stream = client.beta.messages.stream({
    ...(request as unknown as Anthropic.Beta.MessageCreateParamsNonStreaming),
    betas: ['claude-code-20250219'],
  });
  expect(await stream.finalMessage()).toMatchObject({ content, stop_reason: 'tool_use' });
});

test('the same turn to a provider of the other format keeps what that format supports', async () => {
  upstream.script(upstreamName(GPT), completion({ content: 'Done' }));
  const response = await post({ ...REQUEST, model: GPT, stream: false });
  expect(response.status).toBe(200);
  expect((await response.json()).content).toMatchObject([{ type: 'text', text: 'Done' }]);
  const sent = upstream.lastBody(upstreamName(GPT));
  expect(sent.messages).toMatchObject([
    { role: 'system', content: 'You are Claude Code.' },
    { role: 'user' },
    { role: 'system', content: 'The user opened a file' },
  ]);
  expect(sent).toMatchObject({ tools: [{ type: 'function', function: { name: 'Bash' } }] });
  expect(JSON.stringify(sent)).not.toMatch(/cache_control|thinking|context_management|billing-header/);
});

test('count_tokens returns the provider’s count without a charge', async () => {
  const before = await readSpendable(person.userId, person.partnerId);
  upstream.script(name, { body: { input_tokens: 4_711 } });
  const { max_tokens: _, stream: _stream, metadata: _metadata, ...counted } = REQUEST;
  const response = await post(counted, '/v1/messages/count_tokens?beta=true');
  expect([response.status, await response.json()]).toEqual([200, { input_tokens: 4_711 }]);
  expect(upstream.seen(name)[0]?.path).toBe('/v1/messages/count_tokens');
  expect(await readSpendable(person.userId, person.partnerId)).toEqual(before);
});

test('count_tokens returns an estimate when the provider does not count', async () => {
  upstream.script(name, { status: 500, body: { error: { type: 'api_error', message: 'x' } } });
  const { input_tokens } = await client.messages.countTokens({
    model: OPUS,
    messages: [{ role: 'user', content: 'word '.repeat(100) }],
  });
  expect(input_tokens).toBeGreaterThan(80);
});

test.each([
  [429, 429, 'rate_limited'],
  [529, 502, 'upstream_error'],
])('a provider’s %i becomes %i, which Claude Code can retry or show', async (given, status, type) => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  upstream.script(name, { status: given, body: error, headers: { 'retry-after': '60' } });
  const response = await post(REQUEST);
  expect([response.status, (await response.json()).error.type]).toEqual([status, type]);
});

test('a prompt that is too long gets the message that Claude Code tests for', async () => {
  const said = 'prompt is too long: 210000 tokens > 200000 maximum';
  const error = { type: 'error', error: { type: 'invalid_request_error', message: said } };
  upstream.script(name, message([], 'end_turn'));
  upstream.script(name, { status: 400, body: error });
  const response = await post(REQUEST);
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { type: 'error', error: { type: 'invalid_request', message: said } },
  ]);
});

test('model discovery lists Claude models without a redirect or a key', async () => {
  const response = await fetch(`${url}/v1/models?limit=1000`, {
    headers: { 'anthropic-version': '2023-06-01' },
    redirect: 'error',
  });
  const { data, has_more } = await response.json();
  expect(has_more).toBe(false);
  expect(data).toContainEqual(
    expect.objectContaining({ id: OPUS, type: 'model', display_name: 'Claude Opus 5' }),
  );
});

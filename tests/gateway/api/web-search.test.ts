import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { findUserReceipt } from '@/server/reports/activity/user-receipt';
import { newPerson } from '../../harness/people';
import { response, responseStream } from '../../harness/scripted-responses';
import { SEARCH_USAGE, SEARCHED, searchMessage, searchStream } from '../../harness/search-responses';
import { startClientWorld, upstreamName } from '../clients/world';

/** Web searches that Anthropic runs: 3 and 15 dollars per million tokens, and a cent per search. */

const { url, upstream } = await startClientWorld();
const SONNET = 'anthropic/claude-sonnet-4-5';
const name = upstreamName(SONNET);
const TOOL = { type: 'web_search_20250305' as const, name: 'web_search' as const };
const RATE_BP = 2_500;
/** In microcredits, before the commission. */
const COST = 15_665n * 300n + 795n * 1_500n + 1_000_000n;
const charged = (cost: bigint): bigint => (cost * 12_500n + 9_999n) / 10_000n;

type Body = Record<string, unknown>;

async function send(body: Body, credits = 1_000) {
  const person = await newPerson({ credits, rateBp: RATE_BP });
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: SONNET, max_tokens: 1_000, messages: [USER], ...body }),
  });
  const text = await response.text().catch(() => '');
  return { person, response, text, id: response.headers.get('x-request-id') ?? '' };
}

const USER = { role: 'user', content: 'Which shops open today?' };

test('the official client gets the search, its results and the citations as Anthropic sends them', async () => {
  const person = await newPerson({ credits: 1_000 });
  const client = new Anthropic({ authToken: person.userKey, apiKey: null, baseURL: url, maxRetries: 0 });
  upstream.script(name, searchStream());
  const stream = client.messages.stream({
    model: SONNET,
    max_tokens: 1_000,
    messages: [{ role: 'user', content: USER.content }],
    tools: [{ ...TOOL, max_uses: 3, allowed_domains: ['example.com'] }],
  });
  const message = await stream.finalMessage();
  expect(message.content).toEqual(SEARCHED);
  expect(message.usage.server_tool_use).toMatchObject({ web_search_requests: 1 });
  expect(upstream.lastBody(name).tools).toEqual([{ ...TOOL, max_uses: 3, allowed_domains: ['example.com'] }]);

  upstream.script(name, searchMessage());
  const next = await client.messages.create({
    model: SONNET,
    max_tokens: 1_000,
    messages: [
      { role: 'user', content: USER.content },
      { role: 'assistant', content: message.content },
      { role: 'user', content: 'And tomorrow?' },
    ],
    tools: [TOOL],
  });
  expect(next.content).toEqual(SEARCHED);
  const [, turn] = upstream.lastBody(name).messages as Body[];
  expect(turn).toEqual({ role: 'assistant', content: SEARCHED });
});

describe.each(['whole', 'streamed'] as const)('a %s response with a search', (kind) => {
  const reply = () => (kind === 'whole' ? searchMessage() : searchStream());
  const stream = kind === 'streamed';

  test('is charged its tokens and the price of the search, rounded once, on a receipt with its own line', async () => {
    upstream.script(name, reply());
    const { person, response, id } = await send({ stream, tools: [{ ...TOOL, max_uses: 2 }] });
    expect([response.status, response.headers.get('x-svc-warnings')]).toEqual([200, null]);

    const receipt = await findUserReceipt(person.userId, id);
    expect(receipt).toMatchObject({
      inputTokens: 15_665,
      outputTokens: 795,
      webSearches: 1,
      providerCost: COST,
      charge: charged(COST),
      estimated: false,
      notCharged: 0n,
    });
    expect(receipt?.lines.at(-1)).toEqual({
      unit: 'web_search',
      kind: null,
      count: 1,
      price: '10',
      cost: 1_000_000n * 1_000_000n,
    });
    const lines = receipt?.lines.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n) ?? 0n;
    expect((lines + 999_999n) / 1_000_000n).toBe(COST);

    const api = await fetch(`${url}/v1/credits/receipts/${id}`, {
      headers: { authorization: `Bearer ${person.userKey}` },
    });
    expect(await api.json()).toMatchObject({ web_searches: 1, provider_credits: Number(COST) / 1e6 });
  });
});

test.each([true, false])(
  'a search whose results were shown is charged if the usage does not count it (stream: %s)',
  async (stream) => {
    upstream.script(name, (stream ? searchStream : searchMessage)({ input: 15_665, output: 795 }));
    const { person, id } = await send({ stream, tools: [{ ...TOOL, max_uses: 2 }] });
    expect(await findUserReceipt(person.userId, id)).toMatchObject({ webSearches: 1, providerCost: COST });
  },
);

test('the hold covers the most that the searches can cost', async () => {
  // The instructions to search in ten readings; results, and what was written, in nine.
  const input = 10 * 2_700 + 9 * (20_000 + 1_000);
  const most = { input, output: 1_000, searches: 1 };
  upstream.script(name, searchMessage(most));
  const { person, id } = await send({ tools: [{ ...TOOL, max_uses: 1 }] });
  const receipt = await findUserReceipt(person.userId, id);
  expect(receipt?.notCharged).toBe(0n);
  expect(receipt?.charge).toBe(charged(BigInt(input) * 300n + 1_000n * 1_500n + 1_000_000n));
});

test('a search without a limit gets one, and a balance that covers fewer lowers it with a warning', async () => {
  upstream.script(name, searchMessage());
  await send({ tools: [TOOL] }, 10_000);
  expect(upstream.lastBody(name).tools).toEqual([{ ...TOOL, max_uses: 5 }]);

  upstream.script(name, searchMessage());
  const { person, response, id } = await send({ tools: [{ ...TOOL, max_uses: 8 }] }, 300);
  expect(response.headers.get('x-svc-warnings')).toBe(
    'web search was limited to 3 uses, which the credits cover',
  );
  expect(upstream.lastBody(name).tools).toEqual([{ ...TOOL, max_uses: 3 }]);
  expect((await findUserReceipt(person.userId, id))?.charge).toBe(charged(COST));

  const { response: refused } = await send({ tools: [TOOL] }, 20);
  expect(refused.status).toBe(402);
});

test('a stream that breaks off after a search is charged the search and an estimate of its tokens', async () => {
  upstream.script(name, searchStream(SEARCH_USAGE, { breaksOff: true }));
  const { person, id, text } = await send({ stream: true, tools: [TOOL] });
  expect(text).toContain('upstream_error');
  const receipt = await findUserReceipt(person.userId, id);
  expect(receipt).toMatchObject({ webSearches: 1, estimated: true, outcome: 'failed' });
  // The prompt twice, and the results.
  expect(receipt?.inputTokens).toBe(2 * 2_037 + 12_000);
});

test('a failed search costs nothing', async () => {
  upstream.script(name, searchMessage({ input: 100, output: 10, searches: 0 }));
  const { person, id } = await send({ tools: [TOOL] });
  const receipt = await findUserReceipt(person.userId, id);
  expect([receipt?.webSearches, receipt?.providerCost]).toEqual([null, 100n * 300n + 10n * 1_500n]);
});

test.each([
  ['a limit of 0', { ...TOOL, max_uses: 0 }, 'tools.0.max_uses'],
  ['a limit in words', { ...TOOL, max_uses: 'five' }, 'tools.0.max_uses'],
  [
    'results that code filters',
    { type: 'web_search_20260209', name: 'web_search', max_uses: 1 },
    'tools.0.allowed_callers',
  ],
  ['fetched pages', { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 1 }, 'tools.0.type'],
])('%s is refused before anything is sent, with the field and what is expected', async (_, tool, param) => {
  upstream.script(name, searchMessage());
  const { response, text } = await send({ tools: [tool] });
  expect([response.status, JSON.parse(text).error.type]).toEqual([400, 'invalid_request']);
  expect(JSON.parse(text).error.message).toMatch(new RegExp(`^${param}: must be|^${param}: tools of type`));
  expect(upstream.seen(name)).toEqual([]);
});

test('two search tools are refused', async () => {
  const { response, text } = await send({ tools: [TOOL, { ...TOOL, name: 'other' }] });
  expect([response.status, JSON.parse(text).error.message]).toEqual([
    400,
    'tools.1.type: only one tool can search the web',
  ]);
});

test('a later version that calls the tool directly is accepted', async () => {
  upstream.script(name, searchMessage());
  const tool = { type: 'web_search_20260209', name: 'web_search', max_uses: 1, allowed_callers: ['direct'] };
  const { response } = await send({ tools: [tool] });
  expect([response.status, upstream.lastBody(name).tools]).toEqual([200, [tool]]);
});

test('searches that run at once are charged once each, and the ledger agrees with every receipt', async () => {
  const person = await newPerson({ credits: 100_000, rateBp: RATE_BP });
  upstream.script(name, searchStream());
  const runs = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const response = await fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: SONNET,
          max_tokens: 1_000,
          messages: [USER],
          stream: true,
          tools: [{ ...TOOL, max_uses: 1 }],
        }),
      });
      await response.text();
      return response.status;
    }),
  );
  const served = runs.filter((status) => status === 200).length;
  expect(served).toBeGreaterThan(0);
  const { rows } = await pool().query<{ count: bigint; charge: bigint }>(
    'SELECT sum(web_searches)::bigint AS count, sum(charge)::bigint AS charge FROM usage WHERE user_id = $1',
    [person.userId],
  );
  expect(rows[0]).toEqual({ count: BigInt(served), charge: BigInt(served) * charged(COST) });
  expect((await checkLedger()).differences).toEqual([]);
});

describe('OpenAI searches for clients of the Responses API', () => {
  const GPT = 'openai/gpt-5-mini';
  const gpt = upstreamName(GPT);
  const annotations = [
    { type: 'url_citation', start_index: 0, end_index: 5, url: 'https://example.com/', title: 'Shops' },
  ];
  const items = [
    { type: 'web_search_call', action: { type: 'search', query: 'shops' } },
    { type: 'web_search_call', action: { type: 'open_page', url: 'https://example.com/' } },
    { type: 'web_search_call', action: { type: 'search', query: 'shops today' } },
    { type: 'web_search_call', status: 'failed', action: { type: 'search', query: 'x' } },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Open.', annotations }] },
  ];
  const usage = {
    input_tokens: 21_000,
    input_tokens_details: { cached_tokens: 1_000 },
    output_tokens: 400,
    output_tokens_details: { reasoning_tokens: 100 },
    total_tokens: 21_400,
  };
  /** 0.25 and 2 dollars per million tokens, 0.025 from the cache, and a cent for each of two searches. */
  const cost = 20_000n * 25n + 2_500n + 400n * 200n + 2n * 1_000_000n;
  const tools: OpenAI.Responses.Tool[] = [
    { type: 'web_search', search_context_size: 'low', filters: { allowed_domains: ['example.com'] } },
  ];

  async function connect(credits = 10_000) {
    const person = await newPerson({ credits, rateBp: RATE_BP });
    const client = new OpenAI({ apiKey: person.userKey, baseURL: `${url}/v1`, maxRetries: 0 });
    return { person, client };
  }

  test.each([true, false])('with their results and citations unchanged (stream: %s)', async (stream) => {
    const { person, client } = await connect();
    upstream.script(gpt, (stream ? responseStream : response)(items, { usage, max_tool_calls: 4 }));
    const request = { model: GPT, input: 'Shops?', tools, max_tool_calls: 4 };
    const received = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect(received.output).toMatchObject(items);
    expect(received).toMatchObject({ max_tool_calls: 4, output_text: 'Open.' });
    expect(upstream.lastBody(gpt)).toMatchObject({ tools, max_tool_calls: 4 });

    const { rows } = await pool().query(
      'SELECT web_searches, provider_cost, charge FROM usage WHERE user_id = $1',
      [person.userId],
    );
    expect(rows).toEqual([{ web_searches: 2, provider_cost: cost, charge: charged(cost) }]);

    upstream.script(gpt, response(items.slice(-1), { usage }));
    await client.responses.create({ model: GPT, input: 'And tomorrow?', previous_response_id: received.id });
    const { input } = upstream.lastBody(gpt);
    expect(input).toMatchObject([{ content: 'Shops?' }, { type: 'message' }, { content: 'And tomorrow?' }]);
  });

  test('with a limit, which the credits lower', async () => {
    const { client } = await connect();
    upstream.script(gpt, response(items, { usage }));
    await client.responses.create({ model: GPT, input: 'Shops?', tools });
    expect(upstream.lastBody(gpt).max_tool_calls).toBe(5);

    const poor = await connect(20);
    upstream.script(gpt, response(items.slice(0, 1), { usage }));
    const request = { model: GPT, input: 'Shops?', tools, max_tool_calls: 8, max_output_tokens: 2_000 };
    const { response: http } = await poor.client.responses.create(request).withResponse();
    const limit = Number(upstream.lastBody(gpt).max_tool_calls);
    expect(limit).toBeLessThan(8);
    expect(http.headers.get('x-svc-warnings')).toContain(`web search was limited to ${limit} use`);
  });

  test.each([
    [GPT, { tools, max_tool_calls: 0 }, 'max_tool_calls'],
    [GPT, { tools: [{ type: 'web_search_preview' }] }, 'tools.0.type'],
    [GPT, { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'tools.0.type'],
    // Its results have a fixed number of tokens that the usage does not contain.
    ['openai/gpt-4.1-mini', { tools }, 'tools.0.type'],
  ])('and not where they cannot be bounded: %s, %o', async (model, fields, param) => {
    const { client } = await connect();
    upstream.script(upstreamName(model), response(items, { usage }));
    const request = { model, input: 'hi', ...fields } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
    await expect(client.responses.create(request)).rejects.toMatchObject({ status: 400, param });
    expect(upstream.seen(upstreamName(model))).toEqual([]);
  });

  test('those that a stream has shown are charged, although its end does not repeat them', async () => {
    const { person, client } = await connect();
    const { events = [] } = responseStream(items, { usage });
    const { response: whole } = events.pop() as { response: object };
    upstream.script(gpt, {
      events: [...events, { type: 'response.completed', response: { ...whole, output: [] } }],
    });
    const request = { model: GPT, input: 'Shops?', tools, stream: true } as const;
    await client.responses
      .create(request)
      .asResponse()
      .then((response) => response.text());
    const { rows } = await pool().query('SELECT web_searches, provider_cost FROM usage WHERE user_id = $1', [
      person.userId,
    ]);
    expect(rows).toEqual([{ web_searches: 2, provider_cost: cost }]);
  });

  test('any number of them without a usage is charged, at most the hold', async () => {
    const { person, client } = await connect();
    const [search = {}, message = {}] = [items.at(0), items.at(-1)];
    const many = Array.from({ length: 700 }, () => search);
    upstream.script(gpt, responseStream([...many, message], { usage: null }));
    const request = { model: GPT, input: 'Shops?', tools, stream: true } as const;
    await client.responses
      .create(request)
      .asResponse()
      .then((response) => response.text());
    const { rows } = await pool().query(
      'SELECT web_searches, estimated, charge <= held AS covered FROM usage WHERE user_id = $1',
      [person.userId],
    );
    expect(rows).toEqual([{ web_searches: 700, estimated: true, covered: true }]);
  });

  test('a stream that breaks off is charged the searches that it has shown', async () => {
    const { person, client } = await connect();
    const { events = [] } = responseStream(items, { usage });
    upstream.script(gpt, { events: events.slice(0, 5), breaksOff: true });
    const stream = client.responses.create({ model: GPT, input: 'Shops?', tools, stream: true }).asResponse();
    expect(await (await stream).text()).toContain('response.failed');
    const { rows } = await pool().query(
      'SELECT web_searches, estimated, outcome FROM usage WHERE user_id = $1',
      [person.userId],
    );
    expect(rows).toEqual([{ web_searches: 1, estimated: true, outcome: 'failed' }]);
  });
});

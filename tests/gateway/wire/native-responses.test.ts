import { expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { eventsOf, exchange, refusalOf, relay, sent } from './exchange-harness';

/** The responses format, passed through to OpenAI. */

const REQUEST: Json = { model: 'some/model', input: 'Hi' };
const OPENAI = { provider: 'openai', upstreamModel: 'gpt-4.1' };
const REASONING = { provider: 'openai', upstreamModel: 'gpt-5' };

const RESPONSE = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4.1', error: null };
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 15 },
  total_tokens: 140,
};
const DELTA =
  '{"type":"response.output_text.delta",  "delta" : "Gr\\u00fc\\u00dfe","item_id":"msg_1","output_index":0,"content_index":0,"sequence_number":3,"obfuscation":"xYz"}';

const bytesOf = (...data: (string | Json)[]): Uint8Array =>
  new TextEncoder().encode(
    data.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
  );

test('drops unknown fields at every level, with a warning, and passes the others on', () => {
  const prepared = exchange(
    'responses',
    {
      ...REQUEST,
      input: [{ role: 'user', secret: 1, content: [{ type: 'input_text', text: 'Hi', price: 2 }] }],
      tools: [{ type: 'function', name: 'f', parameters: { any: { thing: 1 } }, cost: 3 }],
      text: { verbosity: 'low', format: { type: 'text' } },
      prompt_cache_key: 'k',
      speed: 'fast',
      max_tool_calls: 5,
      user: 'someone@example.com',
      metadata: { of: 'client' },
    },
    { ...OPENAI, userHash: 'hash' },
  );
  expect(prepared.path).toBe('/responses');
  expect(sent(prepared)).toEqual({
    model: 'gpt-4.1',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    tools: [{ type: 'function', name: 'f', parameters: { any: { thing: 1 } } }],
    text: { verbosity: 'low', format: { type: 'text' } },
    prompt_cache_key: 'k',
    max_output_tokens: 1_000,
    store: false,
    include: [],
    service_tier: 'default',
    safety_identifier: 'hash',
  });
  expect(prepared.warnings.sort()).toEqual(
    ['input.content.price', 'input.secret', 'max_tool_calls', 'speed', 'tools.cost'].map(
      (field) => `${field} was dropped`,
    ),
  );
});

test('asks for encrypted reasoning only where the model reasons', () => {
  const include = ['reasoning.encrypted_content', 'message.output_text.logprobs', 'web_search_call.results'];
  const request = { ...REQUEST, include, reasoning: { effort: 'low' }, temperature: 0.1 };
  const plain = exchange('responses', request, OPENAI);
  expect(sent(plain)).toMatchObject({ include: ['message.output_text.logprobs'], temperature: 0.1 });
  expect(sent(plain).reasoning).toBeUndefined();
  expect(plain.warnings).toContain('reasoning.effort was dropped');
  const reasoning = sent(exchange('responses', request, REASONING));
  expect(reasoning).toMatchObject({ include: include.slice(0, 2), reasoning: { effort: 'low' } });
  expect(reasoning.temperature).toBeUndefined();
});

test('a file by URL must be public, and cannot hide an inline one', () => {
  const file = (part: Json) => () =>
    exchange(
      'responses',
      {
        ...REQUEST,
        input: [{ role: 'user', content: [{ type: 'input_file', ...part }] }],
      },
      OPENAI,
    );
  expect(refusalOf(file({ file_url: 'https://10.0.0.1/a.pdf' })).param).toBe('input.0.content.0.file_url');
  expect(refusalOf(file({ file_url: 'https://example.com/a.pdf', file_data: 'x' })).param).toBe(
    'input.0.content.0.file_data',
  );
  expect(refusalOf(file({ file_data: 'AAAA' })).param).toBe('input.0.content.0.file_data');
  expect(sent(file({ file_url: 'https://example.com/a.pdf' })()).input).toEqual([
    { role: 'user', content: [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }] },
  ]);
});

test('events pass byte for byte, except for the response, whose usage is read', () => {
  const { text, closing, facts } = relay(
    exchange('responses', { ...REQUEST, stream: true, metadata: { of: 'client' } }, OPENAI),
    bytesOf(
      { type: 'response.created', sequence_number: 0, response: { ...RESPONSE, status: 'in_progress' } },
      {
        type: 'response.output_item.added',
        sequence_number: 1,
        output_index: 0,
        item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
      },
      {
        type: 'response.content_part.added',
        sequence_number: 2,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      },
      DELTA,
      { type: 'response.completed', sequence_number: 4, response: { ...RESPONSE, usage: USAGE } },
    ),
  );
  expect(text).toContain(`event: response.output_text.delta\ndata: ${DELTA}\n\n`);
  const events = eventsOf(text);
  const [created, completed] = [events[0], events.at(-1)];
  for (const event of [created, completed])
    expect(event).toMatchObject({
      response: { model: 'some/model', metadata: { of: 'client' }, store: true },
    });
  expect(closing).toContain('response.completed');
  expect(facts).toMatchObject({
    usage: { input: 50, cacheRead: 30, cacheWrite5m: 20, output: 40, reasoning: 15 },
    outputBytes: Buffer.byteLength('Grüße'),
    finished: true,
  });
});

test('a stream without its last event has failed', () => {
  const { facts, text } = relay(exchange('responses', { ...REQUEST, stream: true }, OPENAI), bytesOf(DELTA));
  expect(facts.failure?.error.code).toBe('upstream_error');
  expect(text).not.toContain('response.completed');
});

test('a response without usage reports the estimate that is charged', () => {
  const item = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hello there' }],
  };
  const { body, usage } = exchange('responses', REQUEST, OPENAI).readWhole(
    JSON.stringify({ ...RESPONSE, output: [item] }),
  );
  expect(usage).toBeNull();
  expect(JSON.parse(body).usage.output_tokens).toBeGreaterThan(0);
});

const CITATION = {
  type: 'url_citation',
  url: 'https://example.com/',
  title: 'x',
  start_index: 0,
  end_index: 1,
};
const TEXT = { type: 'output_text', text: 'x', annotations: [CITATION], logprobs: [] };
const SEARCH = { id: 'ws_1', type: 'web_search_call', status: 'completed' };
const ITEM = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [TEXT] };

test.each<[string, Json, Json | null]>([
  [
    'a citation without a title',
    { ...ITEM, content: [{ ...TEXT, annotations: [CITATION, { ...CITATION, title: 1 }] }] },
    ITEM,
  ],
  [
    'an annotation of another type',
    { ...ITEM, content: [{ ...TEXT, annotations: [CITATION, { type: 'x' }] }] },
    ITEM,
  ],
  ['a probability without a number', { ...ITEM, content: [{ ...TEXT, logprobs: [{ token: 'x' }] }] }, ITEM],
  ['a part with the name of a property', { ...ITEM, content: [TEXT, { type: 'constructor' }] }, ITEM],
  ['an unknown action of a search', { ...SEARCH, action: { type: 'x' } }, SEARCH],
  [
    'a query that is a number',
    { ...SEARCH, action: { type: 'search', query: 1 } },
    { ...SEARCH, action: { type: 'search' } },
  ],
  ['a tool that is not offered', { id: 'x_1', type: 'mcp_call', status: 'completed' }, null],
])('%s does not reach the client, in a response or a stream', (_, given, fitting) => {
  const whole = { ...RESPONSE, output: [given], usage: USAGE };
  const prepared = exchange('responses', REQUEST, OPENAI);
  expect(JSON.parse(prepared.readWhole(JSON.stringify(whole)).body).output).toEqual(fitting ? [fitting] : []);
  const done = { type: 'response.output_item.done', output_index: 0, item: given };
  const { text } = relay(prepared, bytesOf(done, { type: 'response.completed', response: whole }));
  const items = eventsOf(text).flatMap(({ item }) => item ?? []);
  expect(items).toEqual(fitting ? [fitting, fitting] : []);
});

import type { ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { pool } from '@/server/base/db';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import { planLines } from '@/server/gateway/run/batches/plan-lines';
import { answer, send } from '../videos/video-world';
import { bookedOf, lookNow, startBatchWorld, toLines } from './batch-world';

/** What a stranger or a provider writes in a batch is scanned before it is parsed, line by line. */

const { url, provider, upload, post, read, start, newBuyer } = await startBatchWorld();

const body = (model: string, more: object = {}) => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});
const chat = (more: object = {}) => ({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: body('openai/gpt-4.1-mini', more),
});
const message = (custom_id: string) => ({ custom_id, params: body('anthropic/claude-sonnet-4-5') });

const MEGABYTE = 1024 * 1024;
const fill = (unit: string, megabytes: number): string =>
  Array.from({ length: Math.floor((megabytes * MEGABYTE) / (unit.length + 1)) }, () => unit).join();
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const names = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"n${n}":1`).join()}}`;
const [whole] = [JSON.stringify(message('a'))];
/** A request with one more field. */
const withField = (json: string): string => whole.replace('"max_tokens"', `"x":${json},"max_tokens"`);

describe('a list of requests', () => {
  test.each<[string, string, string]>([
    ['of eleven million objects', `{"requests":[${fill('{}', 31)}]}`, 'more than 2000000 values'],
    ['of fifteen million numbers', `{"requests":[${fill('1', 31)}]}`, 'more than 2000000 values'],
    [
      'of a million objects that are no requests',
      `{"requests":[${fill('{}', 2)}]}`,
      'requests.0: custom_id: ',
    ],
    ['next to a list of objects', `{"x":[${fill('{}', 2)}],"requests":[${whole}]}`, 'bytes besides it'],
    ['that is nested', `{"requests":[${withField(nested(2_000))}]}`, 'nested deeper than 1024 levels'],
    [
      'with many values in one request',
      `{"requests":[${whole},${withField(`[${fill('1', 1)}]`)}]}`,
      'requests.1: The request body contains more than 100000 values',
    ],
    [
      'with many names in one request',
      `{"requests":[${withField(names(6_000))}]}`,
      'an object of more than 5000 fields',
    ],
    ['that comes twice', `{"requests":[${whole}],"requests":[]}`, 'requests: '],
    ['that is an object', `{"requests":{"0":${whole}}}`, 'requests: must be an array of requests'],
    ['that ends too early', `{"requests":[${whole}`, 'JSON'],
    ['with a request that ends too late', `{"requests":[${whole}}]}`, 'JSON'],
    ['with nothing between two commas', `{"requests":[${whole},,${whole}]}`, 'requests.1: '],
    ['with a comma too many', `{"requests":[${whole},]}`, 'requests.1: '],
    ['with bytes after it', `{"requests":[${whole}]}{}`, 'JSON'],
    ['that is empty', '{"requests":[ ]}', 'requests: '],
  ])('%s is refused with its reason, and nothing is held @attack', async (_, text, reason) => {
    const buyer = await newBuyer();
    const before = provider.calls.length;
    const response = await fetch(`${url}/v1/messages/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${buyer.userKey}`, 'content-type': 'application/json' },
      body: text,
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(reason)]);
    expect(provider.calls.length).toBe(before);
    expect((await bookedOf(buyer)).holds).toBe(0);
  });
});

describe('lines of a file', () => {
  const text = JSON.stringify(chat());
  const withMore = (json: string): string => text.replace('"max_tokens"', `"x":${json},"max_tokens"`);

  test.each<[string, string, string]>([
    ['with many values', withMore(`[${fill('{}', 2)}]`), 'more than 100000 values'],
    ['with many names', withMore(names(6_000)), 'an object of more than 5000 fields'],
    ['that is nested', withMore(nested(2_000)), 'nested deeper than 1024 levels'],
    ['that is long', `"${'x'.repeat(5 * MEGABYTE)}"`, 'line 2'],
    ['of two values', `${text}${text}`, 'line 2: must be a JSON object'],
    ['of a zero byte', '\u0000"', 'line 2: must be a JSON object'],
    ['of a million spaces', ' '.repeat(MEGABYTE), 'line 2: must be a JSON object'],
  ])('%s are refused with their place, and nothing is held @attack', async (_, bad, reason) => {
    const buyer = await newBuyer();
    const response = await post(buyer, '/batches', {
      input_file_id: await upload(buyer, `${text.replace('"a"', '"b"')}\n${bad}\n`),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(reason)]);
    expect((await bookedOf(buyer)).holds).toBe(0);
  });

  test('of bytes that are no UTF-8 are refused with their place', async () => {
    const buyer = await newBuyer();
    const content = Buffer.concat([
      Buffer.from(`${text}\n`),
      Buffer.from(text.replace('Hello', 'é'), 'latin1'),
    ]);
    const response = await post(buyer, '/batches', {
      input_file_id: await upload(buyer, content),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('line 2: must be UTF-8'),
    ]);
  });

  test('keep the digits of their numbers', async () => {
    const buyer = await newBuyer();
    const call = {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const parameters = { type: 'object', properties: { a: { type: 'integer', maximum: 'LONG' } } };
    const tools = [{ type: 'function', function: { name: 'f', parameters } }];
    const messages = [
      { role: 'user', content: 'Hello' },
      call,
      { role: 'tool', tool_call_id: 'c', content: '1' },
    ];
    const written = JSON.stringify(chat({ tools, messages })).replace('"LONG"', '12345678901234567890');
    let uploaded = '';
    provider.onUpload = (response, _request, received) => {
      uploaded = received;
      send(response, { id: 'file-1' });
    };
    const input_file_id = await upload(buyer, written);
    const created = await post(buyer, '/batches', {
      input_file_id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect([created.status, uploaded]).toEqual([
      200,
      expect.stringContaining('"maximum":12345678901234567890}'),
    ]);
  });
});

test('the lines of batches are not read to list them', async () => {
  const buyer = await newBuyer();
  expect((await start(buyer, [chat()])).status).toBe(200);
  await pool().query("UPDATE batch_job SET lines = 'unreadable' WHERE user_id = $1", [buyer.userId]);
  const list = await (await read(buyer, '/batches')).json();
  expect(list.data).toMatchObject([{ request_counts: { total: 1 } }]);
});

const result = (index: number) => ({
  custom_id: String(index),
  response: {
    status_code: 200,
    body: {
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
    },
  },
  error: null,
});

test('a batch is not made of a file whose id nobody can look up @attack', async () => {
  const buyer = await newBuyer();
  for (const input_file_id of ['file_\u0000', '\ud800', 'file_../x']) {
    const asked = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    expect((await post(buyer, '/batches', asked)).status).toBe(400);
  }
});

/** Of a kilobyte, which takes tens of milliseconds to measure. */
function writePdf(): string {
  const content = deflateSync(`BT ${'(abcdefghij) Tj '.repeat(60_000)}ET`);
  const head = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj
4 0 obj<</Filter/FlateDecode/Length ${content.length}>>stream\n`;
  const tail = '\nendstream endobj trailer<</Root 1 0 R>>';
  return Buffer.concat([Buffer.from(head), content, Buffer.from(tail)]).toString('base64');
}

test('the documents of a batch share the work of measuring them, and others are held for in full @attack', async () => {
  const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${writePdf()}` };
  const messages = [{ role: 'user', content: [{ type: 'file', file }] }];
  const given = Array.from({ length: 200 }, (_, n) => ({
    place: `line ${n + 1}`,
    bodyName: 'body',
    customId: String(n),
    body: body('openai/gpt-4.1-mini', { messages }),
  }));
  const planned = await planLines(given, {
    format: 'openai',
    endpoint: '/v1/chat/completions',
    userHash: 'u',
    clientHeaders: {},
  });
  const most = findCatalogModel('openai/gpt-4.1-mini')?.contextWindow;
  expect(planned.lines[0]?.inputTokens).toBeLessThan(most ?? 0);
  expect(planned.lines.at(-1)?.inputTokens).toBe(most);
});

test.each<[string, number[], string]>([
  ['a line', [101], 'line 1: body.input: in a batch, must have at most 100 texts'],
  [
    'a batch',
    Array.from({ length: 501 }, () => 100),
    'line 501: body.input: a batch has at most 50000 texts',
  ],
])('%s of more vectors than can be read is refused @attack', async (_, inputs, reason) => {
  const buyer = await newBuyer();
  const lines = inputs.map((count, n) => ({
    custom_id: String(n),
    method: 'POST',
    url: '/v1/embeddings',
    body: { model: 'openai/text-embedding-3-small', input: Array.from({ length: count }, () => 'a') },
  }));
  const input_file_id = await upload(buyer, toLines(lines));
  const asked = { input_file_id, endpoint: '/v1/embeddings', completion_window: '24h' };
  const response = await post(buyer, '/batches', asked);
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(reason)]);
});

test('downloads of results are few, and end with their client @attack', async () => {
  const buyer = await newBuyer();
  const { id } = await (await start(buyer, [chat(), { ...chat(), custom_id: 'b' }])).json();
  provider.onRead = answer({ id: 'batch-1', status: 'completed', output_file_id: 'out' });
  provider.onResults = (response) => send(response, toLines([result(0), result(1)]));
  while ((await (await read(buyer, `/batches/${id}`)).json()).status !== 'completed') await lookNow();
  const { output_file_id: file } = await (await read(buyer, `/batches/${id}`)).json();
  const open = new Set<ServerResponse>();
  // The first line, and then nothing.
  provider.onResults = (response) => {
    open.add(response);
    response.on('close', () => open.delete(response)).writeHead(200);
    response.write(toLines([result(0)]));
  };
  const path = `/files/${file}/content`;
  for (let round = 0; round < 2; round++) {
    expect((await read(buyer, path, 'HEAD')).status).toBe(200);
    await vi.waitFor(() => expect(open.size).toBe(0));
    const started = await Promise.all(Array.from({ length: 6 }, () => read(buyer, path)));
    expect(started.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429]);
    await Promise.all(started.map((response) => response.body?.cancel()));
    await vi.waitFor(() => expect(open.size).toBe(0));
  }
});

test.each<[string, () => string]>([
  [
    'of millions of objects',
    () => `{"custom_id":"0","response":{"status_code":200,"body":{"x":[${fill('{}', 15)}]}}}`,
  ],
  ['of more than 64 MB', () => JSON.stringify({ ...result(0), x: 'x'.repeat(64 * MEGABYTE) })],
])('a result %s is a loss, and the others are charged @attack', async (_, write) => {
  const buyer = await newBuyer();
  const { id } = await (await start(buyer, [chat(), { ...chat(), custom_id: 'b' }])).json();
  provider.onRead = (response) =>
    send(response, {
      id: 'batch-1',
      status: 'completed',
      output_file_id: 'out',
      request_counts: { completed: 2 },
    });
  provider.onResults = (response) => send(response, `${write()}\n${toLines([result(1)])}`);
  await lookNow();
  expect(await (await read(buyer, `/batches/${id}`)).json()).toMatchObject({
    status: 'completed',
    request_counts: { completed: 1 },
  });
  const { receipts, losses, holds } = await bookedOf(buyer);
  expect([receipts.length, losses.length, holds]).toEqual([1, 1, 0]);
});

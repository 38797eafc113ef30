import { describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { send } from '../videos/video-world';
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
    ['with bytes that are no UTF-8', '\u0000"', 'line 2: must be a JSON object'],
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

test('a result of millions of objects is a loss, and the others are charged @attack', async () => {
  const buyer = await newBuyer();
  const { id } = await (await start(buyer, [chat(), { ...chat(), custom_id: 'b' }])).json();
  provider.onRead = (response) =>
    send(response, {
      id: 'batch-1',
      status: 'completed',
      output_file_id: 'out',
      request_counts: { completed: 2 },
    });
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
  const result = {
    custom_id: '1',
    response: { status_code: 200, body: { choices, usage } },
    error: null,
  };
  provider.onResults = (response) =>
    send(
      response,
      `{"custom_id":"0","response":{"status_code":200,"body":{"x":[${fill('{}', 15)}]}}}\n${toLines([result])}`,
    );
  await lookNow();
  expect(await (await read(buyer, `/batches/${id}`)).json()).toMatchObject({
    status: 'completed',
    request_counts: { completed: 1 },
  });
  const { receipts, losses, holds } = await bookedOf(buyer);
  expect([receipts.length, losses.length, holds]).toEqual([1, 1, 0]);
});

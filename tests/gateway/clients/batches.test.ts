import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { expect, test } from 'vitest';
import { settings } from '@/server/base/env';
import { checkLedger } from '@/server/ledger';
import type { Person } from '../../harness/people';
import { bookedOf, lookNow, startBatchWorld, toLines } from '../batches/batch-world';

const { url, newBuyer } = await startBatchWorld();

const openai = ({ userKey }: Person) => new OpenAI({ apiKey: userKey, baseURL: `${url}/v1`, maxRetries: 0 });
/** It reads results at the address of the service that the batch names. */
const anthropic = ({ userKey }: Person) =>
  new Anthropic({
    apiKey: userKey,
    baseURL: url,
    maxRetries: 0,
    fetch: (input, init) => fetch(String(input).replace(settings().BASE_URL, url), init),
  });

const ask = (custom_id: string, content: string) => ({
  custom_id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'sandbox/echo', max_tokens: 50, messages: [{ role: 'user', content }] },
});

test('the OpenAI SDK uploads lines, makes a batch of them, and reads its results', async () => {
  const buyer = await newBuyer();
  const client = openai(buyer);
  const jsonl = toLines([ask('a', 'Hello'), ask('b', 'error 500'), ask('c', 'World')]);
  const file = await client.files.create({
    purpose: 'batch',
    file: await toFile(Buffer.from(jsonl), 'in.jsonl'),
  });
  expect(file).toMatchObject({ object: 'file', purpose: 'batch', filename: 'in.jsonl', bytes: jsonl.length });
  expect(await client.files.retrieve(file.id)).toEqual(file);
  expect(await (await client.files.content(file.id)).text()).toBe(jsonl);

  const given = {
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { run: 'first' },
  } as const;
  const { data: started } = await client.batches.create(given).withResponse();
  expect(started).toMatchObject({ object: 'batch', status: 'validating', metadata: { run: 'first' } });
  expect(await client.batches.retrieve(started.id)).toMatchObject({ status: 'in_progress' });
  for (let look = 0; look < 3; look++) await lookNow();
  const batch = await client.batches.retrieve(started.id);
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: 3, completed: 2, failed: 1 },
    model: 'sandbox/echo:batch',
  });
  const results = await readLines(client, batch.output_file_id);
  expect(results.map(({ custom_id }) => custom_id)).toEqual(['a', 'c']);
  expect(results[0].response.body).toMatchObject({ object: 'chat.completion', model: 'sandbox/echo' });
  expect(results[1].response.body.choices[0].message.content).toContain('World');
  const [failed] = await readLines(client, batch.error_file_id);
  expect(failed).toMatchObject({ custom_id: 'b', response: { body: { error: { type: 'upstream_error' } } } });
  expect(await client.files.retrieve(batch.output_file_id ?? '')).toMatchObject({ purpose: 'batch_output' });

  const { receipts, losses, holds } = await bookedOf(buyer);
  expect([losses, holds]).toEqual([[], 0]);
  expect(receipts).toMatchObject([{ model: 'sandbox/echo:batch', outcome: 'completed' }]);
  const usages = results.map(({ response }) => response.body.usage);
  const sum = (name: string) => usages.reduce((total: number, usage) => total + usage[name], 0);
  // $0.15 and $0.60 per million tokens, halved, in microcredits, with a commission of 25%.
  const cost = sum('prompt_tokens') * 7.5 + sum('completion_tokens') * 30;
  expect(Number(receipts[0]?.charge)).toBe(Math.ceil(cost * 1.25));
  expect((batch.usage as unknown as { cost: number }).cost).toBeCloseTo(Number(receipts[0]?.charge) / 1e8, 9);

  const listed = [];
  for await (const one of client.batches.list({ limit: 1 })) listed.push(one.id);
  expect(listed).toEqual([batch.id]);
  const files = [];
  for await (const one of client.files.list()) files.push(one.id);
  expect(files).toEqual([file.id]);
  expect(await client.files.delete(file.id)).toMatchObject({ deleted: true });
  await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
  expect((await checkLedger()).differences).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: lines of either endpoint
async function readLines(client: OpenAI, id: string | null | undefined): Promise<any[]> {
  const text = await (await client.files.content(id ?? '')).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the Anthropic SDK makes a batch of messages, and reads its results', async () => {
  const buyer = await newBuyer();
  const client = anthropic(buyer);
  const requests = ['Hello', 'error 500', 'World'].map((content, n) => ({
    custom_id: `line-${n}`,
    params: {
      model: 'sandbox-anthropic/echo',
      max_tokens: 50,
      messages: [{ role: 'user' as const, content }],
    },
  }));
  const started = await client.messages.batches.create({ requests });
  expect(started).toMatchObject({ type: 'message_batch', processing_status: 'in_progress' });
  for (let look = 0; look < 3; look++) await lookNow();
  const batch = await client.messages.batches.retrieve(started.id);
  expect(batch).toMatchObject({
    processing_status: 'ended',
    request_counts: { processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 },
  });
  const results = [];
  for await (const result of await client.messages.batches.results(started.id)) results.push(result);
  expect(results).toMatchObject([
    { custom_id: 'line-0', result: { type: 'succeeded', message: { model: 'sandbox-anthropic/echo' } } },
    { custom_id: 'line-1', result: { type: 'errored' } },
    { custom_id: 'line-2', result: { type: 'succeeded' } },
  ]);
  expect((await bookedOf(buyer)).receipts).toMatchObject([{ model: 'sandbox-anthropic/echo:batch' }]);
  const listed = [];
  for await (const one of client.messages.batches.list({ limit: 1 })) listed.push(one.id);
  expect(listed).toEqual([started.id]);
  expect(await client.messages.batches.delete(started.id)).toMatchObject({ type: 'message_batch_deleted' });
  await expect(client.messages.batches.retrieve(started.id)).rejects.toMatchObject({ status: 404 });
});

test('a cancelled batch is charged for the lines that were answered', async () => {
  const buyer = await newBuyer();
  const client = openai(buyer);
  const jsonl = toLines([ask('a', 'Hello')]);
  const file = await client.files.create({
    purpose: 'batch',
    file: await toFile(Buffer.from(jsonl), 'in.jsonl'),
  });
  const { id } = await client.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  await lookNow();
  await lookNow();
  expect(await client.batches.cancel(id)).toMatchObject({ status: 'cancelling' });
  await lookNow();
  expect(await client.batches.retrieve(id)).toMatchObject({ request_counts: { completed: 1 } });
  expect((await bookedOf(buyer)).receipts).toHaveLength(1);
});

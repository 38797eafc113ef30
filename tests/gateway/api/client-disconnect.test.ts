import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { prisma } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { until } from '../../harness/until';

/**
 * After a client disconnect the user pays for what was produced: no less and no more.
 * `background-reads.test.ts` has the requests that are read to the end.
 */

await newDatabase();
let continueResponse = () => {};
let wasCancelled: Promise<boolean> = Promise.resolve(false);

const USAGE = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
let onRequest = () => {};
/** Replaces the scripted response below. */
let respond: ((response: ServerResponse) => void) | null = null;

/**
 * Streams a word, waits for `continueResponse`, and streams the rest with usage. A response that is
 * not streamed waits too.
 */
const upstream = await listenOnLoopback(async (request, response) => {
  const received = JSON.parse(await readBody(request)) as { stream?: boolean };
  const continued = new Promise<void>((resolve) => {
    continueResponse = resolve;
  });
  wasCancelled = new Promise((resolve) => response.once('close', () => resolve(!response.writableFinished)));
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', ...more })}\n\n`;
  const choice = (delta: object, finish: string | null) => [{ index: 0, delta, finish_reason: finish }];
  if (respond !== null) return void respond(response);
  onRequest();
  if (received.stream !== true) {
    await Promise.race([continued, wasCancelled]);
    const message = { role: 'assistant', content: 'Once upon a time' };
    const body = { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ choices: choice({ role: 'assistant', content: 'Once' }, null) }));
  await Promise.race([continued, wasCancelled]);
  response.end(
    chunk({ choices: choice({ content: ' upon a time' }, 'stop') }) +
      chunk({ choices: [], usage: USAGE }) +
      'data: [DONE]\n\n',
  );
});
for (const provider of ['TOGETHER', 'OPENAI']) {
  process.env[`${provider}_API_KEY`] = 'key-of-the-test';
  process.env[`${provider}_BASE_URL`] = upstream.url;
}
const api = await startApi();

/** Disconnects after the first word, and returns once the server has noticed. */
async function disconnectAfterFirstWord(person: Person, model: string): Promise<void> {
  const controller = new AbortController();
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'A tale' }] }),
    signal: controller.signal,
  });
  await response.body?.getReader().read();
  controller.abort();
  // The server reads the next connection after the end of this one.
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
}

/** Disconnects while the provider prepares a response, streamed or not. */
async function disconnectBeforeResponse(person: Person, model: string, stream: boolean): Promise<void> {
  const controller = new AbortController();
  const reached = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const response = fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'x'.repeat(4_000) }] }),
    signal: controller.signal,
  });
  await reached;
  controller.abort();
  await response.catch(() => {});
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
}

const settled = ({ userId }: Person) =>
  until(
    () => readReceipts(userId),
    (receipts) => receipts.length > 0,
  ).then(([receipt]) => receipt);

test('a provider that keeps billing after a cancel is read to the end, and its usage is charged', async () => {
  const person = await newPerson({ credits: 10 });
  await disconnectAfterFirstWord(person, 'together/Qwen/Qwen2.5-7B-Instruct-Turbo');
  continueResponse();

  expect(await settled(person)).toMatchObject({
    inputTokens: 1_000,
    outputTokens: 500,
    estimated: false,
    outcome: 'aborted',
  });
  expect(await wasCancelled).toBe(false);
  expect(await prisma().hold.count()).toBe(0);
});

test('a provider whose bill a cancel ends is cancelled immediately, and an estimate of the received output is charged', async () => {
  const person = await newPerson({ credits: 10 });
  await disconnectAfterFirstWord(person, 'openai/gpt-4.1-mini');

  expect(await wasCancelled).toBe(true);
  const usage = await settled(person);
  expect(usage).toMatchObject({ outputTokens: 1, estimated: true, outcome: 'aborted' });
  expect(await prisma().hold.count()).toBe(0);
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

test('a disconnect before the first byte charges the prompt, which the provider has read', async () => {
  const person = await newPerson({ credits: 10 });
  respond = () => onRequest();
  await disconnectBeforeResponse(person, 'openai/gpt-4.1-mini', true);
  respond = null;

  expect(await wasCancelled).toBe(true);
  const usage = await settled(person);
  expect(usage).toMatchObject({ outputTokens: 0, estimated: true, outcome: 'aborted' });
  expect(usage?.inputTokens).toBeGreaterThanOrEqual(1_000);
  expect(await prisma().hold.count()).toBe(0);
});

test('a non-streaming response that is billed anyway is read to the end and charged in full', async () => {
  const person = await newPerson({ credits: 10 });
  await disconnectBeforeResponse(person, 'together/Qwen/Qwen2.5-7B-Instruct-Turbo', false);
  continueResponse();

  expect(await settled(person)).toMatchObject({ inputTokens: 1_000, outputTokens: 500, estimated: false });
  expect(await wasCancelled).toBe(false);
  expect(await prisma().hold.count()).toBe(0);
});

test('a disconnect between attempts charges nothing', async () => {
  const person = await newPerson({ credits: 10 });
  const controller = new AbortController();
  const failed = new Promise<void>((resolve) => {
    respond = (response) => response.writeHead(500).end(resolve as () => void);
  });
  const response = fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hi' }] }),
    signal: controller.signal,
  });
  await failed;
  controller.abort();
  await response.catch(() => {});
  respond = null;

  await until(
    () => prisma().hold.count(),
    (count) => count === 0,
  );
  expect(await readReceipts(person.userId)).toEqual([]);
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { prisma } from '@/server/db';
import { checkLedger } from '@/server/ledger';
import { listenOnLoopback, readBody } from '@/server/sandbox/loopback-server';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { newPerson, type Person } from '../harness/people';
import { until } from '../harness/until';

/** A client that leaves pays for what was produced: no less, and nothing that was not. */

await newDatabase();
let goOn = () => {};
let wasCutOff: Promise<boolean> = Promise.resolve(false);

const USAGE = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
let wasAsked = () => {};
/** Takes the place of what follows. */
let answer: ((response: ServerResponse) => void) | null = null;

/** Streams a word, waits to be told, streams the rest and its usage; a whole answer waits to be told. */
const upstream = await listenOnLoopback(async (request, response) => {
  const asked = JSON.parse(await readBody(request)) as { stream?: boolean };
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  wasCutOff = new Promise((resolve) => response.once('close', () => resolve(!response.writableFinished)));
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', ...more })}\n\n`;
  const choice = (delta: object, finish: string | null) => [{ index: 0, delta, finish_reason: finish }];
  if (answer !== null) return void answer(response);
  wasAsked();
  if (asked.stream !== true) {
    await Promise.race([told, wasCutOff]);
    const message = { role: 'assistant', content: 'Once upon a time' };
    const body = { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ choices: choice({ role: 'assistant', content: 'Once' }, null) }));
  await Promise.race([told, wasCutOff]);
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

/** Leaves after the first word, once the server has noticed. */
async function leaveAfterFirstWord(person: Person, model: string): Promise<void> {
  const leave = new AbortController();
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'A tale' }] }),
    signal: leave.signal,
  });
  await response.body?.getReader().read();
  leave.abort();
  // What comes on another connection is read after the end of this one.
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
}

/** Leaves a whole answer while the provider works on it. */
async function leaveBeforeAnswer(person: Person, model: string): Promise<void> {
  const leave = new AbortController();
  const reached = new Promise<void>((resolve) => {
    wasAsked = resolve;
  });
  const response = fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'x'.repeat(4_000) }] }),
    signal: leave.signal,
  });
  await reached;
  leave.abort();
  await response.catch(() => {});
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
}

const settled = ({ userId }: Person) =>
  until(
    () => prisma().usage.findFirst({ where: { userId } }),
    (usage) => usage !== null,
  );

test('a provider that bills on after a cancel is heard to the end: its usage is what is charged', async () => {
  const person = await newPerson({ credits: 10 });
  await leaveAfterFirstWord(person, 'together/LiquidAI/LFM2-24B-A2B');
  goOn();

  expect(await settled(person)).toMatchObject({
    inputTokens: 1_000,
    outputTokens: 500,
    estimated: false,
    outcome: 'aborted',
  });
  expect(await wasCutOff).toBe(false);
  expect(await prisma().hold.count()).toBe(0);
});

test('any other provider is cut off at once, and what was seen is charged as an estimate', async () => {
  const person = await newPerson({ credits: 10 });
  await leaveAfterFirstWord(person, 'openai/gpt-4.1-mini');

  expect(await wasCutOff).toBe(true);
  const usage = await settled(person);
  expect(usage).toMatchObject({ outputTokens: 1, estimated: true, outcome: 'aborted' });
  expect(await prisma().hold.count()).toBe(0);
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

test('who leaves before the first byte pays for the prompt, which the provider has read', async () => {
  const person = await newPerson({ credits: 10 });
  await leaveBeforeAnswer(person, 'openai/gpt-4.1-mini');

  expect(await wasCutOff).toBe(true);
  const usage = await settled(person);
  expect(usage).toMatchObject({ outputTokens: 0, estimated: true, outcome: 'aborted' });
  expect(usage?.inputTokens).toBeGreaterThanOrEqual(1_000);
  expect(await prisma().hold.count()).toBe(0);
});

test('a whole answer that is billed anyway is waited for, and charged as it is', async () => {
  const person = await newPerson({ credits: 10 });
  await leaveBeforeAnswer(person, 'together/LiquidAI/LFM2-24B-A2B');
  goOn();

  expect(await settled(person)).toMatchObject({ inputTokens: 1_000, outputTokens: 500, estimated: false });
  expect(await wasCutOff).toBe(false);
  expect(await prisma().hold.count()).toBe(0);
});

test('who leaves while no provider works pays nothing', async () => {
  const person = await newPerson({ credits: 10 });
  const leave = new AbortController();
  const failed = new Promise<void>((resolve) => {
    answer = (response) => response.writeHead(500).end(resolve as () => void);
  });
  const response = fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hi' }] }),
    signal: leave.signal,
  });
  await failed;
  leave.abort();
  await response.catch(() => {});
  answer = null;

  await until(
    () => prisma().hold.count(),
    (count) => count === 0,
  );
  expect(await prisma().usage.count({ where: { userId: person.userId } })).toBe(0);
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

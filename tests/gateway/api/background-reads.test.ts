import { afterEach, describe, expect, test } from 'vitest';
import { HOUR_MS, now, setClock } from '@/server/base/clock';
import { chargeFor } from '@/server/base/credits';
import { prisma } from '@/server/base/db';
import { bodyBytes } from '@/server/base/http/body-bytes';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import { costOf } from '@/server/gateway/pricing/cost';
import { chatProtocol } from '@/server/gateway/protocols/chat/protocol';
import { NO_DOCUMENTS } from '@/server/gateway/protocols/measure-size';
import type { TokenUsage } from '@/server/gateway/protocols/neutral';
import { endOverdueReads } from '@/server/gateway/run/background-reads';
import { connectedRuns } from '@/server/gateway/run/run';
import { checkLedger, sweepHolds } from '@/server/ledger';
import { renewLeases } from '@/server/ledger/lease';
import { finishGenerations } from '@/server/process/finish-generations';
import { startApi } from '../../harness/api-server';
import { startBillingUpstream } from '../../harness/billing-upstream';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { until } from '../../harness/until';

/** A client disconnect changes nothing about what a request costs: the charge is what the provider bills. */

await newDatabase();
const upstream = await startBillingUpstream();
for (const provider of ['OPENAI', 'ANTHROPIC', 'GOOGLE', 'TOGETHER', 'XAI']) {
  process.env[`${provider}_API_KEY`] = 'key-of-the-test';
  process.env[`${provider}_BASE_URL`] = upstream.url;
}
process.env.LIMIT_BACKGROUND_PER_USER = '2';
process.env.UPSTREAM_BACKGROUND_SECONDS = '300';
process.env.METRICS_TOKEN = 'a token of these tests';
const api = await startApi();
afterEach(() => setClock());

const O3 = 'openai/o3';
const GEMINI = 'google/gemini-3.1-pro-preview';
const CLAUDE = 'anthropic/claude-opus-5-5';
const VISIBLE_ONLY = 'openai/gpt-4.1';
const GROK = 'xai/grok-4.20-0309-non-reasoning';
const HAIKU = 'anthropic/claude-haiku-5-5';
const RATE_BP = 2500;

/** The answer that was wanted comes first: 20,000 output tokens, of which 50 are ever visible. */
const HIDDEN = {
  inputTokens: 25,
  reasoningTokens: 19_950,
  first: ['The', ' answer', ' is', ' 42', '.', '###'],
  rest: Array.from({ length: 44 }, () => ' and'),
};

type Sent = { path?: string; stream?: boolean; more?: object };

/** Sends a request and disconnects: from a stream after `###`, otherwise when the provider has the request. */
async function disconnect(person: Person, model: string, { path, stream = true, more }: Sent = {}) {
  const controller = new AbortController();
  const called = upstream.nextCall();
  const response = fetch(api.url + (path ?? '/v1/chat/completions'), {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream,
      max_tokens: 32_000,
      messages: [{ role: 'user', content: 'Answer, then ###, then filler.' }],
      ...more,
    }),
    signal: controller.signal,
  });
  response.catch(() => {});
  const call = await called;
  if (stream) await readUntilMark(await response);
  controller.abort();
  // The server reads the next connection after the end of this one.
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
  return call;
}

async function readUntilMark({ body }: Response): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for (const reader = body?.getReader(); reader !== undefined && !text.includes('###'); ) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
  }
}

const receiptOf = ({ userId }: Person) =>
  until(
    () => readReceipts(userId),
    (receipts) => receipts.length > 0,
  ).then(([receipt]) => receipt ?? expect.fail('no receipt'));

const overrunOf = ({ userId }: Person) =>
  prisma()
    .wallet.findUniqueOrThrow({ where: { userId } })
    .then(({ overrun }) => overrun);

const holdsOf = ({ userId }: Person) => prisma().hold.count({ where: { userId } });

function priceOf(model: string, bill: TokenUsage): bigint {
  const known = findCatalogModel(model);
  if (known === null) throw new Error(`no model ${model}`);
  return chargeFor(costOf(bill, known.prices), RATE_BP).charge;
}

const newPayer = () => newPerson({ credits: 500, rateBp: RATE_BP });

describe('the charge is the bill', () => {
  const models = [O3, 'openai/gpt-6-sol', GEMINI, CLAUDE];
  const paths = ['/v1/chat/completions', '/v1/messages'];
  const cases = models.flatMap((model) => paths.map((path) => ({ model, path })));

  test.each(cases)('of a $model stream that is left at ### through $path', async ({ model, path }) => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const call = await disconnect(person, model, { path });
    expect(await holdsOf(person)).toBe(1);
    call.proceed();

    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: false, outcome: 'aborted', outputTokens: 20_000 });
    expect(receipt.charge).toBe(priceOf(model, call.bill()));
    expect(await call.wasCancelled).toBe(false);
  });

  test.each(cases)('of a whole $model response that is left through $path', async ({ model, path }) => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const call = await disconnect(person, model, { path, stream: false });
    expect(await holdsOf(person)).toBe(1);
    call.proceed();

    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: false, outcome: 'aborted', outputTokens: 20_000 });
    expect(receipt.charge).toBe(priceOf(model, call.bill()));
  });

  test('of a stream that is left before its first byte', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, first: [] });
    const call = await disconnectEarly(person, O3);
    expect(await holdsOf(person)).toBe(1);
    call.proceed();

    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: false, reasoningTokens: 19_950 });
    expect(receipt.charge).toBe(priceOf(O3, call.bill()));
  });

  test('of a tool call, whose arguments Anthropic holds back', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const tools = [{ name: 'save', input_schema: { type: 'object' } }];
    const call = await disconnect(person, HAIKU, { path: '/v1/messages', more: { tools } });
    call.proceed();

    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: false, outputTokens: 20_000 });
    expect(receipt.charge).toBe(priceOf(HAIKU, call.bill()));
  });

  test('of a prompt with an image, whose tokens only the provider can count', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, reasoningTokens: 0, inputTokens: 1_234 });
    const image = { type: 'image_url', image_url: { url: 'https://images.example.com/a.png' } };
    const call = await disconnect(person, VISIBLE_ONLY, {
      more: { messages: [{ role: 'user', content: [image] }] },
    });
    call.proceed();

    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: false, inputTokens: 1_234 });
    expect(receipt.charge).toBe(priceOf(VISIBLE_ONLY, call.bill()));
  });
});

/** Disconnects from a stream that has not sent a byte. */
async function disconnectEarly(person: Person, model: string, more: object = {}) {
  const controller = new AbortController();
  const called = upstream.nextCall();
  const response = fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}` },
    body: JSON.stringify({
      model,
      stream: true,
      max_tokens: 32_000,
      messages: [{ role: 'user', content: 'Think' }],
      ...more,
    }),
    signal: controller.signal,
  });
  response.catch(() => {});
  const call = await called;
  controller.abort();
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
  return call;
}

describe('a provider is cancelled if that ends its bill and all output is visible', () => {
  test.each([
    { model: VISIBLE_ONLY, path: '/v1/chat/completions', more: {} },
    { model: 'openai/gpt-6-sol', path: '/v1/chat/completions', more: { reasoning_effort: 'none' } },
    { model: 'openai/gpt-6-sol', path: '/v1/messages', more: { thinking: { type: 'disabled' } } },
    { model: HAIKU, path: '/v1/messages', more: {} },
  ])('$model through $path with $more', async ({ model, path, more }) => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, inputTokens: 15, reasoningTokens: 0 });
    const call = await disconnect(person, model, { path, more });

    expect(await call.wasCancelled).toBe(true);
    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: true, outcome: 'aborted' });
    expect(receipt.outputTokens).toBeGreaterThanOrEqual(HIDDEN.first.length);
    expect(receipt.inputTokens).toBeGreaterThanOrEqual(call.bill().input);
    expect(await holdsOf(person)).toBe(0);
  });
});

test('input that was not reported is charged as it was held for', async () => {
  const person = await newPayer();
  const row = '1.25,-3.75,0.5,12.125,99.9\n';
  const messages = [{ role: 'user', content: row.repeat(10_000) }];
  upstream.answer({ ...HIDDEN, reasoningTokens: 0 });
  await disconnect(person, VISIBLE_ONLY, { more: { messages } });

  const request = chatProtocol.validate({ model: VISIBLE_ONLY, messages });
  const { inputTokens } = await receiptOf(person);
  const { sizeOf } = chatProtocol.measure(request);
  expect(inputTokens).toBe(sizeOf('o200k', NO_DOCUMENTS).largestInputTokens);
});

describe('a disconnect hides nothing that the provider would bill', () => {
  test('Claude is read until it reports its input, then cancelled: a hold that was too low is an overrun @attack', async () => {
    const person = await newPayer();
    upstream.answer({ inputTokens: 100_000, reasoningTokens: 0, first: [], rest: [], stalls: true });
    const call = await disconnectEarly(person, HAIKU, { max_tokens: 10 });
    expect(await holdsOf(person)).toBe(1);
    call.proceed();

    expect(await call.wasCancelled).toBe(true);
    expect(await receiptOf(person)).toMatchObject({ inputTokens: 100_000, outcome: 'aborted' });
    expect(await overrunOf(person)).toBeGreaterThan(0n);
  });

  test('Claude is cancelled at once if it has reported its input, even with an image', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, reasoningTokens: 0, inputTokens: 1_234 });
    const image = { type: 'image_url', image_url: { url: 'https://images.example.com/a.png' } };
    const call = await disconnect(person, HAIKU, {
      more: { messages: [{ role: 'user', content: [image] }] },
    });
    expect(await call.wasCancelled).toBe(true);
    expect(await receiptOf(person)).toMatchObject({ inputTokens: 1_234 });
  });

  test('Grok is read until it accepts the content, and its fee is charged if it refuses @attack', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, first: [], refuses: 'Content violates usage guidelines.' });
    const refused = await disconnectEarly(person, GROK);
    expect(await holdsOf(person)).toBe(1);
    refused.proceed();
    expect(await receiptOf(person)).toMatchObject({ outcome: 'refused', charge: 6_250_000n });

    const other = await newPayer();
    upstream.answer({ ...HIDDEN, reasoningTokens: 0, first: [], rest: [], stalls: true });
    const accepted = await disconnectEarly(other, GROK);
    accepted.proceed();
    expect(await accepted.wasCancelled).toBe(true);
    expect(await receiptOf(other)).toMatchObject({ outcome: 'aborted', outputTokens: 0 });
  });

  test('an output limit of one token does not end a read before the input is reported @attack', async () => {
    const person = await newPayer();
    upstream.answer({ inputTokens: 100_000, reasoningTokens: 0, first: ['extraordinary###'], rest: [] });
    const call = await disconnect(person, GEMINI, { more: { max_tokens: 1 } });
    call.proceed();
    expect(await receiptOf(person)).toMatchObject({ inputTokens: 100_000, estimated: false });
    expect(await overrunOf(person)).toBeGreaterThan(0n);
  });

  test('a user who has left 100 credits of unreported input within an hour is read to the usage @attack', async () => {
    const startMs = now();
    setClock(() => startMs);
    const person = await newPayer();
    const messages = [{ role: 'user', content: '1.25,-3.75,0.5,12.125,99.9\n'.repeat(10_000) }];
    upstream.answer({ ...HIDDEN, inputTokens: 300_000, reasoningTokens: 0 });
    const leave = () => disconnect(person, VISIBLE_ONLY, { more: { messages, max_tokens: 1_000 } });
    expect(await (await leave()).wasCancelled).toBe(true);

    const read = await leave();
    read.proceed();
    expect(await read.wasCancelled).toBe(false);
    await until(
      () => readReceipts(person.userId),
      (receipts) => receipts.some(({ estimated, inputTokens }) => !estimated && inputTokens === 300_000),
    );

    setClock(() => startMs + 2 * HOUR_MS);
    expect(await (await leave()).wasCancelled).toBe(true);
  });
});

describe('without usage, the time of hidden work is charged at 500 tokens a second', () => {
  const SECONDS = 4;

  test.each([
    { what: 'a stream whose connection breaks', answer: { breaks: true }, stream: true },
    { what: 'a stream that reports no usage', answer: { reportsUsage: false }, stream: true },
    { what: 'a whole response whose connection breaks', answer: { breaks: true }, stream: false },
  ])('for $what', async ({ answer, stream }) => {
    const startMs = now();
    setClock(() => startMs);
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, reasoningTokens: 1_500, ...answer });
    const call = await disconnect(person, O3, { stream });
    setClock(() => startMs + SECONDS * 1_000);
    call.proceed();

    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: true, outcome: 'aborted' });
    expect(receipt.outputTokens).toBeGreaterThanOrEqual(SECONDS * 500);
    expect(receipt.outputTokens).toBeLessThan(SECONDS * 500 + 100);
    expect(receipt.charge).toBeGreaterThanOrEqual(priceOf(O3, call.bill()));
  });

  test('up to the hold, when the time limit for background reads is reached', async () => {
    const startMs = now();
    setClock(() => startMs);
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const call = await disconnect(person, O3);
    setClock(() => startMs + 299_000);
    await endOverdueReads();
    expect(await holdsOf(person)).toBe(1);
    setClock(() => startMs + 300_000);
    await endOverdueReads();

    expect(await call.wasCancelled).toBe(true);
    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: true, outputTokens: 32_000 });
    expect(receipt.charge).toBeGreaterThanOrEqual(priceOf(O3, call.bill()));
    expect(receipt.charge).toBeLessThanOrEqual(receipt.held);
  });

  test('also when the process stops', async () => {
    const startMs = now();
    setClock(() => startMs);
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, reasoningTokens: 1_500 });
    const call = await disconnect(person, CLAUDE, { path: '/v1/messages' });
    setClock(() => startMs + SECONDS * 1_000);
    await finishGenerations(0);

    expect(await call.wasCancelled).toBe(true);
    expect(await holdsOf(person)).toBe(0);
    const receipt = await receiptOf(person);
    expect(receipt).toMatchObject({ estimated: true, inputTokens: 25 });
    expect(receipt.charge).toBeGreaterThanOrEqual(priceOf(CLAUDE, call.bill()));
  });
});

test('a background read ends when what it shows costs the whole hold', async () => {
  const person = await newPayer();
  const model = 'together/Qwen/Qwen2.5-7B-Instruct-Turbo';
  upstream.answer({ ...HIDDEN, first: ['###'.repeat(500)] });
  const call = await disconnect(person, model, { more: { max_tokens: 10 } });

  expect(await call.wasCancelled).toBe(true);
  const receipt = await receiptOf(person);
  expect(receipt).toMatchObject({ estimated: true, outputTokens: 10 });
  expect(receipt.charge).toBeLessThanOrEqual(receipt.held);
});

test('beyond two background reads of a user, a stream whose bill ends with it is cancelled', async () => {
  const person = await newPayer();
  const other = await newPayer();
  upstream.answer(HIDDEN);
  const read = [await disconnect(person, O3), await disconnect(person, O3)];
  const cut = await disconnect(person, O3);
  expect(await cut.wasCancelled).toBe(true);
  expect((await receiptOf(person)).estimated).toBe(true);

  // A cancel would not end these bills.
  const unlimited = [await disconnect(person, GEMINI), await disconnect(person, O3, { stream: false })];
  const ofOther = await disconnect(other, O3);
  for (const call of [...read, ...unlimited, ofOther]) call.proceed();
  for (const call of [...read, ...unlimited, ofOther]) expect(await call.wasCancelled).toBe(false);
  for (const { userId } of [person, other]) {
    await until(
      () => prisma().hold.count({ where: { userId } }),
      (count) => count === 0,
    );
  }
});

test('a background read keeps its lease', async () => {
  const person = await newPayer();
  upstream.answer(HIDDEN);
  const call = await disconnect(person, O3);
  await prisma().$executeRaw`UPDATE hold SET lease_until = clock_timestamp() + interval '1 second'`;
  await renewLeases();
  const [hold] = await prisma().$queryRaw<{ left: number }[]>`
    SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 AS left FROM hold`;
  expect(hold?.left).toBeGreaterThan(60);
  expect(await sweepHolds()).toBe(0);
  call.proceed();
  expect(await receiptOf(person)).toMatchObject({ estimated: false });
});

test('a provider that fails after a client disconnect is not called again, and nothing is charged', async () => {
  const person = await newPayer();
  upstream.answer({ ...HIDDEN, fails: true });
  const callsBefore = upstream.calls.length;
  const call = await disconnect(person, GEMINI, { stream: false });
  call.proceed();
  await until(
    () => holdsOf(person),
    (count) => count === 0,
  );
  expect(upstream.calls.length).toBe(callsBefore + 1);
  expect(await readReceipts(person.userId)).toEqual([]);
});

test.each([
  { ending: 'an error', answer: { fails: true }, receipts: 0 },
  { ending: 'a broken connection, after it worked unseen', answer: { breaks: true }, receipts: 1 },
])('a stream without an event that ends in $ending has $receipts receipts', async ({ answer, receipts }) => {
  const person = await newPayer();
  upstream.answer({ ...HIDDEN, first: [], ...answer });
  (await disconnectEarly(person, O3)).proceed();
  await until(
    () => holdsOf(person),
    (count) => count === 0,
  );
  expect(await readReceipts(person.userId)).toHaveLength(receipts);
});

test('metrics count the background reads, and how they ended', async () => {
  const read = async (name: string) => {
    const response = await fetch(`${api.url}/metrics`, {
      headers: { authorization: `Bearer ${process.env.METRICS_TOKEN}` },
    });
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  };
  const FINISHED = 'svc_background_reads_ended_total{outcome="finished"}';
  const CUT_OFF = 'svc_background_reads_ended_total{outcome="cut_off"}';
  const before = [await read(FINISHED), await read(CUT_OFF)] as const;
  const person = await newPayer();
  upstream.answer(HIDDEN);
  const calls = [await disconnect(person, O3), await disconnect(person, O3)];
  await disconnect(person, O3);
  expect(await read('svc_background_reads')).toBe(2);
  for (const call of calls) call.proceed();
  await until(
    () => holdsOf(person),
    (count) => count === 0,
  );
  expect(await read('svc_background_reads')).toBe(0);
  expect([await read(FINISHED), await read(CUT_OFF)]).toEqual([before[0] + 2, before[1] + 1]);
});

test('the ledger has no differences after all of these requests', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});

test('a body counts in the limits of memory until its request has ended, also without its client @attack', async () => {
  const person = await newPerson({ credits: 1_000, rateBp: RATE_BP });
  upstream.answer(HIDDEN);
  const messages = [{ role: 'user', content: 'x'.repeat(100_000) }];
  const call = await disconnect(person, O3, { stream: false, more: { messages } });
  await until(
    async () => (await readReceipts(person.userId)).length + connectedRuns().length,
    (connected) => connected === 0,
  );
  expect(bodyBytes()).toBeGreaterThan(100_000);
  call.proceed();
  await until(
    async () => bodyBytes(),
    (bytes) => bytes === 0,
  );
  expect(await readReceipts(person.userId)).toHaveLength(1);
});

import { describe, expect, test, vi } from 'vitest';
import { chargeFor, microcredits, wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { log } from '@/server/base/log';
import { findCatalogModel } from '@/server/gateway/pricing/catalog';
import { costOf } from '@/server/gateway/pricing/cost';
import type { TokenUsage } from '@/server/gateway/protocols/neutral';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { cutOffRunning, endStoppedRequests } from '@/server/gateway/run/cut-off';
import { runningGenerations } from '@/server/gateway/run/run';
import {
  ALL_APPS,
  bookCorrections,
  checkLedger,
  resumeSpending,
  stopSpending,
  sweepHolds,
  takeCredits,
} from '@/server/ledger';
import { renewLeases } from '@/server/ledger/lease';
import { startApi } from '../../harness/api-server';
import { startBillingUpstream } from '../../harness/billing-upstream';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { until } from '../../harness/until';

/** For every call that a provider billed, there is a charge, or a recorded loss with its reason. */

await newDatabase();
const upstream = await startBillingUpstream();
for (const provider of ['OPENAI', 'ANTHROPIC']) {
  process.env[`${provider}_API_KEY`] = 'key-of-the-test';
  process.env[`${provider}_BASE_URL`] = upstream.url;
}
process.env.UPSTREAM_FIRST_BYTE_SECONDS = '2';
process.env.UPSTREAM_STREAM_START_SECONDS = '1';
process.env.UPSTREAM_IDLE_SECONDS = '1';
process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '10';
const api = await startApi();

const O3 = 'openai/o3';
const GPT = 'openai/gpt-4.1';
const CLAUDE = 'anthropic/claude-opus-5-5';
const RATE_BP = 2500;
/** The answer that was wanted comes first: 8,000 output tokens, of which 50 are ever visible. */
const HIDDEN = {
  inputTokens: 25,
  reasoningTokens: 7_950,
  first: ['The', ' answer', ' is', ' 42', '.', '###'],
  rest: Array.from({ length: 44 }, () => ' and'),
};

const newPayer = () => newPerson({ credits: 1_000, rateBp: RATE_BP });

function send(person: Person, model: string, stream: boolean, more: object = {}): Promise<Response> {
  return fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify({
      model,
      stream,
      max_tokens: 32_000,
      messages: [{ role: 'user', content: 'Answer, then ###, then filler.' }],
    }),
  });
}

function costFor(model: string, bill: TokenUsage): bigint {
  const known = findCatalogModel(model) ?? expect.fail(`no model ${model}`);
  return chargeFor(costOf(bill, known.prices), RATE_BP).providerCost;
}

const lossesOf = ({ userId }: Person) =>
  prisma().providerLoss.findMany({ where: { userId }, orderBy: { call: 'asc' } });

const isOver = () =>
  until(
    async () => runningGenerations(),
    (running) => running === 0,
  );

async function stop({ userId }: Person): Promise<void> {
  await inTransaction((tx) => stopSpending(tx, { userId, partnerId: ALL_APPS }));
  await endStoppedRequests();
}

const errorOf = async (response: Response) => (await response.json()).error;

describe("a user's stop", () => {
  test.each([O3, GPT, CLAUDE])(
    'ends a whole response at once, and %s is charged what it bills',
    async (model) => {
      const person = await newPayer();
      upstream.answer(HIDDEN);
      const called = upstream.nextCall();
      const response = send(person, model, false);
      const call = await called;
      await stop(person);
      expect(await errorOf(await response)).toMatchObject({ code: '402', param: 'limits.all.stop' });

      call.proceed();
      await isOver();
      const [receipt] = await readReceipts(person.userId);
      expect(receipt).toMatchObject({ outcome: 'aborted', estimated: false });
      expect(receipt?.providerCost).toBe(costFor(model, call.bill()));
      expect(await lossesOf(person)).toEqual([]);
    },
  );

  test('after the visible answer of a reasoning model, charges its hidden output too', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = await send(person, O3, true);
    const call = await called;
    await stop(person);
    expect(await response.text()).toMatch(/"param":"limits.all.stop"[^\n]*\n\n$/);

    call.proceed();
    await isOver();
    const [receipt] = await readReceipts(person.userId);
    expect(receipt?.providerCost).toBe(costFor(O3, call.bill()));
  });

  test.each([O3, CLAUDE])(
    'before a stream of %s begins ends with an error, and the stream is charged',
    async (model) => {
      const person = await newPayer();
      upstream.answer({ ...HIDDEN, first: [] });
      const called = upstream.nextCall();
      const response = send(person, model, true);
      const call = await called;
      await stop(person);
      expect(await errorOf(await response)).toMatchObject({ code: '402', param: 'limits.all.stop' });

      call.proceed();
      await isOver();
      const [receipt] = await readReceipts(person.userId);
      expect(receipt).toMatchObject({ outcome: 'aborted', estimated: false });
      expect(receipt?.providerCost).toBe(costFor(model, call.bill()));
      expect(await prisma().hold.count({ where: { userId: person.userId } })).toBe(0);
    },
  );

  test('that is repeated with resumptions makes no request free', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.calls.length;
    for (let round = 0; round < 3; round++) {
      const sent = [upstream.calls.length + 1, upstream.calls.length + 2];
      const responses = sent.map(() => send(person, GPT, false));
      await until(
        async () => upstream.calls.length,
        (calls) => calls === sent[1],
      );
      await stop(person);
      for (const response of responses) expect((await response).status).toBe(402);
      await inTransaction((tx) => resumeSpending(tx, { userId: person.userId, partnerId: ALL_APPS }));
    }
    for (const call of upstream.calls.slice(called)) call.proceed();
    await isOver();
    const bills = upstream.calls.slice(called).map((call) => costFor(GPT, call.bill()));
    const receipts = await readReceipts(person.userId);
    expect(receipts).toHaveLength(6);
    expect(receipts.reduce((sum, { providerCost }) => sum + providerCost, 0n)).toBe(
      bills.reduce((sum, bill) => sum + bill, 0n),
    );
  });
});

describe('the end of the instance', () => {
  test('ends responses at once, and charges what was billed until the process ends', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = send(person, O3, false);
    await called;
    expect(cutOffRunning()).toBe(1);
    expect((await response).status).toBe(503);
    expect(runningGenerations()).toBe(1);
    endBackgroundReads();
    await isOver();
    const [receipt] = await readReceipts(person.userId);
    expect(receipt).toMatchObject({ outcome: 'aborted', estimated: true });
    expect(receipt?.providerCost).toBeGreaterThan(0n);
    expect(receipt?.charge).toBeLessThanOrEqual(receipt?.held ?? 0n);
  });
});

describe('a response that takes too long', () => {
  test('is an error for the client and read to its end, and the user pays what the provider reports', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = await send(person, O3, false);
    expect(response.status).toBe(502);
    expect((await errorOf(response)).message).toBe(
      'The provider for this model did not respond in time. Stream long responses.',
    );
    const call = await called;
    call.proceed();
    await isOver();
    const [receipt] = await readReceipts(person.userId);
    expect(receipt).toMatchObject({ outcome: 'aborted', estimated: false });
    expect(receipt?.providerCost).toBe(costFor(O3, call.bill()));
  });

  test('to begin, as a stream, is a loss for each call, and the user pays nothing', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, first: [] });
    // Only the headers have arrived when the time is up: the connection is cut before the first event.
    const response = await send(person, GPT, true);
    expect(response.status).toBe(502);
    await isOver();
    expect(await readReceipts(person.userId)).toEqual([]);
    const losses = await lossesOf(person);
    expect(losses.map(({ call, reason, isEstimated }) => [call, reason, isEstimated])).toEqual([
      [1, 'timeout', true],
      [2, 'timeout', true],
    ]);
    for (const { cost } of losses) expect(cost).toBeGreaterThanOrEqual(costFor(GPT, inputOf(25)));
  });
});

const inputOf = (input: number): TokenUsage => ({
  input,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
});

describe('a response that breaks', () => {
  test('before anything can be read of it is a loss: the user pays nothing', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, breaks: true });
    const called = upstream.nextCall();
    const response = send(person, O3, false);
    (await called).proceed();
    expect((await response).status).toBe(502);
    await isOver();
    expect(await readReceipts(person.userId)).toEqual([]);
    expect((await lossesOf(person)).map(({ call, reason, model }) => [call, reason, model])).toEqual([
      [1, 'connection_lost', O3],
    ]);
  });

  test('in the middle is charged what arrived, and hidden output is a loss', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, breaks: true });
    const called = upstream.nextCall();
    const response = await send(person, O3, true);
    (await called).proceed();
    await response.text();
    await isOver();
    const [receipt] = await readReceipts(person.userId);
    expect(receipt).toMatchObject({ outcome: 'failed', estimated: true });
    const [loss] = await lossesOf(person);
    expect(loss).toMatchObject({ reason: 'connection_lost', model: O3, isEstimated: true });
  });

  test('because of an outage pauses nobody', async () => {
    const person = await newPayer();
    upstream.answer({ ...HIDDEN, breaks: true });
    for (let n = 0; n < 3; n++) {
      const called = upstream.nextCall();
      const response = send(person, O3, false);
      (await called).proceed();
      await response;
    }
    const { pausedAt, overrun } = await prisma().wallet.findUniqueOrThrow({
      where: { userId: person.userId },
    });
    expect([pausedAt, overrun]).toEqual([null, 0n]);
  });
});

describe('an instance that was paused for longer than its leases', () => {
  const pause = () =>
    prisma().$executeRaw`UPDATE hold SET lease_until = clock_timestamp() - interval '1 second'`;
  /** What another instance does meanwhile: it takes this one for dead. */
  const sweepElsewhere = () => sweepHolds([]);

  test('charges the response that it delivers, although its hold was released', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = send(person, GPT, false);
    const call = await called;
    await pause();
    expect(await sweepElsewhere()).toBe(1);
    expect((await lossesOf(person)).map(({ reason }) => reason)).toEqual(['instance_died']);
    call.proceed();
    const { headers } = await response;
    const [receipt] = await readReceipts(person.userId);
    expect(receipt?.providerCost).toBe(costFor(GPT, call.bill()));
    expect(Number(headers.get('x-svc-credits-charged'))).toBeCloseTo(Number(receipt?.charge) / 1e6, 6);
    expect(await lossesOf(person)).toEqual([]);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('keeps what its own sweep would take', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = send(person, GPT, false);
    const call = await called;
    await pause();
    expect(await sweepHolds()).toBe(0);
    call.proceed();
    expect((await response).status).toBe(200);
    expect(await readReceipts(person.userId)).toHaveLength(1);
  });

  test('charges what is left if the credits were spent meanwhile, and the rest is an overrun', async () => {
    const person = await newPerson({ credits: 30, rateBp: RATE_BP });
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = send(person, O3, false);
    const call = await called;
    await pause();
    await sweepElsewhere();
    const credits = wholeCredits(29);
    const { userId, partnerId } = person;
    await inTransaction((tx) =>
      takeCredits(tx, { userId, partnerId, credits, takeId: newId('req'), note: 'spent elsewhere' }),
    );
    call.proceed();
    await response;
    const [receipt] = await readReceipts(person.userId);
    expect(receipt).toMatchObject({ charge: wholeCredits(1), held: wholeCredits(1), partnerShare: 0n });
    expect(receipt?.providerCost).toBe(costFor(O3, call.bill()));
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('records a loss if nothing is left', async () => {
    const person = await newPerson({ credits: 30, rateBp: RATE_BP });
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = send(person, O3, false);
    const call = await called;
    await pause();
    await sweepElsewhere();
    const { userId, partnerId } = person;
    await inTransaction((tx) =>
      takeCredits(tx, { userId, partnerId, credits: wholeCredits(30), takeId: newId('req'), note: 'spent' }),
    );
    call.proceed();
    expect((await response).headers.get('x-svc-credits-charged')).toBe('0');
    expect(await readReceipts(userId)).toEqual([]);
    expect(await lossesOf(person)).toMatchObject([
      { reason: 'settled_late', isEstimated: false, cost: costFor(O3, call.bill()) },
    ]);
  });

  test('records what was billed beyond the part that another instance has charged', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = send(person, GPT, false);
    const call = await called;
    await renewLeases();
    await pause();
    expect(await sweepElsewhere()).toBe(1);
    call.proceed();
    await response;
    const [receipt] = await readReceipts(person.userId);
    const losses = await lossesOf(person);
    expect(
      (receipt?.providerCost ?? 0n) + losses.reduce((sum, { cost }) => sum + cost, 0n),
    ).toBeGreaterThanOrEqual(costFor(GPT, call.bill()));
    expect(losses.filter(({ reason }) => reason === 'instance_died')).toEqual([]);
  });

  test.each([
    ['that cost less than another instance charged', { inputTokens: 1, rest: ['Hi'] }],
    ['that broke, and costs nothing', { inputTokens: 1, rest: ['Hi'], breaks: true }],
  ])('returns what was too much for a response %s', async (_case, answered) => {
    const person = await newPayer();
    upstream.answer({ reasoningTokens: 0, first: [], ...answered });
    const called = upstream.nextCall();
    const response = send(person, GPT, false);
    const call = await called;
    await renewLeases();
    await pause();
    expect(await sweepElsewhere()).toBe(1);
    call.proceed();
    const charged = (await response).headers.get('x-svc-credits-charged') ?? '0';
    const due = 'breaks' in answered ? 0n : microcredits((costFor(GPT, call.bill()) * 5n) / 4n);
    const [receipt] = await readReceipts(person.userId);
    expect(receipt?.charge).toBeGreaterThan(due);
    expect(charged).toBe(String(Number(due) / 1e6));
    await isOver();
    await bookCorrections();
    const { money } = await prisma().wallet.findUniqueOrThrow({ where: { userId: person.userId } });
    expect(money).toBe(wholeCredits(1_000) - due);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('charges a request with an Idempotency-Key at most once: if its hold is gone, its bill is a loss', async () => {
    const person = await newPayer();
    upstream.answer(HIDDEN);
    const called = upstream.nextCall();
    const response = send(person, GPT, false, { 'idempotency-key': 'once' });
    const call = await called;
    await pause();
    await sweepElsewhere();
    call.proceed();
    expect((await response).headers.get('x-svc-credits-charged')).toBe('0');
    expect(await lossesOf(person)).toMatchObject([
      { reason: 'settled_late', cost: costFor(GPT, call.bill()) },
    ]);
  });
});

test('the ledger has no differences after all of these requests', async () => {
  expect(await prisma().hold.count()).toBe(0);
  expect((await checkLedger()).differences).toEqual([]);
});

test('a stream that a fault of our own ends is settled, and what it showed is a loss', async () => {
  const person = await newPayer();
  upstream.answer({ ...HIDDEN, reasoningTokens: 0, breaks: true });
  const warn = vi.spyOn(log(), 'warn').mockImplementation(() => {
    throw new Error('a fault');
  });
  try {
    const called = upstream.nextCall();
    const response = await send(person, GPT, true);
    (await called).proceed();
    await expect(response.text()).rejects.toThrow();
    await isOver();
  } finally {
    warn.mockRestore();
  }
  const [loss] = await lossesOf(person);
  expect(loss).toMatchObject({ reason: 'unreadable_response' });
  expect(loss?.cost).toBeGreaterThan(0n);
  expect(await prisma().hold.count({ where: { userId: person.userId } })).toBe(0);
});

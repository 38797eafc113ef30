import { afterAll, expect, test } from 'vitest';
import { listenOnLoopback } from '@/sandbox/loopback-server';
import { prisma } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { until } from '../../harness/until';

const BEGINNINGS = {
  openai: [{ choices: [{ index: 0, delta: { content: 'Hi' } }] }],
  anthropic: [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
  ],
};
/** A provider that begins a response and then only says that it is alive. */
const alive = await listenOnLoopback(async (request, response) => {
  const isAnthropic = request.url?.endsWith('/messages');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of BEGINNINGS[isAnthropic ? 'anthropic' : 'openai'])
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  const ping = isAnthropic ? 'event: ping\ndata: {"type":"ping"}\n\n' : ': ping\n\n';
  const timer = setInterval(() => response.write(ping), 100);
  response.once('close', () => clearInterval(timer));
});
afterAll(() => alive.close());
for (const provider of ['OPENAI', 'ANTHROPIC']) {
  process.env[`${provider}_API_KEY`] = 'key-of-the-test';
  process.env[`${provider}_BASE_URL`] = alive.url;
}
process.env.UPSTREAM_FIRST_BYTE_SECONDS = '1';
process.env.UPSTREAM_IDLE_SECONDS = '1';
await newDatabase();
const api = await startApi();
const requestLog = api.provider.url.replace('/v1', '/__sandbox/requests');

function send(person: Person, model: string, stream: boolean): Promise<Response> {
  return fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Tell me of the sea' }] }),
  });
}

async function callsUpstream(): Promise<number> {
  const { requests } = await fetch(requestLog).then((response) => response.json());
  await fetch(requestLog, { method: 'DELETE' });
  return requests.length;
}

const balanceOf = async ({ userId, partnerId }: Person) => (await readSpendable(userId, partnerId)).balance;

test('a non-streaming request that times out is not retried, but charged, because the provider may bill it', async () => {
  const person = await newPerson({ credits: 10 });
  const response = await send(person, 'sandbox/slow', false);

  expect([response.status, (await response.json()).error.type]).toEqual([502, 'upstream_error']);
  expect(await callsUpstream()).toBe(1);
  endBackgroundReads();
  await until(
    () => prisma().hold.count(),
    (holds) => holds === 0,
  );
  expect(await balanceOf(person)).toBeLessThan(10_000_000n);
});

test('a stream that does not begin in time is retried, then refused with 502', async () => {
  const person = await newPerson({ credits: 10 });
  const response = await send(person, 'sandbox/slow', true);

  expect([response.status, (await response.json()).error.type]).toEqual([502, 'upstream_error']);
  expect(await callsUpstream()).toBe(2);
  expect(await balanceOf(person)).toBe(10_000_000n);
});

test('a stream that stalls ends in an error, and what arrived is charged', async () => {
  const person = await newPerson({ credits: 10 });
  const text = await (await send(person, 'sandbox/stall', true)).text();

  expect(text).toMatch(/"type":"upstream_error"[^\n]*\n\n$/);
  expect(await callsUpstream()).toBe(1);
  const { entries } = await readHistory(
    { userId: person.userId, partnerId: person.partnerId },
    { limit: 1, offset: 0 },
  );
  expect(entries[0]).toMatchObject({ type: 'usage', usage: { estimated: true } });
  expect(entries[0]?.credits).toBeLessThan(0n);
});

test.each(['openai/gpt-4.1', 'anthropic/claude-opus-5-5'])(
  'a stream of %s that contains nothing but pings for too long ends in an error, and what arrived is charged',
  async (model) => {
    const person = await newPerson({ credits: 10 });
    const text = await (await send(person, model, true)).text();
    expect(text).toMatch(/"type":"upstream_error"[^\n]*\n\n$/);
    const spent = 10_000_000n - (await balanceOf(person));
    expect(spent).toBeGreaterThan(0n);
  },
);

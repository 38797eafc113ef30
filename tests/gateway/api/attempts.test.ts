import { afterEach, expect, test } from 'vitest';
import { DAY_MS, now, nowDate, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import {
  forgetOldUnanswered,
  keepUnanswered,
  listUnanswered,
  UNANSWERED_KEPT_DAYS,
  UNANSWERED_PER_DAY,
  writeUnanswered,
} from '@/server/gateway/counts/unanswered-requests';
import { noteOutage } from '@/server/gateway/run/circuit-breaker';
import { cutOffRunning } from '@/server/gateway/run/cut-off';
import { checkLedger, type ReceiptAttempt, sweepHolds } from '@/server/ledger';
import { renewLeases } from '@/server/ledger/lease';
import { deleteAccount } from '@/server/people/delete-account';
import { writeCounts } from '@/server/reports/activity/keep';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { completion, message } from '../../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../../harness/scripted-upstream';
import { until } from '../../harness/until';

/** Users find out which providers their requests were sent to, also those that did not respond. */

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'alone', format: 'openai' },
  { provider: 'first', format: 'openai', fallbacks: ['second'] },
  { provider: 'second', format: 'anthropic' },
  { provider: 'resting', format: 'openai', fallbacks: ['second'] },
]);
const api = await startApi();
afterEach(() => setClock());

const FAILED: Reply = { status: 500, body: { error: { message: 'failed' } } };
const BAD: Reply = { status: 400, body: { error: { message: 'bad schema' } } };
const GREETING = message([{ type: 'text', text: 'Hello' }]);

function send(person: Person, provider: string): Promise<Response> {
  return fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: modelOf(provider),
      max_tokens: 50,
      messages: [{ role: 'user', content: 'the words of the prompt' }],
    }),
  });
}

async function sendAndReadReceipt(person: Person, provider: string) {
  const response = await send(person, provider);
  expect(response.status).toBe(200);
  const receipt = await fetch(`${api.url}/v1/credits/receipts/${response.headers.get('x-request-id')}`, {
    headers: { authorization: `Bearer ${person.userKey}` },
  });
  return (await receipt.json()) as { provider: string; attempts: ReceiptAttempt[] | null; proof: unknown };
}

const newBuyer = () => newPerson({ credits: 100, rateBp: 0 });
const summary = (attempts: readonly ReceiptAttempt[] | null) =>
  attempts?.map(({ provider, model, outcome }) => [provider, model, outcome]);

test('a receipt lists every provider that the request was sent to, in order, and the outcome of each attempt', async () => {
  upstream.script('first', FAILED);
  upstream.script('second', GREETING);
  const before = now();
  const { provider, attempts } = await sendAndReadReceipt(await newBuyer(), 'first');
  expect(provider).toBe('second');
  expect(summary(attempts)).toEqual([
    ['first', 'first/first', 'failed'],
    ['first', 'first/first', 'failed'],
    ['second', 'second/second', 'responded'],
  ]);
  const times = (attempts ?? []).map(({ at }) => Date.parse(at));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(before);
});

test('a receipt lists no attempts if the provider of the model responded to the first', async () => {
  upstream.script('alone', completion({ content: 'Hello' }));
  expect((await sendAndReadReceipt(await newBuyer(), 'alone')).attempts).toBeNull();
});

test('a provider that gave no response is listed as well', async () => {
  upstream.script('alone', { breaksOff: true }, completion({ content: 'Hello' }));
  const { attempts } = await sendAndReadReceipt(await newBuyer(), 'alone');
  expect(summary(attempts)?.map(([, , outcome]) => outcome)).toEqual(['no_response', 'responded']);
});

test('a single attempt is listed if it went to another provider than that of the model', async () => {
  for (let n = 0; n < 5; n++) noteOutage('resting');
  upstream.script('second', GREETING);
  const { attempts } = await sendAndReadReceipt(await newBuyer(), 'resting');
  expect(summary(attempts)).toEqual([['second', 'second/second', 'responded']]);
});

test('the signed receipt contains the attempts', async () => {
  upstream.script('first', FAILED);
  upstream.script('second', GREETING);
  const { attempts, proof } = await sendAndReadReceipt(await newBuyer(), 'first');
  const [, payload = ''] = (proof as { receipt: string }).receipt.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString()).attempts).toEqual(attempts);
});

test('a request that no provider answered is kept with its attempts for its user, without content, and not charged', async () => {
  const person = await newBuyer();
  upstream.script('first', FAILED);
  upstream.script('second', BAD);
  const response = await send(person, 'first');
  expect(response.status).toBe(400);
  await writeCounts([]);
  const [kept, ...others] = await listUnanswered(person.userId, 10);
  expect(others).toEqual([]);
  expect(kept).toMatchObject({
    requestId: response.headers.get('x-request-id'),
    model: 'first/first',
    appName: 'Test app',
  });
  expect(summary(kept?.attempts ?? null)?.map(([provider, , outcome]) => [provider, outcome])).toEqual([
    ['first', 'failed'],
    ['first', 'failed'],
    ['second', 'failed'],
  ]);
  const [row] = await prisma().unansweredRequest.findMany({ where: { userId: person.userId } });
  expect(JSON.stringify(row)).not.toContain('the words of the prompt');
  expect(await readReceipts(person.userId)).toEqual([]);
});

test('a request that was sent to no provider is not kept', async () => {
  const person = await newBuyer();
  expect((await send({ ...person, userKey: `${person.userKey}x` }, 'alone')).status).toBe(401);
  expect((await send(person, 'nobody')).status).toBe(404);
  await writeCounts([]);
  expect(await listUnanswered(person.userId, 10)).toEqual([]);
});

test('a client that repeats a refused request fills a bounded number of rows a day', async () => {
  const person = await newBuyer();
  const note = (count: number) => {
    for (let n = 0; n < count; n++)
      keepUnanswered({ ...person, requestId: newId('req'), model: 'a/b', attempts: [], at: nowDate() });
  };
  const countRows = () => prisma().unansweredRequest.count({ where: { userId: person.userId } });
  note(UNANSWERED_PER_DAY - 1);
  await writeUnanswered();
  note(5);
  await writeUnanswered();
  expect(await countRows()).toBe(UNANSWERED_PER_DAY);
  const today = now();
  setClock(() => today + (UNANSWERED_KEPT_DAYS - 1) * DAY_MS);
  await forgetOldUnanswered();
  note(1);
  await writeUnanswered();
  expect(await countRows()).toBe(UNANSWERED_PER_DAY + 1);
  setClock(() => today + (UNANSWERED_KEPT_DAYS + 0.5) * DAY_MS);
  await forgetOldUnanswered();
  expect(await countRows()).toBe(1);
});

test('nothing of a deleted account is kept, even if it is written afterwards', async () => {
  const person = await newBuyer();
  const note = () =>
    keepUnanswered({ ...person, requestId: newId('req'), model: 'a/b', attempts: [], at: nowDate() });
  note();
  await writeUnanswered();
  note();
  await deleteAccount(person.userId);
  await writeUnanswered();
  expect(await prisma().unansweredRequest.count({ where: { userId: person.userId } })).toBe(0);
});

test('if the instance dies, the receipt that another one books contains the attempts until then', async () => {
  const person = await newBuyer();
  upstream.script('first', FAILED);
  upstream.script('second', { hangs: true });
  const response = send(person, 'first');
  await until(
    async () => upstream.seen('second').length,
    (calls) => calls === 1,
  );
  await renewLeases();
  await prisma().$executeRaw`UPDATE hold SET lease_until = clock_timestamp() - interval '1 second'`;
  // Another instance, for which this one is dead.
  expect(await sweepHolds([])).toBe(1);
  const [receipt] = await readReceipts(person.userId);
  expect(summary(receipt?.attempts ?? null)?.map(([provider, , outcome]) => [provider, outcome])).toEqual([
    ['first', 'failed'],
    ['first', 'failed'],
    ['second', 'interrupted'],
  ]);
  // It settles what is settled already.
  cutOffRunning();
  expect((await response).status).toBe(503);
});

test('the ledger has no differences after all of these requests', async () => {
  await until(
    async () => (await checkLedger()).differences,
    (differences) => differences.length === 0,
  );
});

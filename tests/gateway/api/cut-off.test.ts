import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { cutOffRunning } from '@/server/gateway/run/cut-off';
import { runningGenerations } from '@/server/gateway/run/run';
import { checkLedger, readHistory } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { until } from '../../harness/until';

/** What clients receive and pay when the instance stops before their response is complete. */

await newDatabase();
const api = await startApi();

/** Their responses are read until the process ends. */
async function endReads(): Promise<void> {
  endBackgroundReads();
  await until(
    async () => runningGenerations(),
    (running) => running === 0,
  );
}

const ROUTES = { chat: '/v1/chat/completions', messages: '/v1/messages' };

function send(person: Person, route: keyof typeof ROUTES, model: string, stream: boolean): Promise<Response> {
  const messages = [{ role: 'user', content: 'Tell me about the sea' }];
  return fetch(`${api.url}${ROUTES[route]}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages, max_tokens: 1_000 }),
  });
}

test.each([
  [
    'chat',
    /\n\ndata: \{"error":\{"message":"The service is restarting. Please retry.","type":"overloaded","param":null,"code":"503"\}\}\n\n$/,
  ],
  [
    'messages',
    /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded","message":"The service is restarting. Please retry."\}\}\n\n$/,
  ],
] as const)(
  'a stream in the format of %s that is cut off ends with an error event, and what arrived is charged',
  async (route, ending) => {
    const person = await newPerson({ credits: 10 });
    const response = await send(person, route, 'sandbox/stall', true);
    expect(cutOffRunning()).toBe(1);
    const text = await response.text();
    expect(text).toMatch(ending);
    await endReads();
    const { entries } = await readHistory(person, { limit: 1, offset: 0 });
    expect(entries[0]).toMatchObject({ type: 'usage', usage: { estimated: true } });
    expect(entries[0]?.credits).toBeLessThan(0n);
  },
);

test('a whole response that is cut off becomes 503 to be retried, and is charged like one whose client left', async () => {
  const person = await newPerson({ credits: 10 });
  const answer = send(person, 'chat', 'sandbox/slow', false);
  await until(
    async () => runningGenerations(),
    (running) => running === 1,
  );
  await until(
    () => prisma().hold.count(),
    (holds) => holds === 1,
  );
  expect(cutOffRunning()).toBe(1);
  const response = await answer;
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await response.json()).error).toMatchObject({
    type: 'overloaded',
    message: 'The service is restarting. Please retry.',
  });
  await endReads();
  const { entries } = await readHistory(person, { limit: 1, offset: 0 });
  expect(entries[0]).toMatchObject({ type: 'usage', usage: { estimated: true } });
  expect(await prisma().hold.count()).toBe(0);
  expect((await checkLedger()).differences).toEqual([]);
});

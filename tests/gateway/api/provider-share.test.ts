import { afterAll, expect, test } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { runningGenerations } from '@/server/gateway/run/run';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { completion } from '../../harness/scripted-responses';
import { until } from '../../harness/until';

process.env.LIMIT_RUNNING_PER_PROVIDER = '2';
await newDatabase();
/** All of its providers hang until they are let go, except `lively`. */
const hanging: (() => void)[] = [];
const upstream = await listenOnLoopback(async (request, response) => {
  const { model } = JSON.parse(await readBody(request));
  if (model !== 'lively') await new Promise<void>((letGo) => hanging.push(letGo));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(completion({ content: 'Hello' }).body));
});
afterAll(() => upstream.close());
configureProviders(upstream.url, [
  { provider: 'silent', format: 'openai' },
  { provider: 'helped', format: 'openai', fallbacks: ['lively'] },
  { provider: 'lively', format: 'openai' },
]);
const api = await startApi();
const person = await newPerson({ credits: 100 });

const send = (provider: string): Promise<Response> =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: modelOf(provider),
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });

/** Takes every place of a provider. Returns a function that lets these requests end. */
async function fill(provider: string): Promise<() => Promise<void>> {
  const requests = [send(provider), send(provider)];
  await until(
    async () => hanging.length,
    (count) => count === 2,
  );
  return async () => {
    for (const letGo of hanging.splice(0)) letGo();
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200]);
    await until(
      async () => runningGenerations(),
      (running) => running === 0,
    );
  };
}

test('a provider that hangs takes its share of the process, and the others go on', async () => {
  const end = await fill('silent');
  const refused = await send('silent');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await refused.json()).error.type).toBe('overloaded');
  expect((await send('lively')).status).toBe(200);
  await end();
});

test('a place is free again once its request has ended', async () => {
  await (await fill('silent'))();
  await (await fill('silent'))();
});

test('a model with a fallback is served by it while its own provider has no place', async () => {
  const end = await fill('helped');
  expect((await send('helped')).status).toBe(200);
  await end();
});

import { expect, test } from 'vitest';
import { runningGenerations } from '@/server/gateway/run/run';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';

process.env.LIMIT_RUNNING_PER_PROCESS = '1';
await newDatabase();
const api = await startApi();
const person = await newPerson({ credits: 100 });
const key = { authorization: `Bearer ${person.userKey}` };
const PATHS = ['/v1/chat/completions', '/v1/messages'];

function post(path: string, headers: Record<string, string>, more: object = {}, signal?: AbortSignal) {
  return fetch(api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'sandbox/echo',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'hi' }],
      ...more,
    }),
    ...(signal && { signal }),
  });
}

const CREDENTIALS: [string, Record<string, string>][] = [
  ['Authorization: Bearer', key],
  ['authorization: bearer, with spaces', { authorization: `bearer   ${person.userKey} ` }],
  ['x-api-key', { 'x-api-key': person.userKey }],
  ['X-User-Key', { 'X-User-Key': person.userKey }],
  ['two keys, one of them a user key', { authorization: 'Bearer sk-other', 'x-api-key': person.userKey }],
];

test.each(PATHS.flatMap((path) => CREDENTIALS.map(([name, headers]) => [path, name, headers] as const)))(
  '%s accepts the key as %s',
  async (path, _, headers) => {
    expect((await post(path, headers)).status).toBe(200);
  },
);

test.each(PATHS)('%s never accepts a key in the URL', async (path) => {
  const response = await post(`${path}?api_key=${person.userKey}&key=${person.userKey}`, {});
  expect([response.status, (await response.json()).error.type]).toEqual([401, 'missing_api_key']);
});

test('a process at its limit returns 503 with Retry-After in both formats', async () => {
  const controller = new AbortController();
  const running = await post(
    '/v1/chat/completions',
    key,
    { model: 'sandbox/stall', stream: true },
    controller.signal,
  );
  expect(running.status).toBe(200);
  for (const path of PATHS) {
    const response = await post(path, key);
    expect([response.status, (await response.json()).error.type]).toEqual([503, 'overloaded']);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('x-should-retry')).toBeNull();
  }

  controller.abort();
  await until(
    async () => runningGenerations(),
    (count) => count === 0,
  );
  expect((await post('/v1/messages', key)).status).toBe(200);
});

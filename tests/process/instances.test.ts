import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '@/server/ledger';
import { buildPages, buildWidget, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { newPerson } from '../harness/people';
import { until } from '../harness/until';
import { Instance } from '../sim/instances';
import { startInVain } from './start-in-vain';

/** `INSTANCES=2`: two workers and their primary, started with one command. */

const TOKEN = 'a token of the tests of instances';
const { url: databaseUrl } = await newDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'instances-'));
const PER_MINUTE = 60;
const environment = {
  NODE_ENV: 'production' as const,
  LOG_LEVEL: 'info',
  ACCESS_LOG: 'true',
  KEEP_LOG: 'yes',
  METRICS_TOKEN: TOKEN,
  AUTH_SECRET: process.env.AUTH_SECRET ?? '',
  DATABASE_URL: databaseUrl,
  SANDBOX: 'open',
  INSTANCES: '2',
  LIMIT_REQUESTS_PER_KEY_PER_MINUTE: String(PER_MINUTE),
};
let service: Instance;

beforeAll(async () => {
  await buildWidget();
  await buildPages();
  await bundleServer();
  service = await Instance.start(folder, environment);
}, 300_000);

afterAll(async () => {
  await service.kill();
  rmSync(folder, { recursive: true });
});

/** A connection of its own, which one worker serves. */
const connect = () => new Client(service.url);

async function ask(client: Client, userKey: string, more: object = {}) {
  const response = await client.request({
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/echo',
      messages: [{ role: 'user', content: 'Tell me about the sea' }],
      ...more,
    }),
  });
  return { status: response.statusCode, text: await response.body.text() };
}

const STORY = { model: 'sandbox/story', max_tokens: 100, stream: true };

/** Resolves when the stream has begun, to the promise of its whole text. */
async function stream(client: Client, userKey: string) {
  const response = await client.request({
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...STORY, messages: [{ role: 'user', content: 'Tell me about the sea' }] }),
  });
  const parts = response.body[Symbol.asyncIterator]();
  let text = String((await parts.next()).value);
  const rest = async () => {
    for await (const part of { [Symbol.asyncIterator]: () => parts }) text += part;
    return text;
  };
  return { text: rest().catch((error: Error) => `${text}\ncut off: ${error.message}`) };
}

const metric = async (name: string) => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
  return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.+)$`, 'm').exec(text)?.[1] ?? NaN);
};

type Line = { worker?: number; instance: string; msg: string; route?: string };
const lines = (): Line[] =>
  service.output
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line));

/** Which processes served a route. */
const servers = (route: string) => [
  ...new Map(
    lines().flatMap(({ worker, instance, route: of }) => (of === route ? [[worker, instance]] : [])),
  ),
];
const pidOf = (instance = '') => Number(instance.split(':').at(-1));

/** Which process serves this connection. */
async function serverOf(client: Client): Promise<{ worker: number; pid: number }> {
  const route = '/v1/balance-of-nobody';
  const before = lines().length;
  await (await client.request({ path: route, method: 'GET' })).body.text();
  const line = await until(
    async () =>
      lines()
        .slice(before)
        .find((one) => one.route === '/v1/*'),
    (found) => found !== undefined,
  );
  return { worker: line?.worker ?? 0, pid: pidOf(line?.instance) };
}

/** Two connections that different workers serve. */
async function connectToBoth() {
  const first = connect();
  const one = await serverOf(first);
  for (;;) {
    const second = connect();
    const other = await serverOf(second);
    if (other.pid !== one.pid) return { first, second, one, other };
    await second.close();
  }
}

const closeAll = (...clients: Client[]) => Promise.all(clients.map((client) => client.destroy()));

test('both workers serve behind one port, their log lines say which, and /metrics sums what they counted', async () => {
  const { userKey } = await newPerson({ credits: 1_000 });
  const { first, second } = await connectToBoth();
  const counted = 'svc_http_requests_total{route="/v1/chat/completions",status="200"}';
  const before = (await metric(counted)) || 0;
  for (const client of [first, second, first]) expect((await ask(client, userKey)).status).toBe(200);
  await closeAll(first, second);
  expect(await metric(counted)).toBe(before + 3);
  expect(
    servers('/v1/chat/completions')
      .map(([worker]) => worker)
      .sort(),
  ).toEqual([1, 2]);
  expect(await metric('svc_database_connections{pool="ledger",state="open"}')).toBeGreaterThanOrEqual(2);
  expect(await metric('svc_ready{check="instances"}')).toBe(1);
});

test('the limit of a key counts its requests on both workers', async () => {
  const { userKey } = await newPerson({ credits: 1_000 });
  const { first, second } = await connectToBoth();
  const begunAt = performance.now();
  const statuses: number[] = [];
  // Each worker alone would allow all of its own.
  for (let i = 0; i < PER_MINUTE; i++)
    for (const client of [first, second]) statuses.push((await ask(client, userKey)).status);
  const seconds = (performance.now() - begunAt) / 1_000;
  await closeAll(first, second);
  const allowed = statuses.filter((status) => status === 200).length;
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  expect(allowed).toBeGreaterThanOrEqual(PER_MINUTE);
  // A burst, one more each second, and those that ran before the primary knew of them.
  expect(allowed).toBeLessThanOrEqual(PER_MINUTE + seconds + 12);
});

test('an attempt to sign in counts on both workers, whichever worker counts it', async () => {
  const { publishableKey } = await newPerson();
  const verify = async (client: Client) => {
    const response = await client.request({
      path: '/v1/auth/verify-code',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        publishable_key: publishableKey,
        email: 'nobody@example.com',
        code: '123456',
        challenge_id: 'chl_x',
      }),
    });
    return `${response.statusCode} ${await response.body.text()}`;
  };
  const { first, second } = await connectToBoth();
  const answers: string[] = [];
  for (let i = 0; i < 35; i++) for (const client of [first, second]) answers.push(await verify(client));
  await closeAll(first, second);
  expect(answers.filter((answer) => answer.startsWith('429')).length, answers[0]).toBeGreaterThan(0);
});

test('a killed worker is replaced while the stream of another goes on, its counts stay, and the books agree', {
  timeout: 60_000,
}, async () => {
  const { userKey } = await newPerson({ credits: 1_000 });
  const { first, second, one, other } = await connectToBoth();
  const kept = await stream(first, userKey);
  const before = await metric('svc_http_requests_total{route="/v1/chat/completions",status="200"}');
  const lost = await stream(second, userKey);
  process.kill(other.pid, 'SIGKILL');
  expect(await lost.text).toContain('cut off');
  expect(await kept.text).toMatch(/data: \[DONE\]\n\n$/);
  await closeAll(first, second);
  const again = await connectToBoth();
  const pids = [again.one.pid, again.other.pid];
  expect(pids).toContain(one.pid);
  expect(pids).not.toContain(other.pid);
  await closeAll(again.first, again.second);
  expect(
    await metric('svc_http_requests_total{route="/v1/chat/completions",status="200"}'),
  ).toBeGreaterThanOrEqual(before);
  expect(lines().filter(({ msg }) => msg.startsWith('an instance ended'))).toHaveLength(1);
  expect((await checkLedger()).differences).toEqual([]);
});

test('the service is not ready while a worker does not respond', { timeout: 30_000 }, async () => {
  const { first, second, other } = await connectToBoth();
  const isReady = async () => {
    const response = await first.request({ path: '/readyz', method: 'GET' });
    return `${response.statusCode} ${await response.body.text()}`;
  };
  expect(await isReady()).toBe('200 {"status":"ok"}');
  process.kill(other.pid, 'SIGSTOP');
  expect(await until(isReady, (answer) => !answer.startsWith('200'))).toContain('"failing":["instances"]');
  process.kill(other.pid, 'SIGCONT');
  await until(isReady, (answer) => answer.startsWith('200'));
  await closeAll(first, second);
});

test('a connection on its way to a worker that dies is closed, and its client does not wait', {
  timeout: 60_000,
}, async () => {
  const { first, second, other } = await connectToBoth();
  await closeAll(first, second);
  process.kill(other.pid, 'SIGSTOP');
  const clients = [connect(), connect(), connect(), connect()];
  const answers = clients.map((client) =>
    client.request({ path: '/livez', method: 'GET', headersTimeout: 20_000 }).then(
      ({ statusCode }) => String(statusCode),
      (error: Error & { code?: string }) => error.code ?? error.message,
    ),
  );
  await Promise.any(answers);
  process.kill(other.pid, 'SIGKILL');
  const outcomes = await Promise.all(answers);
  expect(outcomes.filter((outcome) => outcome === '200').length).toBeGreaterThanOrEqual(3);
  expect(outcomes).not.toContain('UND_ERR_HEADERS_TIMEOUT');
  await closeAll(...clients);
  const again = await connectToBoth();
  await closeAll(again.first, again.second);
});

test('all workers killed at once are replaced', { timeout: 60_000 }, async () => {
  const { first, second, one, other } = await connectToBoth();
  await closeAll(first, second);
  for (const { pid } of [one, other]) process.kill(pid, 'SIGKILL');
  await until(
    () =>
      fetch(`${service.url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
  const again = await connectToBoth();
  await closeAll(again.first, again.second);
});

test('SIGTERM lets the streams of both workers end', { timeout: 60_000 }, async () => {
  const { userKey } = await newPerson({ credits: 1_000 });
  const { first, second } = await connectToBoth();
  const streams = await Promise.all([first, second].map((client) => stream(client, userKey)));
  await until(
    () => metric('svc_generations_running'),
    (running) => running === 2,
  );
  await service.stop(30_000);
  for (const { text } of streams) expect(await text).toMatch(/data: \[DONE\]\n\n$/);
  expect((await checkLedger()).differences).toEqual([]);
  expect(service.log).toContain('Stopping');
});

/** Runs in each process before the server: breaks the second worker. */
function breakSecond(name: string, how: string): Record<string, string> {
  const file = path.join(folder, `${name}.cjs`);
  writeFileSync(file, `if (process.env.INSTANCE_NUMBER === '2') { ${how} }`);
  return { ...environment, DATA_DIR: folder, NODE_OPTIONS: `--require=${file}` };
}

test('a worker that cannot start ends the service with its message, once', { timeout: 60_000 }, async () => {
  const broken = breakSecond('failing', `process.env.DATABASE_URL = 'postgres://nobody@127.0.0.1:1/svc'`);
  const { code, text } = await startInVain(broken);
  expect(code).toBe(1);
  expect(text.match(/Starting failed/g)).toHaveLength(1);
  expect(text).toContain('ECONNREFUSED');
});

test('a worker that is killed while it starts ends the service with one message', {
  timeout: 60_000,
}, async () => {
  const { code, text } = await startInVain(breakSecond('killed', `process.kill(process.pid, 'SIGKILL')`));
  expect({ code, text: text.trim() }).toEqual({
    code: 1,
    text: 'Instance 2 ended before it was ready (SIGKILL).',
  });
});

test('a worker that cannot start again and again ends the service with one message', {
  timeout: 120_000,
}, async () => {
  const seen = JSON.stringify(path.join(folder, 'seen'));
  const { code, text } = await startInVain(
    breakSecond(
      'looping',
      `const fs = require('node:fs');
       if (fs.existsSync(${seen})) process.exit(7);
       // The answer of the primary, when this worker is ready.
       process.on('message', (message) => { if (message.answerTo) { fs.writeFileSync(${seen}, ''); process.exit(7); } });`,
    ),
  );
  expect(code).toBe(1);
  expect(text.match(/Instance 2 ended before it was ready \(exit code 7\)/g)).toHaveLength(1);
});

test('a port in use ends the start with one message', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const { code, text } = await startInVain({ ...environment, DATA_DIR: folder, PORT: String(port) });
  await new Promise((resolve) => taken.close(resolve));
  expect(code).toBe(1);
  expect(text.match(/Port \d+ is in use by another program/g)).toHaveLength(1);
});

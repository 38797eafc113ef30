import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pool } from '@/server/base/db';
import { buildPages, buildWidget, bundleServer } from '../../scripts/steps.mjs';
import { newDatabase } from '../harness';
import { newPerson } from '../harness/people';
import { Instance } from '../sim/instances';
import { startProxy } from './keep-alive-proxy.mjs';
import { startNginx } from './nginx';

/** Two real servers behind a proxy that keeps its connections are restarted one after the other under load. */

const REQUESTS_EVERY_MS = 25;
const STREAMS_EVERY_MS = 250;
/** About two seconds each. */
const STREAM_TOKENS = 50;
const MIN_REQUESTS = 50;
const TOKEN = 'a token of the restart tests';
const STOP_PATIENCE_MS = 15_000;

const { url: databaseUrl } = await newDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'rolling-'));
let first: Instance;
let second: Instance;
const started: Instance[] = [];

beforeAll(async () => {
  await buildWidget();
  await buildPages();
  await bundleServer();
}, 300_000);

/** New ones each time, so that the test can run once more. */
async function startInstances(): Promise<void> {
  await stopInstances();
  const environment = {
    NODE_ENV: 'production' as const,
    LOG_LEVEL: 'info',
    ACCESS_LOG: 'true',
    METRICS_TOKEN: TOKEN,
    KEEP_LOG: 'yes',
    AUTH_SECRET: process.env.AUTH_SECRET ?? '',
    DATABASE_URL: databaseUrl,
    SANDBOX: 'open',
    LIMIT_REQUESTS_PER_KEY_PER_MINUTE: '0',
    LIMIT_RUNNING_PER_USER: '1000',
  };
  [first, second] = await Promise.all([
    Instance.start(path.join(folder, 'first'), environment),
    Instance.start(path.join(folder, 'second'), environment),
  ]);
  started.push(first, second);
}

const stopInstances = () => Promise.all(started.splice(0).map((instance) => instance.stop(STOP_PATIENCE_MS)));

afterAll(async () => {
  await stopInstances();
  rmSync(folder, { recursive: true });
});

test('a rolling restart behind a proxy that keeps its connections fails no request and no stream', {
  timeout: 120_000,
}, async () => {
  await startInstances();
  const { userKey } = await newPerson({ credits: 10_000 });
  const proxy = await startAnyProxy([first.url, second.url]);
  const load = startLoad(proxy.url, userKey);
  await load.untilAnswered(MIN_REQUESTS);
  await first.stop(STOP_PATIENCE_MS);
  await first.run();
  await load.untilAnswered(MIN_REQUESTS);
  await second.stop(STOP_PATIENCE_MS);
  await load.untilAnswered(MIN_REQUESTS);
  await load.end();
  await proxy.close();

  expect(load.failures).toEqual([]);
  // An instance keeps holds for half a second.
  await expect.poll(async () => (await pool().query('SELECT FROM hold')).rowCount).toBe(0);
});

test('the metrics of an instance count its requests by route and status', async () => {
  await fetch(`${first.url}/v1/nothing`);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(`${first.url}/metrics`, { headers })).text();
  expect(text).toMatch(/^svc_http_requests_total\{route="\/v1\/chat\/completions",status="200"\} \d+$/m);
  expect(text).toMatch(/^svc_http_requests_total\{route="\/v1\/\*",status="404"\} 1$/m);
  expect(text).toMatch(/^svc_http_request_duration_seconds_count\{route="\/v1\/models"\} \d+$/m);
  expect(text).toMatch(/^svc_http_requests_running 1$/m);
  expect(text).toMatch(/^svc_http_connections [1-9]\d*$/m);
  expect(text).toMatch(/^svc_background_job_success_timestamp_seconds\{job="leases"\} \d+/m);
});

test('standard output is one JSON object per line, with a line for each request', () => {
  const lines = first.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = lines.filter(({ msg }) => msg === 'request');
  expect(lines.filter((line) => !/^\d+\.\d+\.\d+$/.test(String(line.version)))).toEqual([]);
  expect(new Set(lines.map(({ instance }) => instance)).size).toBe(2);
  expect(requests).toContainEqual({
    level: 30,
    time: expect.any(String),
    instance: expect.any(String),
    version: expect.any(String),
    request_id: expect.stringMatching(/^req_\w{22}$/),
    method: 'POST',
    msg: 'request',
    route: '/v1/chat/completions',
    status: 200,
    duration_ms: expect.any(Number),
  });
});

/** With NGINX=/usr/sbin/nginx, a real one. */
const startAnyProxy = (servers: string[]) =>
  process.env.NGINX ? startNginx(process.env.NGINX, servers) : startProxy(servers);

/** Requests and streams at a fixed rate, whatever the servers do. */
function startLoad(url: string, userKey: string) {
  const agent = new Agent({ connections: null });
  const running = new Set<Promise<void>>();
  const failures: string[] = [];
  let answered = 0;
  const send = async (body: object, end: string) => {
    const { status, text } = await ask(`${url}/v1/chat/completions`, { userKey, agent, body });
    answered++;
    if (status !== 200 || !text.endsWith(end)) failures.push(`${status} ${text.slice(-300)}`);
  };
  const repeat = (everyMs: number, body: object, end: string) =>
    setInterval(() => {
      const sent = send(body, end).catch((error: unknown) => void failures.push(String(error)));
      running.add(sent);
      void sent.finally(() => running.delete(sent));
    }, everyMs);
  const messages = [{ role: 'user', content: 'Tell me about the sea' }];
  const story = { model: 'sandbox/story', max_tokens: STREAM_TOKENS, stream: true, messages };
  const timers = [
    repeat(REQUESTS_EVERY_MS, { model: 'sandbox/echo', messages }, '}'),
    repeat(STREAMS_EVERY_MS, story, 'data: [DONE]\n\n'),
  ];
  return {
    failures,
    untilAnswered: async (more: number) => {
      const wanted = answered + more;
      await vi.waitUntil(() => answered >= wanted, { timeout: 20_000 });
    },
    end: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
      await agent.close();
    },
  };
}

type Call = { userKey: string; agent: Agent; body: object };

async function ask(url: string, { userKey, agent, body }: Call): Promise<{ status: number; text: string }> {
  const response = await request(url, {
    dispatcher: agent,
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.statusCode, text: await response.body.text() };
}

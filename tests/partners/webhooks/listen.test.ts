import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listenOnLoopback } from '@/sandbox/loopback-server';
import { prisma } from '@/server/base/db';
import { createPartner } from '@/server/partners/partner';
import { createSecret, revealSecret } from '@/server/partners/webhooks/signing-secret';
import { verifyWebhook } from '@/widget/loader/webhooks';
import { buildWidget } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { freePort } from '../../harness/free-port';
import { until } from '../../harness/until';
import { recordKey, recordTest } from './hook-world';
import { startReceiver } from './receiver';

/** `svc-listen` of the served package, as its own process, against the API. */

await newDatabase();
const { url: service } = await startApi();
const state = mkdtempSync(path.join(tmpdir(), 'listen-'));
const children: ChildProcess[] = [];

beforeAll(() => buildWidget(), 120_000);
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));
afterAll(() => rmSync(state, { recursive: true }));

type Backend = { id: string; publishableKey: string; secret: string };

async function newBackend(): Promise<Backend> {
  const partner = await createPartner({ name: 'Acme Notes', rateBp: 0, origins: [] });
  await createSecret(partner.id);
  return { ...partner, secret: (await revealSecret(partner.id))?.secret ?? '' };
}

function listen(backend: Backend, target: string, given: Record<string, string> = {}, args: string[] = []) {
  const child = spawn(process.execPath, ['widget/loader/dist/listen.js', '--forward-to', target, ...args], {
    env: {
      NODE_ENV: 'test',
      XDG_STATE_HOME: state,
      SVC_URL: service,
      SVC_PUBLISHABLE_KEY: backend.publishableKey,
      SVC_WEBHOOK_SECRET: backend.secret,
      ...given,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const run = {
    printed: '',
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
    stop: () => {
      child.kill('SIGKILL');
      return run.ended;
    },
  };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      run.printed += text;
    });
  return run;
}

const printedBy = (run: { printed: string }, text: string) =>
  until(
    async () => run.printed,
    (printed) => printed.includes(text),
  );

test('every event arrives signed as a webhook, and a restart continues after the last one', async () => {
  const receiver = await startReceiver(204);
  const backend = await newBackend();
  const [key, next] = [await recordKey(backend.id, 'svc_sk_canary'), await recordTest(backend.id)];
  const first = listen(backend, receiver.url.replace('http://', ''));
  await printedBy(first, `test ${next} → 204`);
  await first.stop();
  const third = await recordTest(backend.id);
  const second = listen(backend, receiver.url);
  await printedBy(second, `test ${third} → 204`);
  expect(receiver.received.map(({ id }) => id).sort()).toEqual([key, next, third].sort());
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3);
  for (const { body, headers } of receiver.received)
    expect(verifyWebhook(body, headers, backend.secret)?.id).toBe(
      headers['x-svc-event'] && JSON.parse(body).id,
    );
  expect(first.printed + second.printed).not.toMatch(/svc_sk_|whsec_/);
});

test('an event waits for an address that does not respond, and a failing one gets three attempts', async () => {
  const port = await freePort();
  const backend = await newBackend();
  const event = await recordTest(backend.id);
  const run = listen(backend, `localhost:${port}`);
  await printedBy(
    run,
    `${event} → localhost:${port} does not respond: ECONNREFUSED. Trying again in 1 seconds`,
  );
  const statuses = [500, 404];
  const server = await listenOnLoopback(async (_, response) => {
    response.writeHead(statuses.shift() ?? 200).end();
  }, port);
  await printedBy(run, `${event} → 500`);
  await printedBy(run, `${event} → 404`);
  const next = await recordTest(backend.id);
  await printedBy(run, `${next} → 200`);
  await server.close();
});

test('a wrong secret, address, option or cursor ends it with one plain sentence', async () => {
  const backend = await newBackend();
  const html = await startReceiver((response) => response.end('<html>'));
  const site = await listenOnLoopback(async (_, response) => {
    response.end('<html>');
  });
  afterAll(() => site.close());
  const unused = `http://127.0.0.1:${await freePort()}`;
  const cases: [Record<string, string>, string[], string][] = [
    [{ SVC_WEBHOOK_SECRET: 'whsec_wrong' }, [], 'This is not the signing secret of the app.'],
    [{ SVC_WEBHOOK_SECRET: '' }, [], 'The signing secret is missing: set SVC_WEBHOOK_SECRET'],
    [{ SVC_PUBLISHABLE_KEY: 'svc_pk_none' }, [], 'Unknown publishable key.'],
    [{ SVC_PUBLISHABLE_KEY: '' }, [], 'The publishable key (svc_pk_…) is missing'],
    [{ SVC_URL: unused }, [], `${unused} cannot be reached: ECONNREFUSED`],
    [{ SVC_URL: site.url }, [], `${site.url} is not a service with events: /v1/events returned 200`],
    [{ SVC_URL: 'http://pay.example.com' }, [], 'must begin with https://'],
    [{ SVC_URL: 'nonsense' }, [], 'SVC_URL: nonsense is not a URL'],
    [{}, ['--after', 'evt_none'], '--after: the event evt_none does not exist'],
    [{}, ['--secret', 'x'], "Unknown option '--secret'"],
  ];
  for (const [given, args, sentence] of cases) {
    const run = listen(backend, html.url, given, args);
    expect(await run.ended).toBe(1);
    const problem = run.printed.split('\n').filter((line) => line.startsWith('svc-listen:'));
    expect(problem).toEqual([expect.stringContaining(sentence)]);
    expect(run.printed).not.toContain('whsec_wrong');
  }
}, 60_000);

test('it begins again with the oldest event when the last one is no longer kept', async () => {
  const receiver = await startReceiver(200);
  const backend = await newBackend();
  const old = await recordTest(backend.id);
  const before = readdirSync(path.join(state, 'svc-listen')).length;
  const first = listen(backend, receiver.url);
  await printedBy(first, `${old} → 200`);
  await first.stop();
  expect(readdirSync(path.join(state, 'svc-listen')).length).toBe(before + 1);
  await prisma().event.delete({ where: { id: old } });
  const fresh = await recordTest(backend.id);
  const second = listen(backend, receiver.url);
  await printedBy(second, `${fresh} → 200`);
  expect(second.printed).toContain('Beginning with the oldest one.');
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { afterAll, expect, test, vi } from 'vitest';
import { createPartner } from '@/server/partners/partner';
import { signatureHeader } from '@/server/partners/webhooks/sign';
import { createSecret, revealSecret } from '@/server/partners/webhooks/signing-secret';
import {
  events,
  type SvcEvent,
  type WebhookOptions,
  webhookExpress,
  webhookHono,
  webhookRoute,
} from '@/widget/loader/server';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { recordTest } from './hook-world';

/** `svc-checkout/server`: route handlers for webhooks, and the events of the API. */

await newDatabase();
const { url: service } = await startApi();

const SECRET = 'whsec_one';
const BODY = JSON.stringify({ id: 'evt_1', type: 'test', data: { message: 'Grüße 👋' } });
const signed = (body = BODY, secret = SECRET) => ({
  'content-type': 'application/json',
  'x-svc-signature': signatureHeader(secret, body, Math.floor(Date.now() / 1000)),
});

type Send = (body: string, headers: Record<string, string>) => Promise<Response>;

/** As Express calls a handler, without the framework: with Node's request, or with a body that a parser left. */
async function overNode(options: WebhookOptions, leaveBody?: (raw: Buffer) => unknown): Promise<Send> {
  const handle = webhookExpress(options);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    if (leaveBody) for await (const chunk of request) chunks.push(chunk as Buffer);
    const given = leaveBody ? Object.assign(request, { body: leaveBody(Buffer.concat(chunks)) }) : request;
    handle(given, response).catch(({ message }: Error) => response.writeHead(500).end(message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (body, headers) => fetch(url, { method: 'POST', body, headers });
}

const direct =
  (handle: (request: Request) => Response | Promise<Response>): Send =>
  async (body, headers) =>
    handle(new Request('https://app.example/svc', { method: 'POST', body, headers }));

const WAYS: [string, (options: WebhookOptions) => Send | Promise<Send>][] = [
  ['a route of Next.js', (options) => direct(webhookRoute(options))],
  [
    'Hono',
    (options) => {
      const app = new Hono();
      app.post('/svc', webhookHono(options));
      return direct((request) => app.fetch(request));
    },
  ],
  ['Express', (options) => overNode(options)],
  ['Express with express.raw()', (options) => overNode(options, (raw) => raw)],
];

test.each(WAYS)('%s passes on genuine events only, and a failed one arrives again', async (_, open) => {
  const onEvent = vi.fn<(event: SvcEvent) => void>();
  const send = await open({ secret: SECRET, onEvent });
  expect((await send(BODY, signed())).status).toBe(204);
  const forged = [signed(BODY, 'whsec_two'), signed('{}'), {}];
  for (const headers of forged)
    expect((await send(BODY, headers as Record<string, string>)).status).toBe(400);
  const large = 'x'.repeat(1_000_001);
  expect((await send(large, signed(large))).status).toBe(413);
  expect(onEvent.mock.calls).toEqual([[JSON.parse(BODY)]]);
});

test('a body that was parsed before is a clear error, and so is a missing secret', async () => {
  const send = await overNode({ secret: SECRET, onEvent() {} }, (raw) => JSON.parse(String(raw)));
  expect(await (await send(BODY, signed())).text()).toContain('before express.json()');
  expect(() => webhookRoute({ secret: '', onEvent() {} })).toThrow('the signing secret is missing');
});

async function newBackend() {
  const { id, publishableKey } = await createPartner({ name: 'Acme Notes', rateBp: 0, origins: [] });
  await createSecret(id);
  return { id, source: { service, publishableKey, secret: (await revealSecret(id))?.secret ?? '' } };
}

test('events() yields every event once, resumes after the last one, and waits for new ones until it is stopped', async () => {
  const { id, source } = await newBackend();
  const sent: string[] = [];
  for (let count = 0; count < 101; count++) sent.push(await recordTest(id, `${count}`));
  const read: string[] = [];
  for await (const event of events({ ...source, follow: false })) {
    read.push(event.id);
    if (read.length === 60) break;
  }
  for await (const event of events({ ...source, follow: false, after: read.at(-1) ?? '' }))
    read.push(event.id);
  expect(read).toEqual(sent);

  const abort = new AbortController();
  const after = sent.at(-2) ?? '';
  const following = events({ ...source, after, signal: abort.signal });
  expect((await following.next()).value?.id).toBe(sent.at(-1));
  const next = following.next();
  abort.abort(new Error('stopped'));
  await expect(next).rejects.toThrow('stopped');
});

test('events() says what is wrong with a cursor, a secret and an address', async () => {
  const { source } = await newBackend();
  const read = (given: object) => events({ ...source, ...given }).next();
  await expect(read({ after: 'evt_unknown' })).rejects.toThrow('Start without "after"');
  await expect(read({ secret: 'whsec_wrong' })).rejects.toThrow(/signing secret/i);
  await expect(read({ service: 'http://127.0.0.1:9' })).rejects.toThrow('cannot be reached');
  await expect(read({ service: 'http://pay.example.com' })).rejects.toThrow('must begin with https://');
});

test.each([
  ['a date', 'Sat, 28 Nov 2026 20:00:00 GMT', 1_000],
  ['more than a timer can take', '9999999999', 3_600_000],
  ['seconds', '7', 7_000],
])(
  'events() waits when a proxy asks it to with %s, and never asks without a pause',
  async (_, retryAfter, waitMs) => {
    let asked = 0;
    const proxy = createServer((_request, response) => {
      asked++;
      response.writeHead(503, { 'retry-after': retryAfter }).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    afterAll(() => void proxy.close());
    const abort = new AbortController();
    const waits: number[] = [];
    const onRetry = (retry: { waitMs: number }) => {
      waits.push(retry.waitMs);
      abort.abort(new Error('stopped'));
    };
    const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const own = { service: at, publishableKey: 'svc_pk_x', secret: 'whsec_x', signal: abort.signal, onRetry };
    await expect(events(own).next()).rejects.toThrow('stopped');
    expect([asked, waits]).toEqual([1, [waitMs]]);
  },
);

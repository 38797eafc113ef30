import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoopbackServer, listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { speak, toWav } from '@/sandbox/provider/tones';
import { DEVICE_GRANT } from '@/server/api/oauth';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import {
  bookPurchase,
  grantCredits,
  OUTSIDE_ANY_APP,
  openUserApp,
  resumeSpending,
  saveAllowance,
  stopSpending,
} from '@/server/ledger';
import { createPartner } from '@/server/partners/partner';
import { setEndpoint } from '@/server/partners/webhooks/endpoint';
import { decideDevice } from '@/server/people/device-authorization';
import { listDevices } from '@/server/people/devices';
import { revokeSession } from '@/server/people/keys/revoke';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { buildPages, bundleServer } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { until } from '../../harness/until';
import { newPayout } from '../../payments/payouts/payout-in-state';
import { Instance } from '../../sim/instances';
import { Dashboard } from './dashboard';
import { openMailbox, wrongCode } from './mailbox';

/** A user with a unique address uses every feature, on two real instances. */

const EMAIL = 'canary.q7xz@nowhere-else.example';
const OWNER = 'owner.of.the.app@example.com';

process.env.WEBHOOK_ALLOW_LOOPBACK = 'true';
const { url: databaseUrl } = await newDatabase();
const mailbox = await openMailbox();
const folder = mkdtempSync(path.join(tmpdir(), 'canary-'));
let [one, two]: Instance[] = [];
let receiver: LoopbackServer;

/** Everything that a partner could read, with its source. */
const seen: { where: string; text: string }[] = [];

beforeAll(async () => {
  await buildPages();
  await bundleServer();
  receiver = await listenOnLoopback(async (request, response) => {
    seen.push({ where: 'webhook', text: JSON.stringify(request.rawHeaders) + (await readBody(request)) });
    response.writeHead(204).end();
  });
  const environment = {
    NODE_ENV: 'production' as const,
    LOG_LEVEL: 'trace',
    KEEP_LOG: 'yes',
    AUTH_SECRET: process.env.AUTH_SECRET ?? '',
    DATABASE_URL: databaseUrl,
    SMTP_URL: process.env.SMTP_URL ?? '',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LIMIT_CODE_RESEND_SECONDS: '0',
  };
  [one, two] = await Promise.all(
    ['one', 'two'].map((name) => Instance.start(path.join(folder, name), environment)),
  );
}, 300_000);

afterAll(async () => {
  await Promise.all([one?.stop(), two?.stop(), receiver?.close()]);
  rmSync(folder, { recursive: true });
});

type Call = { method?: string; body?: unknown; key?: string; cookie?: string };

/** Sends a request to an instance and records the whole response. */
const isForm = (body: unknown): body is FormData => body instanceof FormData;

async function call(instance: Instance | undefined, where: string, { method, body, key, cookie }: Call = {}) {
  const response = await fetch(`${instance?.url}${where}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(body !== undefined && !isForm(body) && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { cookie: `${SESSION_COOKIE}=${cookie}` }),
    },
    ...(body !== undefined && { body: isForm(body) ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  seen.push({ where: `${where} ${response.status}`, text: JSON.stringify([...response.headers]) + text });
  return { status: response.status, json: () => JSON.parse(text) as Record<string, unknown> };
}

test('no response to a partner and no log line contains a user’s e-mail address or account id, and logging out a device applies to both instances', async () => {
  const partner = await createPartner({ name: 'Watched app', rateBp: 2_500, origins: [], ownerEmail: OWNER });
  const pk = partner.publishableKey;
  await setEndpoint(partner.id, `${receiver.url}/hook`);

  const sent = (
    await call(one, '/v1/auth/send-code', { body: { publishable_key: pk, email: EMAIL } })
  ).json();
  const code = mailbox.lastCode();
  const entry = { publishable_key: pk, challenge_id: sent.challenge_id, email: EMAIL };
  const wrong = await call(two, '/v1/auth/verify-code', { body: { ...entry, code: wrongCode(code) } });
  expect(wrong.status).toBe(400);
  const verified = await call(two, '/v1/auth/verify-code', {
    body: { ...entry, code, metadata: { seat: 7 } },
  });
  expect(verified.status).toBe(200);
  const key = String(verified.json().user_key);
  const { id: userId } = await prisma().user.findUniqueOrThrow({ where: { email: EMAIL } });
  await inTransaction(async (tx) => {
    const money = { userId, credits: wholeCredits(100) };
    await bookPurchase(tx, { ...money, partnerId: partner.id, sessionId: 'cks_canary' });
    await openUserApp(tx, { userId, partnerId: OUTSIDE_ANY_APP, appUserId: 'au_canary' });
    await grantCredits(tx, { ...money, partnerId: OUTSIDE_ANY_APP, grantId: 'canary', note: 'a gift' });
    await saveAllowance(tx, { userId, partnerId: partner.id, allowance: wholeCredits(5), saveId: 'canary' });
  });

  await callEveryEndpoint(pk, key);
  await readPartnerPages(partner.id);

  for (const instance of [one, two])
    expect((await call(instance, '/v1/credits/balance', { key })).status).toBe(200);
  await logOutOnDashboard(userId);
  for (const instance of [one, two]) {
    for (const where of ['/v1/credits/balance', '/v1/credits/history', '/v1/models/x'])
      expect((await call(instance, where, { key })).status).toBe(where.includes('models') ? 404 : 401);
    const body = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }] };
    expect((await call(instance, '/v1/chat/completions', { key, body })).status).toBe(401);
  }
  await until(
    async () => seen.filter(({ where }) => where === 'webhook').map(({ text }) => text),
    (texts) => texts.some((text) => text.includes('session_revoked')),
  );
  const logs = [one, two].map((instance) => ({ where: 'log', text: instance?.log ?? '' }));
  expect(logs.every(({ text }) => text.length > 0)).toBe(true);
  // Prove that the search covers what was shown.
  expect(seen.filter(({ text }) => text.includes(partner.name)).length).toBeGreaterThan(2);
  const leaks = [...seen, ...logs].flatMap(({ where, text }) =>
    tracesOf(EMAIL, userId)
      .filter((trace) => text.toLowerCase().includes(trace.toLowerCase()))
      .map((trace) => `${where}: ${trace}`),
  );
  expect(leaks).toEqual([]);
}, 300_000);

async function callEveryEndpoint(pk: string, key: string): Promise<void> {
  const request = { model: 'sandbox/echo', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
  for (const where of ['/v1/chat/completions', '/v1/messages']) {
    for (const more of [{}, { stream: true }, { model: 'none/none' }, { messages: 7 }])
      await call(one, where, { key, body: { ...request, ...more } });
    await call(one, where, { key: `${key}x`, body: request });
  }
  const question = { model: 'sandbox/echo', max_output_tokens: 20, input: 'hello' };
  for (const more of [{}, { stream: true }, { input: 7 }, { previous_response_id: 'resp_x' }])
    await call(one, '/v1/responses', { key, body: { ...question, ...more } });
  for (const more of [{}, { input: 7 }, { model: 'sandbox/echo' }])
    await call(one, '/v1/embeddings', { key, body: { model: 'sandbox/embed', input: 'hello', ...more } });
  for (const more of [{}, { input: 7 }])
    await call(one, '/v1/moderations', {
      key,
      body: { model: 'sandbox/moderation', input: 'hello', ...more },
    });
  for (const more of [{}, { query: 7 }])
    await call(one, '/v1/rerank', {
      key,
      body: { model: 'sandbox/rerank', query: 'hello', documents: ['hello'], ...more },
    });
  const image = { type: 'image_url', image_url: 'https://example.com/a.png' };
  for (const more of [{}, { document: 7 }])
    await call(one, '/v1/ocr', { key, body: { model: 'sandbox/ocr', document: image, ...more } });
  for (const model of ['sandbox/listen', 'sandbox/listen-error-500', 'sandbox/echo'])
    for (const where of ['transcriptions', 'translations']) {
      const body = new FormData();
      body.append('model', model);
      body.append('file', new File([new Uint8Array(toWav(speak('hello')))], 'a.wav'));
      await call(one, `/v1/audio/${where}`, { key, body });
    }
  for (const more of [{}, { input: 7 }, { model: 'sandbox/echo' }])
    await call(one, '/v1/audio/speech', {
      key,
      body: { model: 'sandbox/speak', input: 'hello', voice: 'alloy', ...more },
    });
  const images = [{ image_url: 'https://example.com/a.png' }];
  for (const more of [{}, { stream: true }, { prompt: 7 }, { model: 'sandbox/echo' }])
    for (const where of ['generations', 'edits'])
      await call(one, `/v1/images/${where}`, {
        key,
        body: { model: 'sandbox/paint', prompt: 'hello', quality: 'low', images, ...more },
      });
  for (const more of [{}, { prompt: 7 }, { model: 'sandbox/echo' }])
    await call(one, '/v1/videos', { key, body: { model: 'sandbox/film', prompt: 'hello', ...more } });
  const params = {
    model: 'sandbox-anthropic/echo',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
  };
  for (const more of [{}, { model: 'sandbox/echo' }, { max_tokens: 'x' }])
    await call(one, '/v1/messages/batches', {
      key,
      body: { requests: [{ custom_id: 'a', params: { ...params, ...more } }] },
    });
  await call(one, '/v1/batches', {
    key,
    body: { input_file_id: 'file_x', endpoint: '/v1/responses', completion_window: '24h' },
  });
  const order = { publishable_key: pk, amount: 5, currency: 'usd', metadata: { seat: 8 } };
  const bought = await call(one, '/v1/credits/checkout', { key, body: order });
  const history = await call(two, '/v1/credits/history', { key });
  const [entry] = history.json().data as { request_id?: string }[];
  for (const where of [
    `/v1/credits/checkout/${bought.json().session_id}`,
    `/v1/credits/receipts/${entry?.request_id}`,
    `/v1/credits/pricing?publishable_key=${pk}`,
    '/v1/credits/balance',
    '/v1/credits/statements',
    '/.well-known/jwks.json',
    '/v1/models',
    '/v1/responses/resp_x',
    '/v1/videos',
    '/v1/videos/video_x',
    '/v1/videos/video_x/content',
    '/v1/files',
    '/v1/files/file_x',
    '/v1/files/file_x/content',
    '/v1/batches',
    '/v1/batches/batch_x',
    '/v1/messages/batches',
    '/v1/messages/batches/msgbatch_x',
    '/v1/messages/batches/msgbatch_x/results',
  ])
    await call(two, where, { key });
  const exchange = { grant_type: 'signin_token', publishable_key: pk, token: 'svc_st_x', code_verifier: 'x' };
  await call(one, '/auth/token', { body: exchange });
  const client = { client_id: pk };
  const begun = (await call(one, '/oauth/device', { body: client })).json();
  const poll = { ...client, grant_type: DEVICE_GRANT, device_code: begun.device_code };
  await call(two, '/oauth/token', { body: poll });
  const { id: userId } = await prisma().user.findUniqueOrThrow({ where: { email: EMAIL } });
  const { sessionId } = await inTransaction((tx) => openSession(tx, { userId, userAgent: 'test' }));
  await decideDevice(String(begun.user_code), { userId, sessionId, clientIp: '' }, 'allow');
  const granted = await call(two, '/oauth/token', { body: poll });
  expect(granted.status).toBe(200);
  const token = String(granted.json().access_token);
  const { partnerId } = await prisma().userKey.findFirstOrThrow({ where: { userId } });
  await inTransaction((tx) => stopSpending(tx, { userId, partnerId }));
  for (const where of ['/v1/chat/completions', '/v1/messages']) {
    const refused = await call(one, where, { key: token, body: request });
    expect([refused.status, JSON.stringify(refused.json())]).toEqual([
      402,
      expect.stringContaining('/continue?'),
    ]);
  }
  await inTransaction((tx) => resumeSpending(tx, { userId, partnerId }));
  await call(one, '/oauth/revoke', { body: { token } });
  const { sessionId: ofTool } = await prisma().userKey.findFirstOrThrow({
    where: { id: String(granted.json().key_id) },
  });
  for (const id of [sessionId, ofTool ?? '']) await inTransaction((tx) => revokeSession(tx, id));
}

/** Redirects to the page of payouts. */
const LEADS_BACK = '/payouts/account';

/** Reads everything that the partner's dashboard shows and exports, as the owner of the app. */
async function readPartnerPages(partnerId: string): Promise<void> {
  const cookie = await openSessionOf(OWNER);
  const { id: event } = await prisma().event.findFirstOrThrow({ where: { partnerId } });
  const { teamId } = await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } });
  const { id: payout } = await newPayout({ state: 'sent', method: 'manual', teamId: teamId ?? '' });
  const { id: used } = await prisma().ledgerTransaction.findFirstOrThrow({
    where: { partnerId, kind: 'usage' },
  });
  const places = readdirSync('app/(partner)/partner/[app]', { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)(page\.tsx|route(\.api)?\.ts)$/.test(file))
    .map((file) =>
      `/${file}`
        .replace(/\/\(\w+\)(?=\/)|\/(page\.tsx|route(\.api)?\.ts)$/g, '')
        .replace('[event]', event)
        .replace('[payout]', payout)
        .replace('[request]', `req_${used.slice('txn_'.length)}`),
    )
    .filter((place) => place !== LEADS_BACK);
  for (const place of places) {
    const { status } = await call(one, `/partner/${partnerId}${place}`, { cookie });
    expect([place, status]).toEqual([place, 200]);
  }
}

/** Logs out the device of the app as the user, on a page of the first instance. */
async function logOutOnDashboard(userId: string): Promise<void> {
  const [{ sessionId } = { sessionId: '' }] = await listDevices(userId);
  const dashboard = new Dashboard(one?.url.replace('127.0.0.1', 'localhost') ?? '');
  const sender = { token: await openSessionOf(EMAIL), headers: dashboard.ownPage };
  expect((await dashboard.call('logOutOne', { sessionId }, sender)).result).toMatchObject({ ok: true });
}

const openSessionOf = (email: string): Promise<string> =>
  inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    return (await openSession(tx, { userId, userAgent: 'test' })).token;
  });

/** Returns the values as they are and in common encodings. */
function tracesOf(...values: string[]): string[] {
  return values.flatMap((value) => [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('hex'),
    createHash('sha256').update(value).digest('hex'),
    createHash('sha256').update(value).digest('base64url'),
  ]);
}

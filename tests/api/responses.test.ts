import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { listenOnLoopback } from '@/sandbox/loopback-server';
import { startSandboxPayments } from '@/sandbox/payments/server';
import { speak, toWav } from '@/sandbox/provider/tones';
import { DEVICE_GRANT } from '@/server/api/oauth';
import { buildDocument } from '@/server/api/openapi/document';
import { DAY_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { seal } from '@/server/base/seal';
import { lookAfterBatches } from '@/server/gateway/run/batches/look-after-batches';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { stopSpending } from '@/server/ledger';
import { disablePartner, setAllowedModels } from '@/server/partners/partner';
import type { EventData, EventType } from '@/server/partners/webhooks/events';
import { recordEvent } from '@/server/partners/webhooks/record';
import { createSecret, revealSecret } from '@/server/partners/webhooks/signing-secret';
import { decideDevice } from '@/server/people/device-authorization';
import { openSession } from '@/server/people/sessions';
import { issueSignInToken } from '@/server/people/sign-in-tokens';
import { closeDay } from '@/server/reports/statements/close-days';
import { newDatabase } from '../harness';
import { startApi } from '../harness/api-server';
import { whileDatabaseIsBusy } from '../harness/busy-database';
import { newPerson, type Person } from '../harness/people';
import { forge } from '../ledger/forged-rows';
import { openMailbox, wrongCode } from '../people/identity/mailbox';
import { startChecking } from './check-response';

/** Validates every documented response of every endpoint of the running server against the document. */

const scanner = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const scannerKeys = await listenOnLoopback(async (_request, response) => {
  const key = scanner.publicKey.export({ type: 'spki', format: 'pem' });
  response.end(JSON.stringify({ public_keys: [{ key_identifier: 'scanner', key, is_current: true }] }));
});
afterAll(() => scannerKeys.close());
process.env.SECRET_SCANNING_KEYS_URL = scannerKeys.url;

await newDatabase();
const mailbox = await openMailbox();
const payments = await startSandboxPayments({
  secretKey: 'sk_test_document',
  webhookUrl: 'http://127.0.0.1:9/',
  webhookSecret: 'whsec_document',
  store: { load: async () => [], save: async () => {}, clear: async () => {} },
  webhookRetryDelaysMs: [],
});
Object.assign(process.env, {
  STRIPE_SECRET_KEY: 'sk_test_document',
  STRIPE_WEBHOOK_SECRET: 'whsec_document',
  STRIPE_API_BASE: payments.url,
});
const { url } = await startApi();
const document = buildDocument();
const { call, seen } = startChecking(url, document);

/** Changes settings while the function runs. */
async function withSettings(
  changed: Partial<ReturnType<typeof settings>>,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = { ...settings() };
  Object.assign(settings(), changed);
  await work().finally(() => Object.assign(settings(), before));
}

const funded = await newPerson({ credits: 1_000 });
const unfunded = await newPerson();
const stopped = await newPerson();
await inTransaction((tx) => stopSpending(tx, { userId: stopped.userId, partnerId: stopped.partnerId }));
const limited = await newPerson({ credits: 100 });
await setAllowedModels(limited.partnerId, ['sandbox/echo']);
const paused = await newPerson({ credits: 100 });
await disablePartner(paused.partnerId);

const as = ({ userKey }: Person): Record<string, string> => ({ authorization: `Bearer ${userKey}` });
const BAD_KEY = { authorization: `Bearer ${funded.userKey.slice(0, -1)}` };
const GENERATION = { max_tokens: 12, messages: [{ role: 'user', content: 'Tell me of the sea' }] };
const generation = (model: string, more: object = {}) => ({ model, ...GENERATION, ...more });
const tooLong = (megabytes: number) => new Blob([new Uint8Array(megabytes * 2 ** 20)]);

/** Sends a request with one key twice, another with that key, and one whose response is not kept twice. */
async function repeat(
  operation: string,
  send: (headers: Record<string, string>, more: object) => Promise<Response>,
): Promise<void> {
  const keyed = (key: string) => ({ ...as(funded), 'idempotency-key': `${operation} ${key}` });
  const status = async (key: string, more = {}) => (await send(keyed(key), more)).status;
  expect([await status('one'), await status('one')]).toEqual([200, 200]);
  expect(await status('one', { temperature: 0.5 })).toBe(409);
  await withSettings({ KEEP_REPLAYS_HOURS: 0 }, async () =>
    expect([await status('two'), await status('two')]).toEqual([200, 409]),
  );
}

describe.each([
  ['POST /v1/chat/completions', 'sandbox', 'error-400'],
  ['POST /v1/messages', 'sandbox-anthropic', 'error-400'],
])('%s', (operation, provider) => {
  const expectStatus = async (status: number, headers: Record<string, string>, body: unknown) =>
    expect((await call(operation, { headers, body })).status).toBe(status);

  test('returns whole and streamed responses, in its own format and from the other', async () => {
    const models = [`${provider}/echo`, 'sandbox/story', 'sandbox-anthropic/story', 'sandbox/tool'];
    const variants = [{}, { stream: true }, { stream: true, stream_options: { include_usage: true } }];
    await Promise.all(
      models.flatMap((model) =>
        variants.map((variant) => expectStatus(200, as(funded), generation(model, variant))),
      ),
    );
  });

  test('returns documented errors when a provider breaks off', async () => {
    await expectStatus(200, as(funded), generation(`${provider}/cut`, { stream: true }));
  });

  test('repeats with documented responses', async () => {
    await repeat(operation, (headers, more) =>
      call(operation, { headers, body: generation(`${provider}/story`, more) }),
    );
  });

  test('refuses with documented errors', async () => {
    await expectStatus(400, as(funded), { model: 'sandbox/echo' });
    await expectStatus(400, as(funded), 'no JSON');
    await expectStatus(401, {}, generation('sandbox/echo'));
    await expectStatus(401, BAD_KEY, generation('sandbox/echo'));
    await expectStatus(402, as(unfunded), generation('sandbox/echo'));
    await expectStatus(403, as(limited), generation('sandbox/story'));
    await expectStatus(403, as(paused), generation('sandbox/echo'));
    await expectStatus(404, as(funded), generation('sandbox/nothing'));
    await expectStatus(413, as(funded), tooLong(33));
    await withSettings({ LIMIT_RUNNING_PER_USER: 0 }, () =>
      expectStatus(429, as(funded), generation('sandbox/echo')),
    );
    await expectStatus(502, as(funded), generation(`${provider}/error-500`));
    await withSettings({ LIMIT_RUNNING_PER_PROCESS: 0 }, () =>
      expectStatus(503, as(funded), generation('sandbox/echo')),
    );
  });
});

test('POST /v1/responses, and one that is kept', async () => {
  const operation = 'POST /v1/responses';
  const question = { model: 'sandbox/tool', input: 'Tell me of the sea', max_output_tokens: 12 };
  const tools = [{ type: 'function', name: 'get_weather' }];
  const send = (body: object, headers = as(funded)) =>
    call(operation, { headers, body: { ...question, ...body } });
  const { id } = await (await send({ tools })).json();
  for (const model of ['sandbox/tool', 'sandbox/story', 'sandbox-anthropic/story', 'sandbox/cut'])
    expect((await send({ model, tools, stream: true })).status).toBe(200);
  await repeat(operation, (headers, more) => send(more, headers));
  expect((await send({ background: true })).status).toBe(400);
  expect((await send({}, {})).status).toBe(401);
  expect((await send({}, BAD_KEY)).status).toBe(401);
  expect((await send({}, as(unfunded))).status).toBe(402);
  expect((await send({}, as(limited))).status).toBe(403);
  expect((await send({}, as(paused))).status).toBe(403);
  expect((await send({ model: 'sandbox/nothing' })).status).toBe(404);
  await call(operation, { headers: as(funded), body: tooLong(33) });
  await withSettings({ LIMIT_RUNNING_PER_USER: 0 }, async () => void (await send({})));
  expect((await send({ model: 'sandbox/error-500' })).status).toBe(502);
  await withSettings({ LIMIT_RUNNING_PER_PROCESS: 0 }, async () => void (await send({})));

  const one = { path: `/v1/responses/${id}` };
  const read = 'GET /v1/responses/{id}';
  expect((await call(read, { headers: as(funded), ...one })).status).toBe(200);
  expect((await call(read, { headers: as(unfunded), ...one })).status).toBe(404);
  expect((await call(read, { headers: as(paused), ...one })).status).toBe(403);
  expect((await call(read, one)).status).toBe(401);
  expect((await call(read, { headers: as(funded), ...one, query: '?stream=true' })).status).toBe(400);

  const items = 'GET /v1/responses/{id}/input_items';
  const its = { path: `/v1/responses/${id}/input_items` };
  expect((await call(items, { headers: as(funded), ...its })).status).toBe(200);
  expect((await call(items, { headers: as(funded), ...its, query: '?limit=0' })).status).toBe(400);
  const remove = 'DELETE /v1/responses/{id}';
  for (const [asked, where] of [
    [items, its],
    [remove, one],
  ] as const) {
    expect((await call(asked, where)).status).toBe(401);
    expect((await call(asked, { headers: as(paused), ...where })).status).toBe(403);
  }
  expect((await call(remove, { headers: as(funded), ...one })).status).toBe(200);
  expect((await call(remove, { headers: as(funded), ...one })).status).toBe(404);
  expect((await call(items, { headers: as(funded), ...its })).status).toBe(404);
});

test('POST /v1/videos, and the video', async () => {
  const operation = 'POST /v1/videos';
  const send = (body: object, headers = as(funded)) =>
    call(operation, { headers, body: { model: 'sandbox/film', prompt: 'The sea', seconds: 1, ...body } });
  const { id } = await (await send({})).json();
  await repeat(operation, (headers, more) => send(more, headers));
  expect((await send({ prompt: '' })).status).toBe(400);
  expect((await send({ prompt: 'something forbidden' })).status).toBe(400);
  expect((await send({}, {})).status).toBe(401);
  expect((await send({}, as(unfunded))).status).toBe(402);
  expect((await send({}, as(paused))).status).toBe(403);
  expect((await send({ model: 'sandbox/nothing' })).status).toBe(404);
  expect((await send({ prompt: 'error 500' })).status).toBe(502);
  await call(operation, { headers: as(funded), body: tooLong(33) });
  await withSettings({ LIMIT_RUNNING_PER_USER: 0 }, async () => void (await send({})));
  await withSettings({ LIMIT_RUNNING_PER_PROCESS: 0 }, async () => void (await send({})));

  const list = 'GET /v1/videos';
  expect((await call(list, { headers: as(funded) })).status).toBe(200);
  expect((await call(list, { headers: as(funded), query: '?limit=0' })).status).toBe(400);
  expect((await call(list)).status).toBe(401);
  expect((await call(list, { headers: as(paused) })).status).toBe(403);
  const [read, content, remove] = [
    'GET /v1/videos/{id}',
    'GET /v1/videos/{id}/content',
    'DELETE /v1/videos/{id}',
  ];
  const one = { headers: as(funded), path: `/v1/videos/${id}` };
  const film = { headers: as(funded), path: `/v1/videos/${id}/content` };
  expect((await call(read, one)).status).toBe(200);
  expect((await call(content, film)).status).toBe(404);
  setClock(() => Date.now() + 60_000);
  for (let look = 0; look < 3; look++) {
    await lookAfterVideos();
    await pool().query(`UPDATE video_job SET next_look_at = '2000-01-01' WHERE id = $1`, [id]);
  }
  setClock();
  expect((await call(read, one)).status).toBe(200);
  expect((await call(content, film)).status).toBe(200);
  await pool().query('UPDATE video_job SET url = $2 WHERE id = $1', [
    id,
    seal('http://127.0.0.1:9/film.mp4', `video_job:url:${id}`),
  ]);
  expect((await call(content, film)).status).toBe(502);
  for (const [asked, { path }] of [
    [read, one],
    [content, film],
    [remove, one],
  ] as const) {
    expect((await call(asked, { path })).status).toBe(401);
    expect((await call(asked, { headers: as(paused), path })).status).toBe(403);
    expect((await call(asked, { headers: as(unfunded), path })).status).toBe(404);
  }
  expect((await call(remove, one)).status).toBe(200);
});

const newUpload = (content: string): FormData => {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([content]), 'lines.jsonl');
  return form;
};
const batchLine = (model: string, more = {}) =>
  JSON.stringify({
    custom_id: 'a',
    method: 'POST',
    url: '/v1/chat/completions',
    body: generation(model, more),
  });
const batchOf = (input_file_id: string) => ({
  input_file_id,
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
});
const messageBatch = (model: string, more = {}) => ({
  requests: [{ custom_id: 'a', params: generation(model, more) }],
});

/** Nothing listens there. */
const DEAD_PROVIDERS = {
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
  ANTHROPIC_API_KEY: 'none',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/v1',
};

async function lookUntilOver(id: string): Promise<void> {
  for (let look = 0; look < 3; look++) {
    await pool().query(`UPDATE batch_job SET next_look_at = '2000-01-01' WHERE id = $1`, [id]);
    await lookAfterBatches();
  }
}

test('POST /v1/files, and the file', async () => {
  const upload = (body: unknown, headers = as(funded)) => call('POST /v1/files', { headers, body });
  const { id } = await (await upload(newUpload('{}'))).json();
  expect((await upload({})).status).toBe(400);
  expect((await upload(newUpload('{}'), {})).status).toBe(401);
  expect((await upload(newUpload('{}'), as(paused))).status).toBe(403);
  const asForm = { ...as(funded), 'content-type': 'multipart/form-data; boundary=b' };
  expect((await upload(tooLong(17), asForm)).status).toBe(413);
  expect((await upload('x', { ...asForm, 'content-encoding': 'compress' })).status).toBe(415);
  const fast = await newPerson();
  await withSettings({ LIMIT_REQUESTS_PER_KEY_PER_MINUTE: 1 }, async () => {
    let status = 200;
    while (status === 200) ({ status } = await upload(newUpload('{}'), as(fast)));
    expect(status).toBe(429);
  });
  const list = 'GET /v1/files';
  expect((await call(list, { headers: as(funded) })).status).toBe(200);
  expect((await call(list, { headers: as(funded), query: '?limit=0' })).status).toBe(400);
  expect((await call(list)).status).toBe(401);
  expect((await call(list, { headers: as(paused) })).status).toBe(403);
  for (const operation of ['GET /v1/files/{id}', 'GET /v1/files/{id}/content', 'DELETE /v1/files/{id}']) {
    const path = `/v1/files/${id}${operation.endsWith('content') ? '/content' : ''}`;
    expect((await call(operation, { path })).status).toBe(401);
    expect((await call(operation, { headers: as(paused), path })).status).toBe(403);
    expect((await call(operation, { headers: as(unfunded), path })).status).toBe(404);
    expect((await call(operation, { headers: as(funded), path })).status).toBe(200);
  }
});

test.each(['/v1/batches', '/v1/messages/batches'])('POST %s, and the batch', async (root) => {
  const isOfMessages = root !== '/v1/batches';
  const [echo, story] = isOfMessages
    ? ['sandbox-anthropic/echo', 'sandbox-anthropic/story']
    : ['sandbox/echo', 'sandbox/story'];
  const operation = `POST ${root}`;
  const bodyOf = async (model: string, more = {}, person = funded): Promise<object> => {
    if (isOfMessages) return messageBatch(model, more);
    const file = await call('POST /v1/files', {
      headers: as(person),
      body: newUpload(batchLine(model, more)),
    });
    return batchOf((await file.json()).id);
  };
  const send = (body: unknown, headers = as(funded)) => call(operation, { headers, body });
  const body = await bodyOf(echo);
  const started = await send(body);
  expect(started.status).toBe(200);
  const { id } = await started.json();
  const others = new Map([[JSON.stringify({}), body]]);
  await repeat(operation, async (headers, more) => {
    const name = JSON.stringify(more);
    others.set(name, others.get(name) ?? (await bodyOf(story, more)));
    return send(others.get(name), headers);
  });
  expect((await send({})).status).toBe(400);
  expect((await send(body, {})).status).toBe(401);
  expect((await send(await bodyOf(echo, {}, unfunded), as(unfunded))).status).toBe(402);
  expect((await send(await bodyOf(story, {}, limited), as(limited))).status).toBe(403);
  expect((await send(body, as(paused))).status).toBe(403);
  expect((await send(await bodyOf('sandbox/nothing'))).status).toBe(404);
  expect((await send(tooLong(33))).status).toBe(413);
  expect((await send('x', { ...as(funded), 'content-encoding': 'compress' })).status).toBe(415);
  await withSettings({ LIMIT_RUNNING_PER_USER: 0 }, async () => expect((await send(body)).status).toBe(429));
  const dead = isOfMessages ? 'anthropic/claude-sonnet-4-5' : 'openai/gpt-4.1-mini';
  await withSettings(DEAD_PROVIDERS, async () => expect((await send(await bodyOf(dead))).status).toBe(502));

  const list = `GET ${root}`;
  expect((await call(list, { headers: as(funded) })).status).toBe(200);
  expect((await call(list, { headers: as(funded), query: '?limit=0' })).status).toBe(400);
  expect((await call(list)).status).toBe(401);
  expect((await call(list, { headers: as(paused) })).status).toBe(403);

  const path = `${root}/${id}`;
  if (isOfMessages)
    expect((await call(`DELETE ${root}/{id}`, { headers: as(funded), path })).status).toBe(400);
  await lookUntilOver(id);
  const ended = await (await call(`GET ${root}/{id}`, { headers: as(funded), path })).json();
  const results = isOfMessages ? `GET ${root}/{id}/results` : 'GET /v1/files/{id}/content';
  const resultsPath = isOfMessages ? `${path}/results` : `/v1/files/${ended.output_file_id}/content`;
  expect((await call(results, { headers: as(funded), path: resultsPath })).status).toBe(200);
  await withSettings(DEAD_PROVIDERS, async () => {
    await pool().query('UPDATE batch_job SET model = $2 WHERE id = $1', [id, `${dead}:batch`]);
    expect((await call(results, { headers: as(funded), path: resultsPath })).status).toBe(502);
  });
  for (const [asked, where] of [
    [`GET ${root}/{id}`, path],
    [`POST ${root}/{id}/cancel`, `${path}/cancel`],
    ...(isOfMessages
      ? [
          [results, resultsPath],
          [`DELETE ${root}/{id}`, path],
        ]
      : []),
  ] as [string, string][]) {
    expect((await call(asked, { path: where })).status).toBe(401);
    expect((await call(asked, { headers: as(paused), path: where })).status).toBe(403);
    expect((await call(asked, { headers: as(unfunded), path: where })).status).toBe(404);
    if (asked !== results) expect((await call(asked, { headers: as(funded), path: where })).status).toBe(200);
  }
});

type Send = (body: object, headers?: Record<string, string>) => Promise<Response>;

/** What every request to a model is refused for. `send` changes one that is served. */
async function expectRefusals(
  operation: string,
  send: Send,
  failing: string,
  refused: Parameters<typeof as>[0] = unfunded,
): Promise<void> {
  expect((await send({}, {})).status).toBe(401);
  expect((await send({}, as(refused))).status).toBe(402);
  expect((await send({}, as(paused))).status).toBe(403);
  expect((await send({ model: 'sandbox/nothing' })).status).toBe(404);
  expect((await send({ model: failing })).status).toBe(502);
  await call(operation, { headers: as(funded), body: tooLong(33) });
  await withSettings({ LIMIT_RUNNING_PER_USER: 0 }, async () => void (await send({})));
  await withSettings({ LIMIT_RUNNING_PER_PROCESS: 0 }, async () => void (await send({})));
}

/** One `Idempotency-Key` is of one request. */
async function expectConflict(operation: string, send: Send): Promise<void> {
  const keyed = { ...as(funded), 'idempotency-key': operation };
  await (await send({}, keyed)).arrayBuffer();
  expect((await send({ other: true }, keyed)).status).toBe(409);
}

test('POST /v1/embeddings', async () => {
  const operation = 'POST /v1/embeddings';
  const send = (body: object, headers = as(funded)) =>
    call(operation, { headers, body: { model: 'sandbox/embed', input: ['the sea', 'the sky'], ...body } });
  expect((await send({})).status).toBe(200);
  expect((await send({ encoding_format: 'base64' })).status).toBe(200);
  expect((await send({ input: [] })).status).toBe(400);
  await expectRefusals(operation, send, 'sandbox/embed-error-500');
});

test.each([
  ['POST /v1/moderations', 'moderation', { input: 'the sea' }, { input: 7 }],
  ['POST /v1/rerank', 'rerank', { query: 'sea', documents: ['the sea', 'the sky'] }, { documents: [] }],
  [
    'POST /v1/ocr',
    'ocr',
    { document: { type: 'image_url', image_url: 'https://example.com/a.png' } },
    { document: {} },
  ],
])('%s', async (operation, name, request, wrong) => {
  const send = (body: object, headers = as(funded)) =>
    call(operation, { headers, body: { model: `sandbox/${name}`, ...request, ...body } });
  const isFree = name === 'moderation';
  // What costs nothing needs no credits, but a user may have stopped the app.
  const refused = isFree ? stopped : unfunded;
  expect((await send({})).status).toBe(200);
  expect((await send(wrong)).status).toBe(400);
  await expectRefusals(operation, send, `sandbox/${name}-error-500`, refused);
  await expectConflict(operation, send);
});

test.each([
  ['POST /v1/images/generations', {}],
  ['POST /v1/images/edits', { images: [{ image_url: 'https://example.com/a.png' }] }],
])('%s', async (operation, more) => {
  const send = (body: object, headers = as(funded)) =>
    call(operation, {
      headers,
      body: { model: 'sandbox/paint', prompt: 'The sea', quality: 'low', ...more, ...body },
    });
  expect((await send({})).status).toBe(200);
  expect((await send({ prompt: '' })).status).toBe(400);
  expect((await send({ prompt: 'something forbidden' })).status).toBe(400);
  await expectRefusals(operation, send, 'sandbox/paint-error-500');
  await expectConflict(operation, send);
});

test('POST /v1/audio/speech', async () => {
  const operation = 'POST /v1/audio/speech';
  const send = (body: object, headers = as(funded)) =>
    call(operation, { headers, body: { model: 'sandbox/speak', input: 'The sea', voice: 'alloy', ...body } });
  expect((await send({})).status).toBe(200);
  expect((await send({ input: '' })).status).toBe(400);
  await expectRefusals(operation, send, 'sandbox/speak-error-500');
  await expectConflict(operation, send);
});

test.each(['POST /v1/audio/transcriptions', 'POST /v1/audio/translations'])('%s', async (operation) => {
  const send = (fields: Record<string, string>, headers = as(funded), text = 'The sea') => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: 'sandbox/listen', ...fields }))
      form.append(name, value);
    form.append('file', new File([new Uint8Array(toWav(speak(text)))], 'a.wav'));
    return call(operation, { headers, body: form });
  };
  expect((await send({})).status).toBe(200);
  expect((await send({ temperature: 'warm' })).status).toBe(400);
  expect((await send({}, {})).status).toBe(401);
  expect((await send({}, as(unfunded))).status).toBe(402);
  expect((await send({}, as(paused))).status).toBe(403);
  expect((await send({ model: 'sandbox/nothing' })).status).toBe(404);
  expect((await send({ model: 'sandbox/listen-error-500' })).status).toBe(502);
  const asForm = { ...as(funded), 'content-type': 'multipart/form-data; boundary=b' };
  await call(operation, { headers: asForm, body: tooLong(33) });
  const keyed = { ...as(funded), 'idempotency-key': operation };
  expect((await send({}, keyed)).status).toBe(200);
  expect((await send({}, keyed, 'The land')).status).toBe(409);
  await withSettings({ LIMIT_RUNNING_PER_USER: 0 }, async () => void (await send({})));
  await withSettings({ LIMIT_RUNNING_PER_PROCESS: 0 }, async () => void (await send({})));
});

test('POST /v1/messages/count_tokens', async () => {
  const operation = 'POST /v1/messages/count_tokens';
  await call(operation, { headers: as(funded), body: generation('sandbox/echo') });
  await call(operation, { headers: as(funded), body: { model: 'sandbox/echo' } });
  await call(operation, { body: generation('sandbox/echo') });
  await call(operation, { headers: as(limited), body: generation('sandbox/story') });
  await call(operation, { headers: as(funded), body: generation('sandbox/nothing') });
  await call(operation, { headers: as(funded), body: tooLong(33) });
});

test('POST /v1/responses/input_tokens', async () => {
  const operation = 'POST /v1/responses/input_tokens';
  const count = (model: string, headers = as(funded)) =>
    call(operation, { headers, body: { model, input: 'hi' } });
  expect((await count('sandbox/echo')).status).toBe(200);
  expect((await call(operation, { headers: as(funded), body: { model: 'sandbox/echo' } })).status).toBe(400);
  expect((await call(operation, { body: { model: 'sandbox/echo', input: 'hi' } })).status).toBe(401);
  expect((await count('sandbox/story', as(limited))).status).toBe(403);
  expect((await count('sandbox/nothing')).status).toBe(404);
  await call(operation, { headers: as(funded), body: tooLong(33) });
});

test('GET /v1/models, and one of them', async () => {
  await call('GET /v1/models');
  await call('GET /v1/models', { query: '?data_rules=none' });
  await call('GET /v1/models', { headers: { 'anthropic-version': '2023-06-01' } });
  const one = 'GET /v1/models/{id}';
  await call(one, { path: '/v1/models/sandbox/story' });
  await call(one, { path: '/v1/models/sandbox%2Fnothing' });
});

test('GET and POST /v1/credits/pricing', async () => {
  const [get, post] = ['GET /v1/credits/pricing', 'POST /v1/credits/pricing'];
  const key = (person: Person) => `?publishable_key=${person.publishableKey}`;
  await call(get, { query: key(funded) });
  await call(get);
  await call(get, { query: '?publishable_key=svc_pk_nothing' });
  await call(get, { query: key(paused) });
  await call(post, { body: { publishable_key: funded.publishableKey, models: ['sandbox/echo'] } });
  await call(post, { body: {} });
  await call(post, { body: { publishable_key: 'svc_pk_nothing' } });
  await call(post, { body: { publishable_key: paused.publishableKey } });
  await call(post, { body: tooLong(1) });
});

test('GET /v1/credits/balance, history and receipts', async () => {
  const generated = await call('POST /v1/chat/completions', {
    headers: as(funded),
    body: generation('sandbox/echo'),
  });
  const receipt = `/v1/credits/receipts/${generated.headers.get('x-request-id')}`;
  for (const path of ['/v1/credits/balance', '/v1/credits/history', '/v1/credits/receipts/{id}']) {
    const target = path.endsWith('{id}') ? { path: receipt } : {};
    for (const headers of [as(funded), as(paused), BAD_KEY, {}])
      await call(`GET ${path}`, { headers, ...target });
  }
  await call('GET /v1/credits/balance', { headers: as(unfunded) });
  const history = await call('GET /v1/credits/history', { headers: as(funded), query: '?limit=1&offset=1' });
  expect((await history.json()).data).toHaveLength(1);
  await call('GET /v1/credits/history', { headers: as(funded), query: '?limit=many' });
  await call('GET /v1/credits/receipts/{id}', { headers: as(unfunded), path: receipt });
});

test('POST /v1/credits/quote', async () => {
  const operation = 'POST /v1/credits/quote';
  const quote = async (model: string, headers: Record<string, string> = as(funded)) =>
    (
      await call(operation, {
        headers,
        body: { endpoint: '/v1/chat/completions', request: generation(model) },
      })
    ).status;
  expect(await quote('sandbox/echo')).toBe(200);
  expect((await call(operation, { headers: as(funded), body: {} })).status).toBe(400);
  expect(await quote('sandbox/echo', {})).toBe(401);
  expect(await quote('sandbox/story', as(limited))).toBe(403);
  expect(await quote('sandbox/nothing')).toBe(404);
  await call(operation, { headers: as(funded), body: tooLong(33) });
});

test('run keys, and a run of theirs', async () => {
  const [mint, end, read] = ['POST /v1/keys', 'DELETE /v1/keys/{id}', 'GET /v1/credits/runs/{id}'];
  const budget = { credits: 1, label: 'document' };
  const minted = await call(mint, { headers: as(funded), body: budget });
  expect(minted.status).toBe(200);
  const { user_key: userKey, key_id: keyId } = await minted.json();
  const headers = { authorization: `Bearer ${userKey}`, 'x-svc-run': 'document-1' };
  await call('POST /v1/chat/completions', { headers, body: generation('sandbox/echo') });
  const path = '/v1/credits/runs/document-1';
  expect((await call(read, { headers: as(funded), path })).status).toBe(200);
  expect((await call(read, { headers: as(unfunded), path })).status).toBe(404);
  expect((await call(mint, { headers: as(funded), body: { credits: 'many' } })).status).toBe(400);
  await call(mint, { headers: as(funded), body: tooLong(1) });
  const key = `/v1/keys/${keyId}`;
  for (const caller of [{}, as(paused)]) {
    await call(mint, { headers: caller, body: budget });
    await call(read, { headers: caller, path });
    await call(end, { headers: caller, path: key });
  }
  expect((await call(end, { headers: as(unfunded), path: key })).status).toBe(404);
  expect((await call(end, { headers: as(funded), path: key })).status).toBe(200);
});

test('GET /v1/credits/statements, and one day of them', async () => {
  await pool().query("UPDATE watermark SET up_to = current_date - 1 WHERE name = 'statements'");
  const day = new Date(now() - DAY_MS).toISOString().slice(0, 10);
  await forge([
    `UPDATE ledger_transaction SET created_at = created_at - interval '1 day' WHERE user_id = '${funded.userId}'`,
  ]);
  await closeDay(day);
  for (const path of ['/v1/credits/statements', '/v1/credits/statements/{day}'])
    for (const headers of [as(funded), as(paused), BAD_KEY, {}])
      await call(`GET ${path}`, { headers, path: path.replace('{day}', day) });
  const one = 'GET /v1/credits/statements/{day}';
  expect((await call(one, { headers: as(funded), path: `/v1/credits/statements/${day}` })).status).toBe(200);
  await call(one, { headers: as(unfunded), path: `/v1/credits/statements/${day}` });
  await call('GET /v1/credits/statements', { headers: as(funded), query: '?before=never' });
  const { data } = await (await call('GET /v1/credits/history', { headers: as(funded) })).json();
  const { request_id } = data.find((entry: { request_id?: string }) => entry.request_id !== undefined);
  const receipt = { headers: as(funded), path: `/v1/credits/receipts/${request_id}` };
  const { proof } = await (await call('GET /v1/credits/receipts/{id}', receipt)).json();
  expect(proof.inclusion).not.toBeNull();
  expect((await call('GET /.well-known/jwks.json')).status).toBe(200);
});

test('the sign-in endpoints', async () => {
  const [send, verify] = ['POST /v1/auth/send-code', 'POST /v1/auth/verify-code'];
  const app = { publishable_key: funded.publishableKey };
  const email = 'document@example.com';
  const sent = await (await call(send, { body: { ...app, email } })).json();
  const verification = { ...app, challenge_id: sent.challenge_id, email };
  await call(verify, { body: { ...verification, code: wrongCode(mailbox.lastCode()) } });
  await call(verify, { body: { ...verification, code: mailbox.lastCode() } });
  expect((await call(send, { body: { ...app, email } })).status).toBe(200);
  expect((await call(send, { body: { ...app, email } })).status).toBe(429);
  for (const operation of [send, verify]) {
    const full = { ...verification, code: '123456' };
    await call(operation, { body: {} });
    await call(operation, { body: { ...full, publishable_key: 'svc_pk_nothing' } });
    await call(operation, { body: full, headers: { origin: 'https://elsewhere.example' } });
    await call(operation, { body: { ...full, publishable_key: paused.publishableKey } });
    await call(operation, { body: tooLong(1) });
  }
});

test('POST /auth/token', async () => {
  const exchange = 'POST /auth/token';
  const code_verifier = 'a verifier of the document, long enough to be one';
  const token = await inTransaction(async (tx) => {
    const { sessionId } = await openSession(tx, { userId: funded.userId, userAgent: 'test' });
    return issueSignInToken(tx, {
      userId: funded.userId,
      partnerId: funded.partnerId,
      sessionId,
      origin: 'http://localhost',
      challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    });
  });
  const body = { grant_type: 'signin_token', publishable_key: funded.publishableKey, token, code_verifier };
  expect((await call(exchange, { body })).status).toBe(200);
  await call(exchange, { body });
  await call(exchange, { body: tooLong(1) });
});

test('the OAuth endpoints', async () => {
  const [token, device, revoke] = ['POST /oauth/token', 'POST /oauth/device', 'POST /oauth/revoke'];
  const client = { client_id: funded.publishableKey };
  expect((await call('GET /.well-known/oauth-authorization-server')).status).toBe(200);
  expect((await call('GET /.well-known/oauth-protected-resource/mcp')).status).toBe(200);
  const begun = await (await call(device, { body: client })).json();
  const poll = { grant_type: DEVICE_GRANT, device_code: begun.device_code };
  expect((await call(token, { body: { ...client, ...poll } })).status).toBe(400);
  const { sessionId } = await inTransaction((tx) =>
    openSession(tx, { userId: funded.userId, userAgent: 'test' }),
  );
  await decideDevice(begun.user_code, { userId: funded.userId, sessionId, clientIp: '' }, 'allow');
  const granted = await call(token, { body: { ...client, ...poll } });
  expect(granted.status).toBe(200);
  expect((await call(revoke, { headers: as(funded), body: { token: 'none' } })).status).toBe(401);
  for (const operation of [token, device]) {
    const full = operation === token ? poll : {};
    await call(operation, { body: {} });
    await call(operation, { body: { ...full, client_id: 'svc_pk_nothing' } });
    await call(operation, { body: { ...full, client_id: paused.publishableKey } });
    await call(operation, { body: tooLong(1) });
  }
  await call(device, { body: client, headers: { origin: 'https://elsewhere.example' } });
  await call(revoke, { body: { token: (await granted.json()).access_token } });
  await call(revoke, { body: {} });
  await call(revoke, { body: tooLong(1) });
});

test('the checkout endpoints', async () => {
  const [start, read] = ['POST /v1/credits/checkout', 'GET /v1/credits/checkout/{id}'];
  const purchase = { amount: 10, currency: 'usd' };
  const started = await call(start, {
    headers: { ...as(funded), 'idempotency-key': 'one' },
    body: purchase,
  });
  const path = `/v1/credits/checkout/${(await started.json()).session_id}`;
  await call(read, { headers: as(funded), path });
  await call(start, {
    headers: { ...as(funded), 'idempotency-key': 'one' },
    body: { ...purchase, amount: 20 },
  });
  await call(start, { headers: as(funded), body: { amount: 'much' } });
  await call(start, { headers: as(funded), body: { ...purchase, publishable_key: unfunded.publishableKey } });
  await call(start, { headers: as(funded), body: { ...purchase, return_url: 'https://elsewhere.example/' } });
  await call(start, { headers: as(funded), body: tooLong(1) });
  for (const headers of [{}, BAD_KEY, as(paused)]) {
    await call(start, { headers, body: purchase });
    await call(read, { headers, path });
  }
  await call(read, { headers: as(unfunded), path });
  await payments.close();
  expect((await call(start, { headers: as(funded), body: purchase })).status).toBe(502);
});

test('POST /v1/keys/revoke', async () => {
  const person = await newPerson();
  await call('POST /v1/keys/revoke', { headers: as(person) });
  await call('POST /v1/keys/revoke', { headers: as(person) });
  expect((await call('GET /v1/credits/balance', { headers: as(person) })).status).toBe(401);
});

/** A report as a scanner signs it. */
function signedReport(tokens: string[]) {
  const body = JSON.stringify(tokens.map((token) => ({ token, type: 'svc_user_key', url: '' })));
  const signature = sign('sha256', Buffer.from(body), scanner.privateKey).toString('base64');
  const headers = { 'github-public-key-identifier': 'scanner', 'github-public-key-signature': signature };
  return { headers, body };
}

test('POST /v1/secret-scanning', async () => {
  const operation = 'POST /v1/secret-scanning';
  const expectStatus = async (status: number, given: Parameters<typeof call>[1]) =>
    expect((await call(operation, given)).status).toBe(status);
  await expectStatus(200, signedReport([(await newPerson()).userKey, 'no key']));
  await expectStatus(400, signedReport(Array.from({ length: 1_001 }, () => 'x')));
  await expectStatus(401, { body: '[]' });
  await expectStatus(413, { headers: signedReport([]).headers, body: tooLong(2) });
});

test('GET /v1/events', async () => {
  const operation = 'GET /v1/events';
  const backend = await newBackend();
  await sendEvents(backend.partnerId);
  expect((await call(operation, backend)).status).toBe(200);
  expect((await call(operation, { ...backend, query: '?after=evt_none' })).status).toBe(400);
  expect((await call(operation, {})).status).toBe(401);
  await Promise.all(Array.from({ length: 240 }, () => call(operation, { ...backend, query: '?limit=1' })));
  expect((await call(operation, backend)).status).toBe(429);
  const disabled = await newBackend();
  await disablePartner(disabled.partnerId);
  expect((await call(operation, disabled)).status).toBe(403);
});

/** An app whose backend has a signing secret. */
async function newBackend() {
  const { partnerId, publishableKey } = await newPerson();
  await createSecret(partnerId);
  const shown = await revealSecret(partnerId);
  const basic = Buffer.from(`${publishableKey}:${shown?.secret}`).toString('base64');
  return { partnerId, headers: { authorization: `Basic ${basic}` } };
}

/** One event of each type, one of them with a key that was erased. */
async function sendEvents(partnerId: string): Promise<void> {
  const user = { user_id: newId('au'), metadata: { seats: 3, plan: 'pro' } };
  const key = { key_id: newId('key'), ...user };
  const added = { ...user, balance: 10, credits_added: 10 };
  const record = <T extends EventType>(type: T, data: EventData<T>) =>
    inTransaction((tx) => recordEvent(tx, { partnerId, type, causeId: newId('evt'), data }));
  const erased = await record('user_key.created', { user_key: 'svc_sk_erased', ...key });
  await prisma().event.update({ where: { id: erased ?? '' }, data: { body: null } });
  await record('user_key.created', { user_key: 'svc_sk_kept', ...key });
  await record('user_key.revoked', { ...key, reason: 'evicted' });
  await record('credits.added', { type: 'purchase', ...added, transaction_id: newId('txn') });
  await record('credits.added', { type: 'permission', ...added, granted_credits: 10 });
  await record('test', { partner_id: partnerId, message: 'Hello' });
}

test('GET /v1/openapi.json is the document', async () => {
  expect(await (await call('GET /v1/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(document)));
});

test('while no connection to the database is free, every endpoint that needs one asks the client to retry shortly', async () => {
  const app = { publishable_key: funded.publishableKey };
  const client = { client_id: funded.publishableKey };
  const signIn = { ...app, challenge_id: 'chl_1', email: 'busy@example.com', code: '123456' };
  const exchange = { grant_type: 'signin_token', token: 'svc_st_x', code_verifier: 'x'.repeat(43) };
  const calls: Record<string, Parameters<typeof call>[1]> = {
    'POST /v1/messages/count_tokens': { headers: as(funded), body: generation('sandbox/echo') },
    'GET /v1/credits/pricing': { query: `?publishable_key=${funded.publishableKey}` },
    'POST /v1/credits/pricing': { body: { ...app, models: ['sandbox/echo'] } },
    'GET /v1/credits/balance': { headers: as(funded) },
    'POST /v1/credits/quote': {
      headers: as(funded),
      body: { endpoint: '/v1/chat/completions', request: generation('sandbox/echo') },
    },
    'GET /v1/credits/runs/{id}': { headers: as(funded), path: '/v1/credits/runs/one' },
    'POST /v1/keys': { headers: as(funded), body: { credits: 1 } },
    'DELETE /v1/keys/{id}': { headers: as(funded), path: '/v1/keys/key_1' },
    'GET /v1/credits/history': { headers: as(funded) },
    'GET /v1/credits/receipts/{id}': { headers: as(funded), path: '/v1/credits/receipts/req_1' },
    'GET /v1/credits/statements': { headers: as(funded) },
    'GET /v1/credits/statements/{day}': { headers: as(funded), path: '/v1/credits/statements/2024-03-05' },
    'GET /.well-known/jwks.json': {},
    'GET /v1/responses/{id}': { headers: as(funded), path: '/v1/responses/resp_1' },
    'DELETE /v1/responses/{id}': { headers: as(funded), path: '/v1/responses/resp_1' },
    'GET /v1/responses/{id}/input_items': { headers: as(funded), path: '/v1/responses/resp_1/input_items' },
    'POST /v1/files': { headers: as(funded), body: newUpload('{}') },
    'GET /v1/files': { headers: as(funded) },
    'GET /v1/files/{id}': { headers: as(funded), path: '/v1/files/file_1' },
    'DELETE /v1/files/{id}': { headers: as(funded), path: '/v1/files/file_1' },
    'GET /v1/files/{id}/content': { headers: as(funded), path: '/v1/files/file_1/content' },
    'POST /v1/batches': { headers: as(funded), body: batchOf('file_1') },
    'GET /v1/batches': { headers: as(funded) },
    'GET /v1/batches/{id}': { headers: as(funded), path: '/v1/batches/batch_1' },
    'POST /v1/batches/{id}/cancel': { headers: as(funded), path: '/v1/batches/batch_1/cancel' },
    'POST /v1/messages/batches': { headers: as(funded), body: messageBatch('sandbox-anthropic/echo') },
    'GET /v1/messages/batches': { headers: as(funded) },
    'GET /v1/messages/batches/{id}': { headers: as(funded), path: '/v1/messages/batches/msgbatch_1' },
    'DELETE /v1/messages/batches/{id}': { headers: as(funded), path: '/v1/messages/batches/msgbatch_1' },
    'POST /v1/messages/batches/{id}/cancel': {
      headers: as(funded),
      path: '/v1/messages/batches/msgbatch_1/cancel',
    },
    'GET /v1/messages/batches/{id}/results': {
      headers: as(funded),
      path: '/v1/messages/batches/msgbatch_1/results',
    },
    'GET /v1/videos': { headers: as(funded) },
    'GET /v1/videos/{id}': { headers: as(funded), path: '/v1/videos/video_1' },
    'DELETE /v1/videos/{id}': { headers: as(funded), path: '/v1/videos/video_1' },
    'GET /v1/videos/{id}/content': { headers: as(funded), path: '/v1/videos/video_1/content' },
    'POST /v1/responses/input_tokens': { headers: as(funded), body: { model: 'sandbox/echo', input: 'hi' } },
    'POST /v1/credits/checkout': { headers: as(funded), body: { amount: 10, currency: 'usd' } },
    'GET /v1/credits/checkout/{id}': { headers: as(funded), path: '/v1/credits/checkout/cks_1' },
    'POST /v1/auth/send-code': { body: signIn },
    'POST /v1/auth/verify-code': { body: signIn },
    'POST /auth/token': { body: { ...app, ...exchange } },
    'POST /oauth/token': { body: { ...client, grant_type: DEVICE_GRANT, device_code: 'svc_dc_x' } },
    'POST /oauth/device': { body: client },
    'POST /oauth/revoke': { body: { token: funded.userKey } },
    'POST /v1/keys/revoke': { headers: as(funded) },
    'GET /v1/events': await newBackend(),
    'POST /v1/secret-scanning': signedReport([funded.userKey]),
  };
  await whileDatabaseIsBusy(() =>
    Promise.all(
      Object.entries(calls).map(async ([operation, given]) => {
        const response = await call(operation, given);
        expect([response.status, response.headers.get('retry-after')], operation).toEqual([503, '1']);
      }),
    ),
  );
});

test('every operation that documents 415 refuses a body in an unknown encoding', async () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => responses['415'] !== undefined)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  for (const operation of operations) {
    const signed = operation.endsWith('secret-scanning')
      ? signedReport([]).headers
      : credentialsOf(operation);
    const headers = { ...signed, 'content-encoding': 'compress' };
    const response = await call(operation, { headers, body: generation('sandbox/echo') });
    expect([response.status, response.headers.get('accept-encoding')], operation).toEqual([
      415,
      expect.stringContaining('gzip'),
    ]);
  }
});

/** Endpoints of OAuth refuse a client that authenticates. */
const credentialsOf = (operation: string) => (operation.includes(' /oauth/') ? {} : as(funded));

test('every documented response was seen', () => {
  /**
   * Responses that only a fault of ours causes, or a race or a slow upload, which other tests cover; an
   * endpoint without a query is never too busy.
   */
  const unseen =
    /^(?:.* 500 |.* 408 |POST \/v1\/(?:auth\/verify-code|credits\/checkout|credits\/(?:pricing|quote)|keys|messages\/count_tokens|responses\/input_tokens|keys\/revoke|secret-scanning) 429 |POST \/auth\/token 429 |POST \/oauth\/\w+ 429 |GET \/(?:v1\/(?:models|models\/{id}|openapi.json)|\.well-known\/oauth-(?:authorization-server|protected-resource\/mcp)) 503 )/;
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.keys(content).map((type) => `${method.toUpperCase()} ${path} ${status} ${type}`),
      ),
    ),
  );
  expect(documented.filter((response) => !seen.has(response) && !unseen.test(response))).toEqual([]);
});

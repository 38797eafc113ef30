import { beforeAll, describe, expect, test, vi } from 'vitest';
import { Prisma } from '@/prisma/client/client';
import { setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { newDatabase } from '../../harness';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import {
  newApp,
  newUserKey,
  payByCard,
  SECRET_KEY,
  send,
  startCheckout,
} from '../../payments/checkout/checkout-world';

await newDatabase();
const world = await startCheckout();
const address = `${world.url}/v1/credits/checkout`;
const { userKey, keyId } = await newUserKey(world.app, 'buyer@example.com');
const auth = { authorization: `Bearer ${userKey}` };

const start = (body: Record<string, unknown> = {}, headers: Record<string, string> = auth) =>
  send(address, 'POST', headers, {
    publishable_key: world.app.publishableKey,
    amount: 25,
    currency: 'usd',
    ...body,
  });

describe('POST /v1/credits/checkout', () => {
  test('starts a purchase on the processor’s own page, and GET follows it to the credits', async () => {
    const started = await start();
    expect(started.status).toBe(200);
    expect(started.headers.get('access-control-allow-origin')).toBe('*');
    expect(started.body).toEqual({
      session_id: expect.stringMatching(/^cks_/),
      checkout_url: expect.stringContaining(`${world.sandboxUrl}/pay/cs_test_`),
      status: 'open',
      amount: 25,
      currency: 'usd',
      credits: 2500,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      user_key: null,
      key_id: keyId,
    });
    const session_id = String(started.body.session_id);
    const read = () => send(`${address}/${session_id}`, 'GET', auth);
    expect((await read()).body).toEqual({ session_id, status: 'open', credits_added: 0, balance: 0 });
    expect(await payByCard(String(started.body.checkout_url))).toMatchObject({ status: 'complete' });
    expect((await read()).body).toEqual({
      session_id,
      status: 'completed',
      credits_added: 2500,
      balance: 2500,
    });
  });

  test('returns the buyer to a registered page with the session id', async () => {
    const { body } = await start({ return_url: 'https://app.example.com/paid?tab=1' });
    const row = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: String(body.session_id) } });
    const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);
    const session = await stripe.checkout.sessions.retrieve(row.processorSessionId ?? '');
    expect(session.success_url).toBe(`https://app.example.com/paid?tab=1&session_id=${row.id}`);
    expect(session.cancel_url).toBe(
      `https://app.example.com/paid?tab=1&session_id=${row.id}&status=cancelled`,
    );
  });

  test.each([
    'https://evil.example/',
    'javascript:alert(1)',
    'data:text/html,hi',
    'https://app.example.com.evil.example/',
  ])('never sends the buyer to %s', async (return_url) => {
    const refused = await start({ return_url });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ error: { type: 'origin_not_allowed' } });
  });

  test('stores metadata for later events', async () => {
    const { body } = await start({ metadata: { plan: 'pro' } });
    await payByCard(String(body.checkout_url));
    await expect
      .poll(async () => (await prisma().userApp.findFirst({ where: { partnerId: world.app.id } }))?.metadata)
      .toEqual({ plan: 'pro' });
  });

  test.each([
    ['no key', {}, {}, 401, 'missing_api_key', null],
    ['a malformed key', { authorization: 'Bearer svc_sk_nothing' }, {}, 401, 'invalid_user_key', null],
    ['an amount as text', auth, { amount: '25' }, 400, 'invalid_request', 'amount'],
    ['no amount', auth, { amount: undefined }, 400, 'invalid_request', 'amount'],
    ['a third decimal', auth, { amount: 10.005 }, 400, 'invalid_request', 'amount'],
    ['an unsupported currency', auth, { currency: 'gbp' }, 400, 'invalid_request', 'currency'],
    ['an invalid return URL', auth, { return_url: 'home' }, 400, 'invalid_request', 'return_url'],
    ['metadata that is not flat', auth, { metadata: { a: [] } }, 400, 'invalid_request', 'metadata.a'],
    [
      'an invalid publishable key',
      auth,
      { publishable_key: 'svc_pk_nothing' },
      401,
      'invalid_publishable_key',
      null,
    ],
  ])('refuses %s in the chat format', async (_, headers, body, status, type, param) => {
    const before = await prisma().checkoutSession.count();
    const refused = await start(body, headers as Record<string, string>);
    expect(refused.status).toBe(status);
    expect(refused.body).toMatchObject({
      error: { type, code: String(status), message: expect.any(String) },
    });
    if (param !== null) expect(refused.body).toMatchObject({ error: { param } });
    expect(await prisma().checkoutSession.count()).toBe(before);
  });

  test.each([0, -5, 4.99, 500.01, 1e9, '25', Number.NaN, 10.005, null, [25], { amount: 25 }])(
    'refuses an amount of %j, names the parameter and does not call the processor',
    async (amount) => {
      const createSession = vi.spyOn(stripeProcessor, 'createSession');
      const sessions = await prisma().checkoutSession.count();
      const other = await newUserKey(world.app, 'picky@example.com');
      const refused = await start({ amount }, { 'x-api-key': other.userKey });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({
        error: { type: 'invalid_request', param: 'amount', code: '400' },
      });
      expect(createSession).not.toHaveBeenCalled();
      expect(await prisma().checkoutSession.count()).toBe(sessions);
      createSession.mockRestore();
    },
  );

  test('refuses the publishable key of another app', async () => {
    const other = await newApp('Other');
    const refused = await start({ publishable_key: other.publishableKey });
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ error: { type: 'invalid_publishable_key' } });
  });

  test('accepts browsers from any origin', async () => {
    const preflight = await send(address, 'OPTIONS', {
      origin: 'https://anywhere.example',
      'access-control-request-headers': 'idempotency-key',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
  });
});

describe('Idempotency-Key', () => {
  // One key starts at most 20 payments a minute.
  let repeated = '';
  beforeAll(async () => {
    repeated = (await newUserKey(world.app, 'repeating@example.com')).userKey;
  });
  const withKey = (key: string, body = {}) => start(body, { 'x-api-key': repeated, 'idempotency-key': key });
  const sessions = () => prisma().checkoutSession.count();

  test('returns the stored response for the same key and body, for 24 hours', async () => {
    const first = await withKey('order 1');
    const before = await sessions();
    expect((await withKey('order 1')).body).toEqual(first.body);
    expect(await sessions()).toBe(before);
    try {
      setClock(() => Date.now() + 25 * 60 * 60 * 1000);
      expect((await withKey('order 1')).body.session_id).not.toBe(first.body.session_id);
    } finally {
      setClock();
    }
  });

  test('refuses the same key with another body as a conflict', async () => {
    await withKey('order 2');
    const refused = await withKey('order 2', { amount: 26 });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: { type: 'idempotency_conflict', code: '409' } });
  });

  test('starts one session for ten parallel requests', async () => {
    const before = await sessions();
    const responses = await Promise.all(Array.from({ length: 10 }, () => withKey('order 3')));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.session_id}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(200);
    expect(await sessions()).toBe(before + 1);
  });

  test('belongs to one user: the same key of another user starts another purchase', async () => {
    const other = await newUserKey(world.app, 'other-buyer@example.com');
    const mine = await withKey('order 4');
    const theirs = await start({}, { 'x-user-key': other.userKey, 'idempotency-key': 'order 4' });
    expect(theirs.status).toBe(200);
    expect(theirs.body.session_id).not.toBe(mine.body.session_id);
  });

  test('is not used up by a refused request', async () => {
    expect((await withKey('order 5', { amount: 1 })).status).toBe(400);
    expect((await withKey('order 5')).status).toBe(200);
  });

  test('can be used again two minutes after the server of its request died', async () => {
    await withKey('order 6');
    await prisma().idempotencyKey.updateMany({
      where: { key: 'order 6' },
      data: { response: Prisma.DbNull, createdAt: new Date(Date.now() - 121_000) },
    });
    expect((await withKey('order 6')).status).toBe(200);
  });

  test.each(['', 'ä', 'x'.repeat(256)])('rejects %j as a key', async (key) => {
    const refused = await withKey(key);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ error: { type: 'invalid_request', param: 'Idempotency-Key' } });
  });
});

test('GET returns a session only to its user in its app', async () => {
  const { body } = await start();
  const other = await newApp('Third');
  const strangers = [
    await newUserKey(world.app, 'stranger@example.com'),
    await newUserKey(other, 'buyer@example.com'),
  ];
  for (const stranger of strangers) {
    const refused = await send(`${address}/${body.session_id}`, 'GET', { 'x-user-key': stranger.userKey });
    expect(refused.status).toBe(404);
    expect(refused.body).toMatchObject({ error: { type: 'not_found' } });
  }
  expect((await send(`${address}/${body.session_id}`, 'GET', { 'x-api-key': userKey })).status).toBe(200);
  expect((await send(`${address}/cks_unknown`, 'GET', auth)).status).toBe(404);
  expect((await send(`${address}/cks_unknown`, 'GET', {})).status).toBe(401);
});

test('refuses the 21st payment that a key starts in a minute, before it reaches the processor', async () => {
  const other = await newUserKey(world.app, 'impatient@example.com');
  const before = await prisma().checkoutSession.count();
  const auth = { authorization: `Bearer ${other.userKey}` };
  const statuses: number[] = [];
  for (let n = 0; n < 21; n++) statuses.push((await start({}, auth)).status);
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
  expect(await prisma().checkoutSession.count()).toBe(before + 20);
});

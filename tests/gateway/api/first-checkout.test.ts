import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { openSession } from '@/server/people/sessions';
import { issueSignInToken } from '@/server/people/sign-in-tokens';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import { newApp, payByCard, send, startCheckout } from '../../payments/checkout/checkout-world';
import { recordedEvents } from '../../people/identity/app-world';

/** A purchase with a sign-in token instead of a key also mints the first key. */

await newDatabase();
const world = await startCheckout();
const ORIGIN = 'https://app.example.com';

type SignIn = { userId: string; fields: { publishable_key: string; token: string; code_verifier: string } };

async function signIn(): Promise<SignIn> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const partnerId = world.app.id;
  const { userId, token } = await inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, `${newId('usr').toLowerCase()}@example.com`);
    const { sessionId } = await openSession(tx, { userId, userAgent: 'test' });
    const grant = { userId, partnerId, sessionId, origin: ORIGIN, challenge };
    return { userId, token: await issueSignInToken(tx, grant) };
  });
  return {
    userId,
    fields: { publishable_key: world.app.publishableKey, token, code_verifier: verifier },
  };
}

const buy = (body: object, headers: Record<string, string> = {}) =>
  send(`${world.url}/v1/credits/checkout`, 'POST', { origin: ORIGIN, ...headers }, body);

const keysOf = (userId: string) => prisma().userKey.findMany({ where: { userId } });

test('a purchase with a sign-in token mints a key and notifies the app', async () => {
  const { userId, fields } = await signIn();
  const { status, body } = await buy({ ...fields, amount: 10, metadata: { plan: 'pro' } });

  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'open', credits: 1000, user_key: expect.stringMatching(/^svc_sk_/) });
  const auth = { authorization: `Bearer ${body.user_key}` };
  await payByCard(String(body.checkout_url));
  const followed = await send(`${world.url}/v1/credits/checkout/${body.session_id}`, 'GET', auth);
  expect(followed.body).toMatchObject({ status: 'completed', credits_added: 1000, balance: 1000 });

  const [key] = await keysOf(userId);
  expect(key?.id).toBe(body.key_id);
  const events = (await recordedEvents(world.app.id)).filter(({ data }) => data.key_id === body.key_id);
  expect(events).toMatchObject([
    { type: 'user_key.created', data: { user_key: body.user_key, metadata: { plan: 'pro' } } },
  ]);
});

test('a refused purchase does not use up the token: the next purchase mints the key', async () => {
  const { userId, fields } = await signIn();
  expect((await buy({ ...fields, amount: 4.99 })).body).toMatchObject({ error: { param: 'amount' } });
  expect((await buy({ ...fields, amount: 5, return_url: 'https://evil.example/' })).status).toBe(403);
  expect(await keysOf(userId)).toHaveLength(0);
  expect((await buy({ ...fields, amount: 5 })).body.user_key).toMatch(/^svc_sk_/);
});

test('repeated with its Idempotency-Key, it starts one purchase, mints one key and returns the key once', async () => {
  const { userId, fields } = await signIn();
  const headers = { 'idempotency-key': 'first-order' };
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => buy({ ...fields, amount: 5 }, headers)),
  );
  setClock(() => Date.now() + 10 * 60_000);
  const late = await buy({ ...fields, amount: 5 }, headers);
  setClock();

  expect([...responses, late].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(new Set([...responses, late].map(({ body }) => body.session_id)).size).toBe(1);
  expect(responses.filter(({ body }) => body.user_key !== null)).toHaveLength(1);
  expect(late.body.user_key).toBeNull();
  expect(await keysOf(userId)).toMatchObject([{ revokedAt: null }]);
  const stored = JSON.stringify(await prisma().idempotencyKey.findMany());
  expect(stored).not.toContain('svc_sk_');
});

test('a second use of the token without an Idempotency-Key revokes the key from the first', async () => {
  const { userId, fields } = await signIn();
  await buy({ ...fields, amount: 5 });
  expect((await buy({ ...fields, amount: 5 })).body).toMatchObject({ error: { type: 'invalid_grant' } });
  expect(await keysOf(userId)).toMatchObject([{ revokeReason: 'session_revoked' }]);
});

describe('an invalid sign-in token', () => {
  const invalid: [string, (fields: SignIn['fields']) => [object, Record<string, string>?]][] = [
    ['a wrong verifier', (fields) => [{ ...fields, code_verifier: 'x'.repeat(43) }]],
    ['another origin', (fields) => [fields, { origin: 'https://other.example' }]],
    ['an unknown token', (fields) => [{ ...fields, token: `svc_st_${'x'.repeat(43)}` }]],
  ];
  test.each(invalid)('%s gets invalid_grant, and no session is created', async (_, change) => {
    const { userId, fields } = await signIn();
    const [body, headers] = change(fields);
    const response = await buy({ ...body, amount: 5 }, headers);
    expect([response.status, response.body]).toMatchObject([400, { error: { type: 'invalid_grant' } }]);
    expect(await prisma().checkoutSession.count({ where: { userId } })).toBe(0);
  });

  test('another app gets invalid_grant', async () => {
    const { fields } = await signIn();
    const { publishableKey } = await newApp('Other');
    const response = await buy({ ...fields, publishable_key: publishableKey, amount: 5 });
    expect(response.body).toMatchObject({ error: { type: 'invalid_grant' } });
  });

  test('a token older than a minute gets invalid_grant', async () => {
    const { fields } = await signIn();
    setClock(() => Date.now() + 61_000);
    const response = await buy({ ...fields, amount: 5 });
    setClock();
    expect(response.body).toMatchObject({ error: { type: 'invalid_grant' } });
  });

  test.each(['publishable_key', 'code_verifier'] as const)(
    'a missing %s gets 400 that names it',
    async (param) => {
      const { fields } = await signIn();
      const { [param]: _, ...rest } = fields;
      expect((await buy({ ...rest, amount: 5 })).body).toMatchObject({ error: { param } });
    },
  );

  test('a request with neither key nor token gets missing_api_key', async () => {
    expect((await buy({ amount: 5 })).body).toMatchObject({ error: { type: 'missing_api_key' } });
  });
});

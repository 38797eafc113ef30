import { describe, expect, test } from 'vitest';
import { microcredits, wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { bookPurchase } from '@/server/ledger';
import { disablePartner, enablePartner } from '@/server/partners/partner';
import { saveAppLimits } from '@/server/partners/user-limits';
import { restrictKey } from '@/server/people/keys/restrict';
import { revokeSession, revokeUserKey } from '@/server/people/keys/revoke';
import { KNOWN_BROWSER_COOKIE, rememberBrowser } from '@/server/people/known-browser';
import { exchangeSignInToken } from '@/server/people/sign-in-tokens';
import { newDatabase } from '../../harness';
import {
  APP_ORIGIN,
  CheckoutWindow,
  newApp,
  newUserKey,
  readEvents,
  startCheckout,
  VERIFIER,
} from './checkout-world';

await newDatabase();
const world = await startCheckout();
const elsewhere = await newApp('Elsewhere');

/** Credits that the user bought in another app. */
async function buyElsewhere(email: string, credits: number): Promise<void> {
  const { userId } = await newUserKey(elsewhere, email);
  await inTransaction((tx) =>
    bookPurchase(tx, {
      userId,
      partnerId: elsewhere.id,
      credits: wholeCredits(credits),
      sessionId: `cks_${email}`,
    }),
  );
}

const exchange = (token: string, origin: string | null = APP_ORIGIN) =>
  exchangeSignInToken({ publishableKey: world.app.publishableKey, token, codeVerifier: VERIFIER, origin });

describe('signing in by an e-mailed code', () => {
  test('identifies the user to the window, and the app can exchange the token for a key', async () => {
    const window = await CheckoutWindow.open(world);
    const { sign_in_token, state } = await window.signIn('ada@example.com');
    expect(state).toMatchObject({
      signed_in: 'session',
      email: 'ada@example.com',
      balance: 0,
      status: 'insufficient_credits',
      money: 0,
    });
    const { appUserId, userKey } = await exchange(sign_in_token);
    expect(userKey).toMatch(/^svc_sk_/);
    const [event] = await readEvents(world.app, 'user_key.created');
    expect(event?.data).toMatchObject({ user_id: appUserId, metadata: { account: 'a-17' } });
  });

  test('lets the window request further tokens, each valid once', async () => {
    const window = await CheckoutWindow.open(world);
    await window.signIn('again@example.com');
    const { body } = await window.post('/sign-in-token');
    expect((await exchange(String(body.sign_in_token))).userKey).toMatch(/^svc_sk_/);
    await expect(exchange(String(body.sign_in_token))).rejects.toMatchObject({ code: 'invalid_grant' });
  });

  test('returns a token that another origin cannot use', async () => {
    const window = await CheckoutWindow.open(world);
    const { sign_in_token } = await window.signIn('origin@example.com');
    await expect(exchange(sign_in_token, 'https://evil.example')).rejects.toMatchObject({
      code: 'invalid_grant',
    });
  });

  test('rejects a code that was sent to another window', async () => {
    const email = 'phished@example.com';
    const mine = await CheckoutWindow.open(world);
    const theirs = await CheckoutWindow.open(world);
    const { body: sent } = await mine.post('/send-code', { email });
    expect(sent).toMatchObject({ expires_in: 600, resend_in: 0 });
    const code = await mine.readCode(email);
    const refused = await theirs.post('/verify-code', { challenge_id: sent.challenge_id, email, code });
    expect(refused.body).toMatchObject({ error: { type: 'invalid_code' } });
    expect((await theirs.get()).body).toMatchObject({ signed_in: null });
  });

  test('succeeds once when the same code is sent twice in parallel', async () => {
    const email = 'twice@example.com';
    const window = await CheckoutWindow.open(world);
    const { body: sent } = await window.post('/send-code', { email });
    const entry = { challenge_id: sent.challenge_id, email, code: await window.readCode(email) };
    const responses = await Promise.all([
      window.post('/verify-code', entry),
      window.post('/verify-code', entry),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await prisma().session.count({ where: { user: { email } } })).toBe(1);
  });

  test('is undone by signing out, which ends the device with its keys', async () => {
    const window = await CheckoutWindow.open(world);
    const { sign_in_token } = await window.signIn('leaving@example.com');
    const { keyId } = await exchange(sign_in_token);
    expect((await window.post('/sign-out')).body).toMatchObject({ state: { signed_in: null, email: null } });
    const key = await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } });
    expect(key.revokeReason).toBe('session_revoked');
    expect((await window.post('/sign-in-token')).status).toBe(403);
  });

  test('ends when the device is logged out elsewhere', async () => {
    const window = await CheckoutWindow.open(world);
    await window.signIn('stolen@example.com');
    const { sessionId } = await prisma().checkoutVisit.findUniqueOrThrow({ where: { id: window.visitId } });
    await inTransaction((tx) => revokeSession(tx, sessionId ?? ''));
    expect((await window.get()).body).toMatchObject({ signed_in: null, balance: null });
    expect((await window.post('/allowance', { credits: 5, save_id: 'save-one' })).status).toBe(403);
    expect((await window.post('/payments', { amount: 10 })).status).toBe(401);
  });

  test('makes the browser known, which a frame keeps under the site of its page only', async () => {
    const cookiesOf = async (display: string, email: string) => {
      const window = await CheckoutWindow.open(world, { display });
      const { body } = await window.post('/send-code', { email });
      const entry = { challenge_id: body.challenge_id, email, code: await window.readCode(email) };
      const { headers } = await window.post('/verify-code', entry);
      return headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*; Max-Age=\d+/, ''));
    };
    expect(await cookiesOf('embedded', 'framed@example.com')).toEqual([
      '__Host-svc-known; Path=/; HttpOnly; Secure; SameSite=None; Partitioned',
    ]);
    expect(await cookiesOf('popup', 'popped@example.com')).toEqual([
      '__Host-svc-known; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-svc-session; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  test('succeeds in a known browser when strangers used up the codes of the address @attack', async () => {
    const email = 'popular@example.com';
    Object.assign(settings(), { LIMIT_CODES_PER_EMAIL_PER_HOUR: 1 });
    const cookie = `${KNOWN_BROWSER_COOKIE}=${rememberBrowser(null, email)}`;
    const stranger = await CheckoutWindow.open(world);
    expect((await stranger.post('/send-code', { email })).status).toBe(200);
    const refused = await stranger.post('/send-code', { email });
    expect(refused.status).toBe(429);

    const window = await CheckoutWindow.open(world);
    const known = { cookie: `${window.cookie}; ${cookie}` };
    const { body: sent } = await window.post('/send-code', { email }, known);
    const entry = { challenge_id: sent.challenge_id, email, code: await window.readCode(email) };
    expect((await window.post('/verify-code', entry, known)).status).toBe(200);
    Object.assign(settings(), { LIMIT_CODES_PER_EMAIL_PER_HOUR: 0 });
  });

  test('is refused for a disabled app', async () => {
    const window = await CheckoutWindow.open(world);
    await disablePartner(world.app.id);
    const refused = await window.post('/send-code', { email: 'late@example.com' });
    await enablePartner(world.app.id);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ error: { type: 'partner_disabled' } });
  });
});

test('a signed-in user sees the limits that the app sets, and that one of them is reached', async () => {
  const email = 'limited@example.com';
  await buyElsewhere(email, 700);
  const limits = { request: null, day: null, month: microcredits(500_000n), models: null };
  await inTransaction((tx) => saveAppLimits(world.app.id, limits, tx));
  const window = await CheckoutWindow.open(world);
  await window.signIn(email);
  const { body } = await window.get();
  const month = { scope: 'partner', period: 'month', most: 0.5, used: 0 };
  expect(body).toMatchObject({
    balance: 0,
    status: 'partner_limit_reached',
    limited_by: { scope: 'partner', kind: 'month', path: null },
    limits: [{ ...month, resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/) }],
  });
  await inTransaction((tx) => saveAppLimits(world.app.id, { ...limits, month: null }, tx));
  expect((await window.get()).body).toMatchObject({ limited_by: null, limits: [] });
});

describe('the account that a window knows', () => {
  const OTHER_ACCOUNT = { refused: 'other_account' };
  const accountsOf = (email: string) => prisma().user.count({ where: { email } });

  test('by the key of the app is not replaced by a code for another address, until the user says so @attack', async () => {
    const { userKey } = await newUserKey(world.app, 'usual@example.com');
    const window = await CheckoutWindow.open(world);
    await window.post('/recognise', { user_key: userKey });
    const entry = await window.requestCode('typing-error@example.com');
    const refused = await window.post('/verify-code', entry);
    // Nothing of the other account, whose owner may be somebody else, and no new account.
    expect([refused.body, refused.headers.getSetCookie()]).toEqual([OTHER_ACCOUNT, []]);
    expect((await window.get()).body).toMatchObject({ signed_in: 'key', email: null });
    expect(await accountsOf('typing-error@example.com')).toBe(0);
    const { body } = await window.post('/verify-code', { ...entry, changes_account: true });
    expect(body).toMatchObject({ state: { signed_in: 'session', email: 'typing-error@example.com' } });
    expect((await exchange(String(body.sign_in_token))).userKey).toMatch(/^svc_sk_/);
  });

  test('by a sign-in is not replaced by a code for another address either @attack', async () => {
    const window = await CheckoutWindow.open(world);
    await window.signIn('first@example.com');
    expect(await window.signIn('second@example.com')).toEqual(OTHER_ACCOUNT);
    expect((await window.get()).body).toMatchObject({ email: 'first@example.com' });
    expect(await accountsOf('second@example.com')).toBe(0);
  });

  test('is not replaced by parallel codes for two addresses @attack', async () => {
    const window = await CheckoutWindow.open(world);
    const entries = [
      await window.requestCode('left@example.com'),
      await window.requestCode('right@example.com'),
    ];
    const responses = await Promise.all(entries.map((entry) => window.post('/verify-code', entry)));
    expect(responses.filter(({ body }) => 'sign_in_token' in body)).toHaveLength(1);
  });

  test('is confirmed by a code for its own address, however it is written', async () => {
    const { userKey } = await newUserKey(world.app, 'same@example.com');
    const window = await CheckoutWindow.open(world);
    await window.post('/recognise', { user_key: userKey });
    const code = await window.requestCode('same@example.com');
    const { body } = await window.post('/verify-code', { ...code, email: ' Same@Example.com' });
    expect(body).toMatchObject({ state: { signed_in: 'session', email: 'same@example.com' } });
  });

  test('ends with its key, and anyone can sign in', async () => {
    const { userKey, keyId } = await newUserKey(world.app, 'earlier@example.com');
    const window = await CheckoutWindow.open(world);
    await window.post('/recognise', { user_key: userKey });
    await inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }));
    expect((await window.signIn('later@example.com')).state).toMatchObject({ email: 'later@example.com' });
  });
});

describe('recognition by a key that the app holds', () => {
  test('shows what the app can spend and nothing private to the user', async () => {
    await buyElsewhere('held@example.com', 700);
    const { userKey } = await newUserKey(world.app, 'held@example.com');
    const window = await CheckoutWindow.open(world);
    const { body } = await window.post('/recognise', { user_key: userKey });
    expect(body).toMatchObject({
      state: {
        signed_in: 'key',
        balance: 0,
        status: 'partner_not_permitted',
        email: null,
        money: null,
        allowance_saved: null,
        allowance_left: null,
        limited_by: null,
        limits: [],
      },
    });
  });

  test('allows neither saving an allowance nor fetching a token before the user confirms', async () => {
    const { userKey } = await newUserKey(world.app, 'absent@example.com');
    const window = await CheckoutWindow.open(world);
    await window.post('/recognise', { user_key: userKey });
    for (const refused of [
      await window.post('/allowance', { credits: 100, save_id: 'save-one' }),
      await window.post('/sign-in-token'),
    ]) {
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ error: { type: 'step_up_required' } });
    }
    expect(await readEvents(world.app, 'credits.added')).toEqual([]);
  });

  test('applies the restrictions of the key to the page that opened the window', async () => {
    const { userKey, keyId } = await newUserKey(world.app, 'restricted@example.com');
    const { userId } = await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } });
    const recognise = async () =>
      (await (await CheckoutWindow.open(world)).post('/recognise', { user_key: userKey })).status;
    await restrictKey(userId, keyId, { networks: '', origins: 'https://elsewhere.example' });
    expect(await recognise()).toBe(403);
    await restrictKey(userId, keyId, { networks: '', origins: APP_ORIGIN });
    expect(await recognise()).toBe(200);
    await restrictKey(userId, keyId, { networks: '203.0.113.7', origins: '' });
    expect(await recognise()).toBe(403);
  });

  test('ends with signing out, which revokes that key, as the window says, and no device', async () => {
    const { userKey, userId, keyId } = await newUserKey(world.app, 'leaves@example.com');
    const window = await CheckoutWindow.open(world);
    await window.post('/recognise', { user_key: userKey });
    expect((await window.post('/sign-out')).body).toMatchObject({ state: { signed_in: null } });
    const live = { userId, revokedAt: null };
    expect([
      await prisma().userKey.count({ where: live }),
      await prisma().session.count({ where: live }),
    ]).toEqual([0, 1]);
    const revocations = await readEvents(world.app, 'user_key.revoked');
    expect(revocations.at(-1)?.data).toMatchObject({ key_id: keyId, reason: 'session_revoked' });
  });

  test('also ends with signing out after a confirmation, without revoking an earlier user’s key', async () => {
    const mine = await newUserKey(world.app, 'both@example.com');
    const before = await newUserKey(world.app, 'before@example.com');
    for (const { userKey } of [mine, before]) {
      const window = await CheckoutWindow.open(world);
      await window.post('/recognise', { user_key: userKey });
      await window.signIn('both@example.com', { changes_account: true });
      await window.post('/sign-out');
    }
    const live = (keyId: string) => prisma().userKey.count({ where: { id: keyId, revokedAt: null } });
    expect([await live(mine.keyId), await live(before.keyId)]).toEqual([0, 1]);
  });

  test('fails the same way for a key of another app, a revoked key and an invalid one', async () => {
    const foreign = await newUserKey(elsewhere, 'foreign@example.com');
    const revoked = await newUserKey(world.app, 'revoked@example.com');
    await inTransaction((tx) => revokeUserKey(tx, { keyId: revoked.keyId, reason: 'user_revoked' }));
    const window = await CheckoutWindow.open(world);
    for (const userKey of [
      foreign.userKey,
      revoked.userKey,
      'svc_sk_nothing',
      'not a key\r\n',
      world.app.publishableKey,
    ]) {
      const refused = await window.post('/recognise', { user_key: userKey });
      expect(refused.status).toBe(401);
      expect(refused.body).toMatchObject({ error: { type: 'invalid_user_key' } });
    }
    expect((await window.get()).body).toMatchObject({ signed_in: null });
  });

  test('ends as soon as the key is revoked', async () => {
    const { userKey, keyId } = await newUserKey(world.app, 'ended@example.com');
    const window = await CheckoutWindow.open(world);
    await window.post('/recognise', { user_key: userKey });
    expect((await window.get()).body).toMatchObject({ signed_in: 'key', balance: 0 });
    await inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }));
    expect((await window.get()).body).toMatchObject({ signed_in: null, balance: null, status: null });
    expect((await window.post('/payments', { amount: 10 })).status).toBe(401);
  });

  test('does not replace a sign-in by the user', async () => {
    const other = await newUserKey(world.app, 'other@example.com');
    const window = await CheckoutWindow.open(world);
    await window.signIn('owner@example.com');
    const { body } = await window.post('/recognise', { user_key: other.userKey });
    expect(body).toMatchObject({ state: { signed_in: 'session', email: 'owner@example.com' } });
  });
});

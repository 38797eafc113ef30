import { describe, expect, test } from 'vitest';
import { inTransaction, prisma } from '@/server/base/db';
import { addOrigin } from '@/server/partners/partner';
import { requireUserKey } from '@/server/people/access/authenticate';
import { revokeSession } from '@/server/people/keys/revoke';
import { SESSION_COOKIE } from '@/server/people/session-cookie';
import { type Confirmation, openSession } from '@/server/people/sessions';
import { exchangeSignInToken } from '@/server/people/sign-in-tokens';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import { APP_ORIGIN, newUserKey, openRequest, send, startCheckout, VERIFIER } from './checkout-world';

/** First-party windows, where the browser sends the cookie of its session with the service. */

await newDatabase();
const world = await startCheckout();
const address = `${world.url}/checkout/api/visits`;

async function newBrowser(email: string, confirmedBy: Confirmation = 'code') {
  const { userId, sessionId, token } = await inTransaction(async (tx) => {
    const { id } = await openUser(tx, email);
    return { userId: id, ...(await openSession(tx, { userId: id, userAgent: 'test', confirmedBy })) };
  });
  return { userId, sessionId, cookie: `${SESSION_COOKIE}=${token}` };
}

async function openWindow(cookie: string, changes: Record<string, unknown> = { display: 'popup' }) {
  const opened = await send(address, 'POST', { origin: world.url, cookie }, openRequest(world, changes));
  const [visitCookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
  const visit = `${address}/${opened.body.visit_id}`;
  const headers = { origin: world.url, cookie: `${cookie}; ${visitCookie}` };
  return {
    read: async () => (await send(visit, 'GET', headers)).body,
    issueToken: () => send(`${visit}/sign-in-token`, 'POST', headers, {}),
    recognise: async (userKey: string) =>
      (await send(`${visit}/recognise`, 'POST', headers, { user_key: userKey })).body,
  };
}

const exchange = (token: unknown, heldKey: string | null = null, origin = APP_ORIGIN) =>
  exchangeSignInToken({
    publishableKey: world.app.publishableKey,
    token: String(token),
    codeVerifier: VERIFIER,
    origin,
    heldKey,
  });

describe('a user signed in to the service', () => {
  test.each(['popup', 'new_tab'])(
    'is recognised when a %s opens, and the app gets a key',
    async (display) => {
      const browser = await newBrowser(`${display}@example.com`);
      const window = await openWindow(browser.cookie, { display });
      expect(await window.read()).toMatchObject({ signed_in: 'session', email: `${display}@example.com` });
      const { body } = await window.issueToken();
      const { userKey } = await exchange(body.sign_in_token);
      const request = new Request('http://localhost', { headers: { authorization: `Bearer ${userKey}` } });
      expect((await requireUserKey(request)).userId).toBe(browser.userId);
    },
  );

  test('is not recognised in a frame, even if the frame is same-site and sends the cookie', async () => {
    const browser = await newBrowser('framed@example.com');
    const window = await openWindow(browser.cookie, { display: 'embedded' });
    expect(await window.read()).toMatchObject({ signed_in: null, device_email: null });
    expect((await window.issueToken()).body).toMatchObject({ error: { type: 'step_up_required' } });
  });

  test('is not recognised once the device is logged out', async () => {
    const browser = await newBrowser('gone@example.com');
    await inTransaction((tx) => revokeSession(tx, browser.sessionId));
    const window = await openWindow(browser.cookie);
    expect(await window.read()).toMatchObject({ signed_in: null, device_email: null });
  });

  test('has to confirm on a localhost page, which any program on the device can serve @attack', async () => {
    const browser = await newBrowser('localhost@example.com');
    const window = await openWindow(browser.cookie, { display: 'popup', origin: 'http://localhost:4711' });
    expect(await window.read()).toMatchObject({ signed_in: null });
    await window.issueToken();
    expect(await window.read()).toMatchObject({ signed_in: 'session' });
  });

  test('has to confirm when any app on the device may have opened the window', async () => {
    await addOrigin(world.app.id, 'myapp://*');
    const browser = await newBrowser('webview@example.com');
    const window = await openWindow(browser.cookie, { display: 'popup', origin: 'myapp://home' });
    expect(await window.read()).toMatchObject({
      signed_in: null,
      email: null,
      device_email: 'w•••@example.com',
    });
    const { body } = await window.issueToken();
    expect((await exchange(body.sign_in_token, null, 'myapp://home')).userKey).toMatch(/^svc_sk_/);
    expect(await window.read()).toMatchObject({
      signed_in: 'session',
      email: 'webview@example.com',
      device_email: null,
    });
  });
});

describe.each(['code', 'passkey'] as const)(
  'a user who signed in to the service with a %s',
  (confirmedBy) => {
    test('does not replace the account whose key the app holds, neither as the window opens nor with a click @attack', async () => {
      const owner = await newUserKey(world.app, `owner-${confirmedBy}@example.com`);
      const browser = await newBrowser(`device-${confirmedBy}@example.com`, confirmedBy);
      const window = await openWindow(browser.cookie);
      expect(await window.read()).toMatchObject({ email: `device-${confirmedBy}@example.com` });
      const known = { signed_in: 'key', email: null, device_email: null };
      expect(await window.recognise(owner.userKey)).toMatchObject({ state: known });
      expect((await window.issueToken()).body).toMatchObject({ error: { type: 'step_up_required' } });
      expect(await window.read()).toMatchObject(known);
    });

    test('stays signed in if the key is their own', async () => {
      const email = `both-${confirmedBy}@example.com`;
      const browser = await newBrowser(email, confirmedBy);
      const { userKey } = await newUserKey(world.app, email);
      const window = await openWindow(browser.cookie);
      expect(await window.recognise(userKey)).toMatchObject({ state: { signed_in: 'session', email } });
    });
  },
);

describe('an app that presents its key', () => {
  test('keeps it, however often the window opens, so no other device loses its key', async () => {
    const browser = await newBrowser('daily@example.com');
    const keys = new Set<string>();
    let held: string | null = null;
    for (let day = 0; day < 3; day++) {
      const { body } = await (await openWindow(browser.cookie)).issueToken();
      held = (await exchange(body.sign_in_token, held)).userKey;
      keys.add(held);
    }
    expect(keys.size).toBe(1);
    expect(await prisma().userKey.count({ where: { userId: browser.userId } })).toBe(1);
  });

  test.each([
    ['of another person', 'other@example.com'],
    ['of another device of the same person', 'same@example.com'],
  ])('gets a new key when its key is one %s', async (_, owner) => {
    const owningBrowser = await newBrowser(owner);
    const first = await (await openWindow(owningBrowser.cookie)).issueToken();
    const { userKey: held } = await exchange(first.body.sign_in_token);
    const mine = await newBrowser('same@example.com');
    const { body } = await (await openWindow(mine.cookie)).issueToken();
    const { userKey } = await exchange(body.sign_in_token, held);
    expect(userKey).not.toBe(held);
  });

  test.each(['', 'svc_sk_nonsense', 'svc_pk_wrong kind', 'x'.repeat(5000)])(
    'gets a new key when its key is invalid: %.20s',
    async (held) => {
      const browser = await newBrowser('nonsense@example.com');
      const { body } = await (await openWindow(browser.cookie)).issueToken();
      expect((await exchange(body.sign_in_token, held)).userKey).toMatch(/^svc_sk_/);
    },
  );
});

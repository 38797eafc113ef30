import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { POST as exchange } from '@/app/auth/token/route.api';
import { prisma } from '@/server/base/db';
import { disablePartner } from '@/server/partners/partner';
import { removeRedirect } from '@/server/partners/redirects';
import { allowRedirect, checkRedirect, denyRedirect } from '@/server/people/authorize';
import { newDatabase } from '../../harness';
import { liveKeyIds, newAppUser, newDevice, newPartner, registerRedirects } from './app-world';

await newDatabase();

const VERIFIER = 'a verifier that only the app knows, 43+ characters';
const partner = await newPartner(['https://app.example.com', 'myapp://*', 'https://shared.example']);
await registerRedirects(partner.id, [
  'https://app.example.com/back?keep=1',
  'https://app.example.com/other',
  'https://xn--bcher-kva.example/back',
  'https://[2001:db8::1]/back',
  'myapp://callback',
  'com.example.app:/signed-in',
  'http://127.0.0.1:1234/back',
  'http://[::1]/back',
  'http://localhost/back',
]);
const request = {
  publishableKey: partner.publishableKey,
  redirectUri: 'https://app.example.com/back?keep=1',
  challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  challengeMethod: 'S256',
  state: 'a state & more',
};

async function signIn(redirectUri: string) {
  const user = await newAppUser(partner.id);
  const { sessionId } = await newDevice(user.userId);
  const address = await allowRedirect(await checkRedirect({ ...request, redirectUri }), {
    ...user,
    sessionId,
  });
  return { user, sessionId, address, token: new URL(address).searchParams.get('token') };
}

async function use(token: string | null, headers: Record<string, string> = {}, verifier = VERIFIER) {
  const body = {
    grant_type: 'signin_token',
    publishable_key: partner.publishableKey,
    token,
    code_verifier: verifier,
  };
  const response = await exchange(
    new Request('http://svc/auth/token', { method: 'POST', headers, body: JSON.stringify(body) }),
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it('redirects back with a token and the state, and the app exchanges the token for a key', async () => {
  const { user, sessionId, address, token } = await signIn(request.redirectUri);
  expect(address).toMatch(/^https:\/\/app\.example\.com\/back\?keep=1&token=svc_st_\w{43}&state=a\+state/);
  expect(address).not.toContain(user.email);
  expect(address).not.toContain(user.userId);
  const { status, body } = await use(token);
  expect([status, body.user_id]).toEqual([200, user.appUserId]);
  expect(await liveKeyIds(user)).toEqual([body.key_id]);
  const key = await prisma().userKey.findUniqueOrThrow({ where: { id: String(body.key_id) } });
  expect(key.sessionId).toBe(sessionId);
});

it('a token for an app with a custom scheme is valid without an origin and on the app’s own pages', async () => {
  expect((await use((await signIn('myapp://callback')).token)).status).toBe(200);
  expect((await use((await signIn('myapp://callback')).token, { origin: 'myapp://localhost' })).status).toBe(
    200,
  );
  for (const origin of ['https://app.example.com', 'myapp2://localhost', 'null', 'http://localhost:3000'])
    expect((await use((await signIn('myapp://callback')).token, { origin })).status).toBe(400);
});

it('a token is valid only with its verifier and from its origin', async () => {
  const { token } = await signIn('http://127.0.0.1:5999/back');
  expect((await use(token, {}, 'another verifier')).status).toBe(400);
  expect((await use(token, { origin: 'https://app.example.com' })).status).toBe(400);
  expect((await use(token, { origin: 'http://127.0.0.1:5999' })).status).toBe(200);
});

it('a user who declines is redirected with an error and no token', async () => {
  const address = denyRedirect(await checkRedirect(request));
  expect(address).toBe('https://app.example.com/back?keep=1&error=access_denied&state=a+state+%26+more');
});

it.each([
  'https://app.example.com/back?keep=1',
  'HTTPS://APP.example.com:443/back?keep=1',
  'https://app.example.com/x/../back?keep=1',
  'https://XN--bcher-kva.example/back',
  'https://[2001:DB8:0::1]/back',
  'myapp://callback',
  'com.example.app:/signed-in',
  'http://127.0.0.1/back',
  'http://127.0.0.1:59999/back',
  'http://[::1]:59999/back',
  'http://localhost:3000/back',
])('redirects to the registered address %s', async (redirectUri) => {
  const { returnTo } = await checkRedirect({ ...request, redirectUri });
  expect(returnTo.href).toBe(new URL(redirectUri).href);
});

const UNREGISTERED =
  /^redirect_uri: \S+ is not registered for this app\. Add exactly this address under Origins/;
const MALFORMED = /^redirect_uri: (must|is too long)/;

it.each([
  // Another path, query or origin of a registered site, such as its open redirect.
  ...[
    'https://app.example.com/',
    'https://app.example.com/back',
    'https://app.example.com/back/?keep=1',
    'https://app.example.com/back?keep=1&keep=2',
    'https://app.example.com/back?keep=1&next=https://evil.example',
    'https://app.example.com/Back?keep=1',
    'https://app.example.com/back%2f?keep=1',
    'https://app.example.com//back?keep=1',
    'https://app.example.com/back;x?keep=1',
    'https://app.example.com/back?keep=1&',
    'https://app.example.com/redirect?to=https://evil.example',
    'https://app.example.com/cb?token=fixed',
    'https://app.example.com/~another-user/back',
    'https://shared.example/back',
    'https://app.example.com/back/../redirect?keep=1',
    'https://app.example.com/%2e%2e/redirect',
    'myapp://callback/',
    'myapp://callback?next=1',
    'myapp://other',
    'com.example.app:/signed-in/x',
    'com.example.app://signed-in',
    'http://localhost/',
    'http://localhost/back?x=1',
    'http://localhost:3000/other',
    'https://localhost/back',
    'https://127.0.0.1/back',
    'http://127.0.0.1:1234/',
  ].map((uri) => [uri, UNREGISTERED] as const),
  // Userinfo, backslash, suffix, port, case, schemes, dots, addresses, blob and fragment.
  ...[
    'https://evil.example/back',
    'https://app.example.com.evil.example/back?keep=1',
    'https://evil.example/app.example.com/back?keep=1',
    'https://evilapp.example.com/back?keep=1',
    'https://app.example.com:8443/back?keep=1',
    'https://app.example.com:80/back?keep=1',
    'https://evil.example\\@app.example.com/back?keep=1',
    'https://evil.example\\.app.example.com/back?keep=1',
    'https://[::ffff:127.0.0.1]/back',
    'https://0x7f.1/back',
    'https://2130706433/back',
    'otherapp://callback',
    'myapp2://callback',
    'MYAPP://CALLBACK',
  ].map((uri) => [uri, UNREGISTERED] as const),
  ...[
    'http://app.example.com/back?keep=1',
    'http://localhost.evil.example/back',
    'http://127.0.0.2/back',
    'http://localhost./back',
    'https://app.example.com./back?keep=1',
    'https://evil.example%E3%80%82/back',
    'https://user@app.example.com/back?keep=1',
    'https://app.example.com@evil.example/back',
    'https://:secret@app.example.com/back?keep=1',
    'https://app.example.com/back?keep=1#part',
    'https://app.example.com/back?keep=1#',
    'https://*.example.com/back',
    'myapp://*',
    'myapp:callback',
    'javascript:alert(1)',
    'javascript://app.example.com/%0aalert(1)',
    'data:text/html,hi',
    'blob:https://app.example.com/1',
    'file:///etc/passwd',
    'view-source:https://app.example.com/back',
    'ftp://app.example.com/back',
    'intent://app.example.com/back',
    '//app.example.com/back?keep=1',
    '/back?keep=1',
    'app.example.com/back',
    'https://app.example.com/\r\nx',
    'https://app.example\u3002com/back?keep=1',
    'https://app.example.com/\u202eback',
    '',
  ].map((uri) => [uri, MALFORMED] as const),
])('never redirects to %j @attack', async (redirectUri, message) => {
  await expect(checkRedirect({ ...request, redirectUri })).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'redirect_uri',
    message: expect.stringMatching(message),
  });
});

it('an address of more than 2,000 characters is neither redirected to nor repeated @attack', async () => {
  const redirectUri = `https://app.example.com/${'x'.repeat(2_000)}`;
  await expect(checkRedirect({ ...request, redirectUri })).rejects.toThrow('redirect_uri: is too long');
});

it('one app’s redirect address is not another’s @attack', async () => {
  const { publishableKey } = await newPartner(['https://app.example.com']);
  await expect(checkRedirect({ ...request, publishableKey })).rejects.toThrow(UNREGISTERED);
});

it('a token for an address that was removed since is refused @attack', async () => {
  await registerRedirects(partner.id, ['https://app.example.com/leaky']);
  const [first, second] = [await signIn('https://app.example.com/leaky'), await signIn(request.redirectUri)];
  await removeRedirect(partner.id, 'https://app.example.com/leaky');
  expect((await use(first.token)).status).toBe(400);
  expect((await use(second.token)).status).toBe(200);
});

it('requires an S256 challenge, a state of limited length and an enabled app', async () => {
  for (const bad of [
    { challengeMethod: 'plain' },
    { challengeMethod: '' },
    { challenge: VERIFIER },
    { challenge: '' },
    { state: 'x'.repeat(501) },
  ])
    await expect(checkRedirect({ ...request, ...bad })).rejects.toMatchObject({ code: 'invalid_request' });
  const disabled = await newPartner();
  await disablePartner(disabled.id);
  const { publishableKey } = disabled;
  await expect(checkRedirect({ ...request, publishableKey })).rejects.toMatchObject({
    code: 'partner_disabled',
  });
});

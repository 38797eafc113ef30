import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { POST as exchange } from '@/app/auth/token/route';
import { prisma } from '@/server/db';
import { allowRedirect, checkRedirect, denyRedirect } from '@/server/identity/authorize';
import { disablePartner } from '@/server/partners/partner';
import { newDatabase } from '../harness';
import { liveKeyIds, newAppUser, newDevice, newPartner } from './app-world';

await newDatabase();

const VERIFIER = 'a verifier that only the app knows, 43+ characters';
const partner = await newPartner(['https://app.example.com', 'myapp://*']);
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
  ['https://evil.example/back', 'origin_not_allowed'],
  ['https://app.example.com.evil.example/', 'origin_not_allowed'],
  ['https://app.example.com:8443/', 'origin_not_allowed'],
  ['http://app.example.com/', 'origin_not_allowed'],
  ['otherapp://callback', 'origin_not_allowed'],
  ['https://evil.example\\@app.example.com/', 'origin_not_allowed'],
  ['https://user@app.example.com/', 'invalid_request'],
  ['https://app.example.com/#part', 'invalid_request'],
  ['javascript:alert(1)', 'invalid_request'],
  ['javascript://app.example.com/%0aalert(1)', 'origin_not_allowed'],
  ['data:text/html,hi', 'invalid_request'],
  ['//app.example.com/', 'invalid_request'],
  ['https://app.example.com/\r\nx', 'invalid_request'],
  ['', 'invalid_request'],
])('never redirects to %j', async (redirectUri, code) => {
  await expect(checkRedirect({ ...request, redirectUri })).rejects.toMatchObject({ code });
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

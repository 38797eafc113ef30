import { expect, test } from 'vitest';
import { readRedirect, redirectParameters } from '@/app/(sign-in)/auth/authorize/request';
import { DEVICE_GRANT } from '@/server/api/oauth';
import { settings } from '@/server/base/env';
import { allowRedirect, checkRedirect, denyRedirect } from '@/server/people/authorize';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { liveKeyIds, newAppUser, newDevice, newPartner, registerRedirects } from './app-world';
import { errorOf, OauthClient } from './oauth-client';

await newDatabase();
const { url } = await startApi();
settings().BASE_URL = url;
const partner = await newPartner();
const BACK = 'http://127.0.0.1:59123/back';
await registerRedirects(partner.id, ['http://127.0.0.1/back', 'myapp://back']);

const newClient = () => OauthClient.discover(url, partner.publishableKey);

/** What our page does with the address that a client sends the browser to. */
const checkAddress = (address: string) =>
  checkRedirect(readRedirect(redirectParameters.parse(Object.fromEntries(new URL(address).searchParams))));

/** Signs a new user in, and returns the address that their browser returns to. */
async function signIn(client: OauthClient, redirectUri = BACK, state = 'state one') {
  const user = await newAppUser(partner.id);
  const { sessionId } = await newDevice(user.userId);
  const checked = await checkAddress(await client.authorizeAddress(redirectUri, state));
  return { user, returned: await allowRedirect(checked, { ...user, sessionId }) };
}

const request = (path: string, fields: Record<string, string> | string[][]) =>
  fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) });

const refusalOf = async (response: Response) => {
  const { error, error_description, ...rest } = (await response.json()) as Record<string, string>;
  expect(Object.keys(rest)).toEqual([]);
  expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  return [response.status, error];
};

test('an unchanged OAuth client that knows the base URL signs a user in, pays with the token and revokes it', async () => {
  const client = await newClient();
  expect(client.server).toMatchObject({ issuer: url, authorization_endpoint: `${url}/auth/authorize` });
  const { user, returned } = await signIn(client);
  expect(returned).not.toContain('token=');
  const token = await client.exchange(returned, BACK, 'state one');
  expect(token).toMatchObject({ token_type: 'bearer', scope: 'credits', user_id: user.appUserId });
  expect(await liveKeyIds(user)).toEqual([token.key_id]);
  const balance = () =>
    fetch(`${url}/v1/credits/balance`, { headers: { authorization: `Bearer ${token.access_token}` } });
  expect((await balance()).status).toBe(200);
  await client.revoke(token.access_token);
  expect((await balance()).status).toBe(401);
  await client.revoke(token.access_token);
});

test('every endpoint of the metadata answers, and no other grant is accepted than those it lists', async () => {
  const { server } = await newClient();
  for (const path of [
    server.token_endpoint,
    server.device_authorization_endpoint,
    server.revocation_endpoint,
  ])
    expect(await refusalOf(await request(new URL(path ?? '').pathname, {}))).toEqual([
      400,
      'invalid_request',
    ]);
  for (const grant_type of ['refresh_token', 'client_credentials', 'password', 'signin_token', ''])
    expect(await refusalOf(await request('/oauth/token', { grant_type }))).toEqual([
      400,
      'unsupported_grant_type',
    ]);
  expect(await refusalOf(await fetch(`${url}/oauth/token`))).toEqual([405, 'invalid_request']);
  expect(await refusalOf(await fetch(`${url}/oauth/authorize`))).toEqual([404, 'invalid_request']);
});

test.each(['/oauth/token', '/oauth/device', '/oauth/revoke'])(
  'a repeated parameter of %s is an invalid_request, even if the values agree',
  async (path) => {
    const fields = {
      grant_type: DEVICE_GRANT,
      client_id: partner.publishableKey,
      token: 'x',
      device_code: 'x',
    };
    for (const [name, value] of Object.entries({ ...fields, unknown: 'x' })) {
      const repeated = [...Object.entries({ ...fields, unknown: 'x' }), [name, value]];
      expect(await refusalOf(await request(path, repeated))).toEqual([400, 'invalid_request']);
    }
    const once = await request(path, Object.entries(fields));
    expect([200, 'invalid_grant', 'expired_token']).toContain(once.ok ? 200 : (await refusalOf(once))[1]);
  },
);

test('a code is exchanged once: a second use is invalid_grant and revokes the key @attack', async () => {
  const client = await newClient();
  const { user, returned } = await signIn(client);
  await client.exchange(returned, BACK, 'state one');
  expect(await client.exchange(returned, BACK, 'state one').catch(errorOf)).toBe('invalid_grant');
  expect(await liveKeyIds(user)).toEqual([]);
});

test.each([
  ['another port', 'http://127.0.0.1:59124/back'],
  ['another path', 'http://127.0.0.1:59123/other'],
  ['another address of the app', 'myapp://back'],
  ['no address', 'none'],
])('a code is refused with %s than it was sent to @attack', async (_, redirectUri) => {
  const client = await newClient();
  const { user, returned } = await signIn(client);
  expect(await client.exchange(returned, redirectUri, 'state one').catch(errorOf)).toBe('invalid_grant');
  expect(await liveKeyIds(user)).toEqual([]);
});

test('a code for an app with its own scheme is exchanged too', async () => {
  const client = await newClient();
  const { returned } = await signIn(client, 'myapp://back');
  expect((await client.exchange(returned, 'myapp://back', 'state one')).access_token).toMatch(/^svc_sk_/);
});

test('an unknown client is invalid_client, and another app’s code is invalid_grant @attack', async () => {
  const client = await newClient();
  const { returned } = await signIn(client);
  const code = new URL(returned).searchParams.get('code') ?? '';
  const other = await newPartner();
  const exchange = { grant_type: 'authorization_code', code, code_verifier: 'v'.repeat(43) };
  const of = (client_id: string) => request('/oauth/token', { ...exchange, client_id });
  expect(await refusalOf(await of(other.publishableKey))).toEqual([400, 'invalid_grant']);
  expect(await refusalOf(await request('/oauth/device', { client_id: 'svc_pk_none' }))).toEqual([
    401,
    'invalid_client',
  ]);
});

test('a user who declines is redirected with the error, the state and the issuer', async () => {
  const client = await newClient();
  const checked = await checkAddress(await client.authorizeAddress(BACK, 'two'));
  expect(denyRedirect(checked)).toBe(`${BACK}?error=access_denied&state=two&iss=${encodeURIComponent(url)}`);
});

test.each(['token', 'code token', ''])(
  'the response type %j is refused before any redirect',
  async (type) => {
    const address = new URL(await (await newClient()).authorizeAddress(BACK, 'three'));
    address.searchParams.set('response_type', type);
    await expect(checkAddress(address.href)).rejects.toMatchObject({ param: 'response_type' });
  },
);

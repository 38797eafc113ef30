import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { readRedirect, redirectParameters } from '@/app/(sign-in)/auth/authorize/request';
import { listenOnLoopback } from '@/sandbox/loopback-server';
import { TOOLS } from '@/server/api/mcp/serve';
import { HOUR_MS, setClock } from '@/server/base/clock';
import { settings } from '@/server/base/env';
import { addOrigin, createPartner, disablePartner, listOrigins } from '@/server/partners/partner';
import { findProposed } from '@/server/partners/proposals';
import { signUpPartner } from '@/server/partners/sign-up';
import { setEndpoint } from '@/server/partners/webhooks/endpoint';
import { createSecret, revealSecret } from '@/server/partners/webhooks/signing-secret';
import { allowRedirect, checkRedirect } from '@/server/people/authorize';
import { newDatabase } from '../harness';
import { startApi } from '../harness/api-server';
import { newPerson, type Person } from '../harness/people';
import { newAppUser, newDevice, newPartner, registerRedirects } from '../people/identity/app-world';

/** The MCP server, called by the official client and by hostile ones. */

process.env.WEBHOOK_ALLOW_LOOPBACK = 'true';
await newDatabase();
const { url } = await startApi({ trustedProxies: ['127.0.0.1'] });
settings().BASE_URL = url;
const ENDPOINT = new URL(`${url}/mcp`);

const person = await newPerson({ credits: 100 });
const other = await newPerson({ credits: 100 });
type Headers = Record<string, string>;
const as = ({ userKey }: Pick<Person, 'userKey'>): Headers => ({ authorization: `Bearer ${userKey}` });

/** As in the protocol of 2025, unless the client may negotiate. */
async function connect(headers: Headers = {}, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(ENDPOINT, { requestInit: { headers } }));
  return client;
}

async function textOf(client: Client, name: string, input = {}): Promise<{ failed: boolean; text: string }> {
  const { isError = false, content } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  return { failed: isError, text: first?.text ?? '' };
}

/** The result of a tool as JSON. */
async function call(headers: Headers, name: string, input = {}) {
  const client = await connect(headers);
  const { failed, text } = await textOf(client, name, input).finally(() => client.close());
  return { failed, body: JSON.parse(text) };
}

/** What a person submits on the page for a new app. */
async function newSignUp() {
  const { userId, email } = await newAppUser((await newPartner()).id);
  return { email, userId, teamId: null, name: `Proposed ${userId.slice(-8)}`, rateBp: 1_000, origins: [] };
}

const JSON_RPC = { jsonrpc: '2.0', id: 1 };
const ACCEPTED = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const post = (body: unknown, headers: Headers = {}): Promise<Response> =>
  fetch(ENDPOINT, {
    method: 'POST',
    headers: { ...ACCEPTED, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const postCall = (name: string, headers: Headers, input = {}): Promise<Response> =>
  post({ ...JSON_RPC, method: 'tools/call', params: { name, arguments: input } }, headers);

const typeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { type: string } }).error.type;

const read = async (path: string, headers: Headers): Promise<unknown> =>
  (await fetch(url + path, { headers })).json();

async function spend({ userKey }: Person): Promise<string> {
  const body = { model: 'sandbox/echo', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
  const init = { method: 'POST', headers: as({ userKey }), body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1/chat/completions`, init);
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

test.each(['legacy', 'auto'] as const)(
  'the official client lists every tool and calls one, with the protocol that is %s',
  async (mode) => {
    const client = await connect({}, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { name, annotations } of tools)
      expect([name, annotations?.readOnlyHint]).toEqual([name, !/^(send|create|add)_/.test(name)]);
    expect((await textOf(client, 'explain_error', { error: '402' })).text).toContain('insufficient_credits');
    await client.close();
  },
);

describe('without a credential', () => {
  test('the documentation is found and read to its end, and no result exceeds its limit', async () => {
    const client = await connect();
    const found = JSON.parse((await textOf(client, 'search_docs', { query: 'webhook signature' })).text);
    expect(found[0]).toMatchObject({ page: expect.stringContaining('webhooks') });
    expect(found[0].url).toMatch(new RegExp(`^${url}/docs/`));
    let [whole, offset] = ['', 0];
    for (;;) {
      const { text } = await textOf(client, 'read_docs', { page: 'clients', offset });
      expect(text.length).toBeLessThan(21_000);
      whole += text;
      const [, next] = /\(Continue with offset (\d+)/.exec(text) ?? [];
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(whole).toContain('# Clients');
    expect(whole).toContain('## curl');
    for (const [name, input] of Object.entries({
      list_models: {},
      explain_error: { error: '401' },
      search_docs: { query: 'a request of the user with credits', limit: 20 },
    }))
      expect((await textOf(client, name, input)).text.length).toBeLessThan(16_000);
    await client.close();
  });

  test('models are listed with their prices, and filtered', async () => {
    const { body } = await call({}, 'list_models', { search: 'SANDBOX/echo' });
    expect(body).toEqual({
      total: 2,
      models: [
        expect.objectContaining({ id: 'sandbox/echo', input: 0.15 }),
        expect.objectContaining({ id: 'sandbox/echo:batch', input: 0.075 }),
      ],
    });
  });

  test('an app is proposed as a page to confirm, and the program reads its key once a person has created it', async () => {
    const input = { name: 'Harbour Notes', commission_percent: 12.5, origin: 'HTTPS://Harbour.example/' };
    const { body: asked } = await call({}, 'create_app', input);
    expect(asked).toMatchObject({ status: 'needs_confirmation', expires_at: expect.any(String) });
    const { proposal } = asked;
    expect(new URL(asked.url).pathname).toBe('/partner/new');
    expect(Object.fromEntries(new URL(asked.url).searchParams)).toEqual({
      name: 'Harbour Notes',
      percent: '12.5',
      origin: 'https://harbour.example',
      proposal,
    });
    expect((await call({}, 'create_app', { ...input, proposal })).body).toEqual(asked);
    expect(await findProposed(proposal)).toBeNull();

    const { publishableKey } = await signUpPartner({ ...(await newSignUp()), proposal });
    const { body: created } = await call({}, 'create_app', { ...input, proposal });
    expect(created).toEqual({
      status: 'created',
      name: expect.stringContaining('Proposed'),
      name_approved: false,
      publishable_key: publishableKey,
      state: 'enabled',
      commission_percent: 10,
    });
    expect((await call({}, 'create_app', input)).body.proposal).not.toBe(proposal);
  });

  test('one proposal creates one app, for whichever of two people is first @attack', async () => {
    const { proposal } = (await call({}, 'create_app', { name: 'Twice' })).body;
    const people = [await newSignUp(), await newSignUp()];
    const outcomes = await Promise.allSettled(people.map((one) => signUpPartner({ ...one, proposal })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/already/),
    });
  });

  test('a proposal that is invented, changed or older than an hour creates nothing and reads nothing @attack', async () => {
    const { proposal } = (await call({}, 'create_app', { name: 'Late' })).body;
    const changed = `${proposal.startsWith('A') ? 'B' : 'A'}${proposal.slice(1)}`;
    const expectDead = async (token: string) => {
      await expect(signUpPartner({ ...(await newSignUp()), proposal: token })).rejects.toThrow(/expired/);
      expect(await call({}, 'create_app', { name: 'Late', proposal: token })).toMatchObject({
        failed: true,
        body: { error: { type: 'invalid_request', param: 'proposal' } },
      });
    };
    for (const token of ['', 'svc_pk_1', 'A'.repeat(56), changed]) await expectDead(token);
    await signUpPartner({ ...(await newSignUp()), proposal });
    setClock(() => Date.now() + HOUR_MS);
    await expectDead(proposal).finally(() => setClock());
  });

  test('wrong details of an app are refused before a person sees them', async () => {
    for (const [param, wrong] of [
      ['name', { name: '<b>' }],
      ['origin', { name: 'Harbour', origin: 'https://*.example' }],
      ['commission_percent', { name: 'Harbour', commission_percent: 1e-300 }],
    ] as const)
      expect(await call({}, 'create_app', wrong)).toMatchObject({
        failed: true,
        body: { error: { type: 'invalid_request', param } },
      });
  });

  test('an origin is allowed by the rules of the checkout, or by a person on the page that the tool returns', async () => {
    const origins = ['https://app.example.com', 'notes://*'];
    const app = await createPartner({ name: 'Origins', rateBp: 0, origins });
    const publishable_key = app.publishableKey;
    const add = async (origin: string) => (await call({}, 'add_origin', { publishable_key, origin })).body;
    for (const allowed of [...origins, 'http://localhost:5173'])
      expect(await add(allowed)).toMatchObject({ status: 'allowed' });
    const asked = await add('https://WWW.example.com');
    const query = new URLSearchParams({ publishable_key, origin: 'https://www.example.com' });
    expect(asked).toEqual({
      status: 'needs_confirmation',
      origin: 'https://www.example.com',
      url: `${url}/partner/add-origin?${query}`,
    });
    expect(await listOrigins(app.id)).toEqual(origins);
    await addOrigin(app.id, asked.origin);
    expect(await add(asked.origin)).toEqual({ status: 'allowed', origin: asked.origin });
    expect(await add('https://app.example.com/path')).toMatchObject({ error: { param: 'origin' } });
  });

  test('a tool for users or partners responds with 401 and names the way to sign in', async () => {
    const refused = await postCall('get_balance', {});
    expect([refused.status, await typeOf(refused)]).toEqual([401, 'missing_api_key']);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const [, metadataUrl = ''] = /^Bearer resource_metadata="([^"]+)"$/.exec(challenge) ?? [];
    const metadata = await (await fetch(metadataUrl)).json();
    expect(metadata).toMatchObject({ resource: ENDPOINT.href, authorization_servers: [url] });
    expect(await read('/.well-known/oauth-protected-resource', {})).toEqual(metadata);
    const partner = await postCall('get_app', {});
    expect([partner.status, partner.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="app"']);
  });
});

test('the official client signs its user in with OAuth after the 401, and reads the balance of that user', async () => {
  const partner = await newPartner();
  await registerRedirects(partner.id, ['http://127.0.0.1/back']);
  const { provider, opened } = newProvider(partner.publishableKey);
  const transport = new StreamableHTTPClientTransport(ENDPOINT, { authProvider: provider });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  await expect(client.callTool({ name: 'get_balance' })).rejects.toThrow(/unauthorized/i);
  const user = await newAppUser(partner.id);
  const { sessionId } = await newDevice(user.userId);
  const query = redirectParameters.parse(Object.fromEntries(new URL(opened[0] ?? '').searchParams));
  const returned = await allowRedirect(await checkRedirect(readRedirect(query)), { ...user, sessionId });
  await transport.finishAuth(new URL(returned).searchParams);
  expect(JSON.parse((await textOf(client, 'get_balance')).text)).toMatchObject({ balance: 0 });
  await client.close();
});

/** What an MCP client stores of a sign-in. Its client id is the publishable key of an app. */
function newProvider(client_id: string): { provider: OAuthClientProvider; opened: string[] } {
  const opened: string[] = [];
  const kept: { tokens?: StoredOAuthTokens; state?: OAuthDiscoveryState; verifier: string } = {
    verifier: '',
  };
  const redirectUrl = 'http://127.0.0.1:59125/back';
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl] },
    clientInformation: () => ({ client_id }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (address) => void opened.push(address.href),
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state) => {
      kept.state = state;
    },
    discoveryState: () => kept.state,
  };
  return { provider, opened };
}

describe('with a user key', () => {
  test('each tool returns what its endpoint returns', async () => {
    const requestId = await spend(person);
    for (const [name, input, path] of [
      ['get_balance', {}, '/v1/credits/balance'],
      ['list_history', { limit: 2 }, '/v1/credits/history?limit=2'],
      ['get_receipt', { request_id: requestId }, `/v1/credits/receipts/${requestId}`],
    ] as const) {
      const { failed, body } = await call(as(person), name, input);
      expect([name, failed, body]).toEqual([name, false, await read(path, as(person))]);
    }
    const request = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }] };
    const quote = { endpoint: '/v1/chat/completions', request };
    expect((await call(as(person), 'quote_request', quote)).body).toMatchObject({
      model: 'sandbox/echo',
      maximum: expect.any(Number),
    });
    const unknown = { ...quote, request: { ...request, model: 'sandbox/none' } };
    const { failed, body } = await call(as(person), 'quote_request', unknown);
    expect([failed, body.error.type]).toEqual([true, 'model_not_found']);
  });

  test('a receipt of another user is as unknown as one that does not exist @attack', async () => {
    const theirs = await spend(other);
    const find = (request_id: string) => call(as(person), 'get_receipt', { request_id });
    const [foreign, missing] = [await find(theirs), await find('req_none')];
    expect(foreign).toMatchObject({ failed: true, body: { error: { type: 'not_found' } } });
    expect(foreign.body.error).toEqual(missing.body.error);
  });

  test('a run key reads its own requests and budget, and nothing of the key that it was minted from @attack', async () => {
    const own = await newPerson({ credits: 100 });
    const before = await spend(own);
    const minted = await fetch(`${url}/v1/keys`, {
      method: 'POST',
      headers: as(own),
      body: JSON.stringify({ credits: 5, expires_in: 600 }),
    });
    const { user_key: userKey } = (await minted.json()) as { user_key: string };
    const run = as({ userKey });
    expect((await call(run, 'get_balance')).body).toMatchObject({ balance: 5, key: { credits: 5 } });
    expect((await call(run, 'list_history')).body).toMatchObject({ data: [] });
    expect((await call(run, 'get_receipt', { request_id: before })).failed).toBe(true);
  });

  test('a revoked, unknown or restricted key, or one of a disabled app, gets the status of the API on the next call @attack', async () => {
    const leaving = await newPerson({ credits: 1 });
    const states = async (headers: Headers) => {
      const response = await postCall('get_balance', headers);
      const challenge = response.headers.get('www-authenticate') ?? '';
      return [response.status, await typeOf(response), challenge.endsWith('error="invalid_token"')];
    };
    const body = new URLSearchParams({ token: leaving.userKey });
    await fetch(`${url}/oauth/revoke`, { method: 'POST', body });
    expect(await states(as(leaving))).toEqual([401, 'invalid_user_key', true]);
    expect(await states({ authorization: 'Bearer svc_pk_1' })).toEqual([401, 'invalid_user_key', true]);
    const disabled = await newPerson({ credits: 1 });
    await disablePartner(disabled.partnerId);
    expect(await states(as(disabled))).toEqual([403, 'partner_disabled', false]);
  });

  test('no tool for partners works, and with a signing secret no tool for users does @attack', async () => {
    const { basic } = await newBackend();
    for (const name of ['get_app', 'send_test_event'])
      expect((await postCall(name, as(person))).status).toBe(401);
    for (const name of ['get_balance', 'quote_request', 'list_history', 'get_receipt'])
      expect((await postCall(name, basic)).status).toBe(401);
  });
});

/** An app with an endpoint that counts what it receives. */
async function newBackend() {
  const received: string[] = [];
  const receiver = await listenOnLoopback(async (request, response) => {
    received.push(String(request.headers['x-svc-event']));
    response.writeHead(204).end();
  });
  const { id, publishableKey } = await createPartner({ name: 'Backend', rateBp: 2_500, origins: [] });
  await setEndpoint(id, `${receiver.url}/hook`);
  await createSecret(id);
  const credentials = Buffer.from(`${publishableKey}:${(await revealSecret(id))?.secret}`).toString('base64');
  return { id, received, receiver, basic: { authorization: `Basic ${credentials}` } };
}

test('the backend of an app reads its settings and sends a test event to its own endpoint only', async () => {
  const { id, received, receiver, basic } = await newBackend();
  const { body } = await call(basic, 'get_app');
  expect(body).toMatchObject({ name: 'Backend', state: 'enabled', commission_percent: 25, origins: [] });
  expect(body).toMatchObject({
    webhook_url: `${receiver.url}/hook`,
    done: { webhook: true, purchase: false },
  });
  expect(body.urls.origins).toBe(`${url}/partner/${id}/integration`);
  expect((await call(basic, 'send_test_event')).body).toMatchObject({ delivered: true, status: 204 });
  expect(received).toEqual(['test']);
  await receiver.close();
});

describe('a hostile client', () => {
  const LIST = { ...JSON_RPC, method: 'tools/list' };

  test.each(['https://evil.example', 'http://evil.example:3000', 'null', 'http://127.0.0.1.evil.example'])(
    'on a page of %s is refused, whatever host name leads to the server (DNS rebinding) @attack',
    async (origin) => {
      const response = await post(LIST, { origin, ...as(person) });
      expect([response.status, await typeOf(response)]).toEqual([403, 'origin_not_allowed']);
    },
  );

  test('is told apart from a page of the service or on localhost, which may call', async () => {
    for (const origin of [url, 'http://localhost:6274'])
      expect((await post(LIST, { origin })).status).toBe(200);
  });

  test.each<[string, unknown, number]>([
    ['no JSON', '{"jsonrpc":', 400],
    ['a batch', [LIST, LIST], 400],
    ['a batch of a thousand', Array.from({ length: 1_000 }, () => LIST), 400],
    ['no object', '"tools/list"', 400],
    ['JSON of five thousand levels', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 400],
    ['more than 64 kB', { ...LIST, params: { a: 'a'.repeat(70_000) } }, 413],
  ])('that sends %s is refused without an answer of the protocol @attack', async (_, body, status) => {
    const response = await post(body);
    expect([response.status, await typeOf(response)]).toEqual([
      status,
      status === 413 ? 'request_too_large' : 'invalid_request',
    ]);
  });

  test('that sends no message of the protocol, another type, or an unknown tool gets an error @attack', async () => {
    expect((await post({ id: 1, method: 'tools/list' })).status).toBe(400);
    expect((await post(LIST, { 'content-type': 'text/plain' })).status).toBe(415);
    const client = await connect(as(person));
    await expect(client.callTool({ name: '__proto__' })).rejects.toThrow();
    const wrong = await textOf(client, 'get_receipt', { request_id: '\0' });
    expect(wrong).toMatchObject({ failed: true, text: expect.stringContaining('req_…') });
    expect((await textOf(client, 'search_docs', { query: 'a'.repeat(201) })).failed).toBe(true);
    await client.close();
  });

  test('opens no stream and no session @attack', async () => {
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect((await fetch(ENDPOINT, { method, headers: ACCEPTED })).status).toBe(405);
    const client = await connect({}, 'auto');
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/i);
    await client.close();
    const started = await post({
      ...JSON_RPC,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    expect([started.status, started.headers.get('mcp-session-id')]).toEqual([200, null]);
    await started.text();
  });

  test('gets 429 after 600 messages a minute from its network, and others are served @attack', async () => {
    const from = (ip: string) => ({ 'x-forwarded-for': ip });
    const statuses = new Map<number, number>();
    for (let n = 0; n < 61; n++)
      for (const response of await Promise.all(
        Array.from({ length: 10 }, () => post('{', from('192.0.2.7'))),
      ))
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    expect(statuses).toEqual(
      new Map([
        [400, 600],
        [429, 10],
      ]),
    );
    const refused = await post('{', from('192.0.2.7'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post('{', from('192.0.2.8'))).status).toBe(400);
  });
});

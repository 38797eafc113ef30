import { describe, expect, test } from 'vitest';
import { checkLedger, readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { completion, message } from '../../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../../harness/scripted-upstream';

/** The responses to a provider's failures in both formats: wire-formats 5.2 and 5.3, row by row. */

/** Part of every refusal of the scripted provider; none of it may reach a client. */
const SECRETS =
  'org-SecretSecret1 proj_SecretSecret2 wrkspc_SecretSecret3 sk-proj-SecretSecret4 sk-…abcd req_SecretSecret5 https://internal.secret.example/x gpu7.secret.internal:8080 ops@secret.example';
const SECRET_HEADERS = {
  'x-ratelimit-remaining-requests': '0',
  'anthropic-ratelimit-requests-remaining': '0',
  'set-cookie': 'secret=1',
  'cf-ray': 'secret',
  server: 'secret-edge',
  'x-request-id': 'req_SecretSecret6',
  'openai-organization': 'org-SecretSecret7',
  'openai-processing-ms': '1',
  'anthropic-organization-id': 'secret',
  'anthropic-workspace-id': 'secret',
  via: 'secret',
};

type Row = {
  title: string;
  reply: Reply;
  status: number;
  type: string;
  /** How often the provider is called: 2 where a retry may help. */
  calls: number;
  says?: string | RegExp;
  retryAfter?: string;
};

/** Returns an error with a provider's message, in a body that both formats accept. */
function refuse(status: number, message: string, { type = 'x', headers = {}, more = {} } = {}): Reply {
  const error = { type, code: type, message: `${message} ${SECRETS}`, ...more };
  return {
    status,
    headers: { ...SECRET_HEADERS, ...headers },
    body: { type: 'error', error, request_id: 'req_SecretSecret8' },
  };
}

const invalid = { status: 400, type: 'invalid_request', calls: 1 };
const ours = { status: 502, type: 'upstream_error', calls: 1 };
const broken = { status: 502, type: 'upstream_error', calls: 2 };
const busy = { status: 429, type: 'rate_limited' };
const BLOCKED = "The request was blocked by the provider's content policy";

const ROWS: Row[] = [
  {
    title: '400 bad schema',
    reply: refuse(400, 'tools.0: bad schema'),
    ...invalid,
    says: /^tools\.0: bad schema/,
  },
  { title: '422', reply: refuse(422, 'n: too large'), ...invalid, says: /^n: too large/ },
  {
    title: '400 prompt',
    reply: refuse(400, 'prompt is too long: 9 > 8'),
    ...invalid,
    says: /prompt is too long/,
  },
  {
    title: '400 context',
    reply: refuse(400, "This model's maximum context length is 8 tokens"),
    ...invalid,
    says: /context length/,
  },
  {
    title: '400 spend limit',
    reply: refuse(400, 'You have reached your specified API usage limits'),
    ...ours,
  },
  { title: '400 balance', reply: refuse(400, 'Your credit balance is too low'), ...ours },
  {
    title: '400 organisation on hold',
    reply: refuse(400, 'Not now', { more: { details: { error_code: 'organization_on_hold' } } }),
    ...ours,
  },
  {
    title: '400 linked organisation',
    reply: refuse(400, 'Not now', { more: { details: { error_code: 'linked_organization_missing' } } }),
    ...ours,
  },
  { title: '401', reply: refuse(401, 'Incorrect API key provided: sk-proj-****abcd'), ...ours },
  { title: '402', reply: refuse(402, 'Insufficient credits'), ...ours },
  { title: '403 permission', reply: refuse(403, 'Your region is not supported'), ...ours },
  {
    title: '403 moderation',
    reply: refuse(403, 'Input was flagged by moderation'),
    ...invalid,
    type: 'content_refused',
    says: BLOCKED,
  },
  {
    title: '400 moderation',
    reply: refuse(400, 'No', { type: 'content_policy_violation' }),
    ...invalid,
    type: 'content_refused',
    says: BLOCKED,
  },
  {
    title: '404 model',
    reply: refuse(404, 'The model x does not exist'),
    status: 404,
    type: 'model_not_found',
    calls: 1,
  },
  { title: '404 else', reply: refuse(404, 'Not found'), status: 502, type: 'upstream_error', calls: 2 },
  ...[408, 409, 425].map((status) => ({ title: `${status}`, reply: refuse(status, 'Again'), ...broken })),
  { title: '413', reply: refuse(413, 'Too large'), ...invalid },
  { title: '429', reply: refuse(429, 'Slow down'), ...busy, calls: 2, retryAfter: '1' },
  {
    title: '429 for a while',
    reply: refuse(429, 'Slow down', { headers: { 'retry-after': '30' } }),
    ...busy,
    calls: 1,
    retryAfter: '30',
  },
  {
    title: '429 for an hour',
    reply: refuse(429, 'Slow down', { headers: { 'retry-after': '3600' } }),
    ...busy,
    calls: 1,
    retryAfter: '60',
  },
  {
    title: '429 until a date',
    reply: refuse(429, 'Slow down', {
      headers: { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() },
    }),
    ...busy,
    calls: 1,
    retryAfter: '60',
  },
  {
    title: '429 in milliseconds',
    reply: refuse(429, 'Slow down', { headers: { 'retry-after-ms': '20500', 'retry-after': '1' } }),
    ...busy,
    calls: 1,
    retryAfter: '21',
  },
  { title: '429 quota', reply: refuse(429, 'No', { type: 'insufficient_quota' }), ...ours },
  ...['enforced_spend_limit_reached', 'contract_spend_limit_reached'].map((code) => ({
    title: `429 ${code}`,
    reply: refuse(429, 'No', { more: { details: { error_code: code } } }),
    ...ours,
  })),
  ...[500, 502, 503, 504, 520, 524, 529].map((status) => ({
    title: `${status}`,
    reply: refuse(status, 'Failed'),
    ...broken,
  })),
  {
    title: '502 with a page',
    reply: {
      status: 502,
      body: `<html><body>secret nginx at ${SECRETS}</body></html>`,
      headers: SECRET_HEADERS,
    },
    ...broken,
  },
  { title: '400 with a page', reply: { status: 400, body: `<html>secret</html>` }, ...ours },
  {
    title: '400 with a stack trace',
    reply: refuse(400, 'TypeError: secret\n    at secret (/srv/secret.js:1:1)'),
    ...ours,
  },
  { title: 'a connection that breaks', reply: { breaksOff: true }, ...broken },
  {
    title: 'a redirect',
    reply: { status: 307, headers: { ...SECRET_HEADERS, location: '/v1/secret' }, body: {} },
    ...broken,
  },
];

/** The chat format is tested without streaming, the messages format with streaming. */
const SHAPES = [
  { client: 'chat', format: 'openai', path: '/v1/chat/completions', stream: false },
  { client: 'messages', format: 'anthropic', path: '/v1/messages', stream: true },
] as const;
type Shape = (typeof SHAPES)[number];

const cases = SHAPES.flatMap((shape) =>
  ROWS.map((row, i) => ({ ...row, shape, provider: `${shape.client}-${i}` })),
);
const EMBEDDED = [
  ['429 inside a 200', { type: 'rate_limit_error' }, 429, 'rate_limited'],
  ['401 inside a 200', { type: 'authentication_error' }, 502, 'upstream_error'],
  ['400 inside a 200', { type: 'invalid_request_error' }, 400, 'invalid_request'],
  ['overload inside a 200', { type: 'overloaded_error' }, 502, 'upstream_error'],
] as const;

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  ...cases.map(({ provider, shape }) => ({ provider, format: shape.format })),
  ...SHAPES.flatMap(({ client, format }) =>
    EMBEDDED.flatMap((_, i) => [
      { provider: `${client}-whole-${i}`, format },
      { provider: `${client}-event-${i}`, format },
    ]),
  ),
  ...SHAPES.flatMap(({ client, format }) => [
    { provider: `${client}-page`, format },
    { provider: `${client}-no-stream`, format },
  ]),
]);
const api = await startApi();
const person = await newPerson({ credits: 100 });

function send({ path }: Shape, provider: string, { stream }: { stream: boolean }): Promise<Response> {
  return fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: modelOf(provider),
      max_tokens: 50,
      stream,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
}

async function expectRefusal(
  response: Response,
  { client }: Shape,
  { status, type }: { status: number; type: string },
) {
  const text = await response.text();
  const body = JSON.parse(text);
  expect(response.status).toBe(status);
  expect(body).toEqual(
    client === 'chat'
      ? {
          error: {
            message: expect.any(String),
            type,
            param: status === 404 ? 'model' : null,
            code: String(status),
          },
        }
      : {
          type: 'error',
          error: { type, message: expect.any(String) },
          request_id: response.headers.get('request-id'),
        },
  );
  // A random id may contain any four letters.
  expect(text.replace(/req_\w+/, '')).not.toMatch(/secret|sk-[^*]|https?:|@[^*]|<html|org-[A-Z]|abcd/i);
  const headers = JSON.stringify([...response.headers]);
  expect(headers).not.toMatch(/secret|ratelimit|cookie|cf-ray|openai|anthropic|"via"|"server"/i);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('x-should-retry')).toBe([502, 404].includes(status) ? 'false' : null);
  return body.error.message as string;
}

describe.concurrent('a refusal by the provider', () => {
  test.each(cases)('$shape.client: $title → $status $type', async ({ shape, provider, ...row }) => {
    upstream.script(provider, row.reply);
    const response = await send(shape, provider, shape);
    const said = await expectRefusal(response, shape, row);

    if (row.says !== undefined) expect(said).toMatch(row.says);
    expect(upstream.seen(provider)).toHaveLength(row.calls);
    expect(response.headers.get('retry-after')).toBe(row.retryAfter ?? null);
  });

  const embedded = SHAPES.flatMap((shape) =>
    EMBEDDED.map(([title, error, status, type], i) => ({ shape, title, error, status, type, i })),
  );

  test.each(embedded)(
    '$shape.client: $title, not streamed → $status',
    async ({ shape, error, i, ...expected }) => {
      const provider = `${shape.client}-whole-${i}`;
      upstream.script(provider, { body: { type: 'error', error: { ...error, message: `No ${SECRETS}` } } });
      await expectRefusal(await send(shape, provider, { stream: false }), shape, expected);
    },
  );

  test.each(embedded)(
    '$shape.client: $title, as first event → $status',
    async ({ shape, error, i, ...expected }) => {
      const provider = `${shape.client}-event-${i}`;
      upstream.script(provider, {
        events: [{ type: 'error', error: { ...error, message: `No ${SECRETS}` } }],
      });
      await expectRefusal(await send(shape, provider, { stream: true }), shape, expected);
    },
  );
});

test.each(
  SHAPES.flatMap((shape) => [true, false].map((stream) => ({ shape, client: shape.client, stream }))),
)('$client, stream $stream: a 200 with an HTML page → 502', async ({ shape, stream }) => {
  upstream.script(`${shape.client}-page`, {
    body: `<html>${SECRETS}</html>`,
    headers: { 'content-type': 'text/html' },
  });
  const response = await send(shape, `${shape.client}-page`, { stream });
  await expectRefusal(response, shape, { status: 502, type: 'upstream_error' });
});

test('no refusal is charged or leaves a hold, and no redirect is followed', async () => {
  expect((await readSpendable(person.userId, person.partnerId)).balance).toBe(100_000_000n);
  expect((await checkLedger()).differences).toEqual([]);
  expect(
    cases.flatMap(({ provider }) => upstream.seen(provider)).filter(({ path }) => /secret/.test(path)),
  ).toEqual([]);
});

test.each(SHAPES)(
  '$client: a provider’s response without streaming is streamed to the client on request',
  async (shape) => {
    const provider = `${shape.client}-no-stream`;
    upstream.script(
      provider,
      shape.client === 'chat' ? completion({ content: 'Hello' }) : message([{ type: 'text', text: 'Hello' }]),
    );
    const response = await send(shape, provider, { stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('Hello');
    expect(text.endsWith(shape.client === 'chat' ? 'data: [DONE]\n\n' : '{"type":"message_stop"}\n\n')).toBe(
      true,
    );
  },
);

describe.each(SHAPES)('our own refusals in the $client format', (shape) => {
  const post = (path: string, body: string, key: string | null = person.userKey) =>
    fetch(api.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body,
    });

  test.each([
    ['an unknown path below the endpoint', '/nothing', '{}', 404, 'not_found'],
    ['invalid JSON', '', 'x', 400, 'invalid_request'],
    ['a missing model', '', '{}', 400, 'invalid_request'],
    ['more than 32 MB', '', `"${'x'.repeat(32 * 1024 * 1024)}"`, 413, 'request_too_large'],
  ])('%s', async (_, below, body, status, type) => {
    const response = await post(shape.path + below, body);
    const { error, ...rest } = await response.json();
    expect([response.status, error.type]).toEqual([status, type]);
    expect(rest).toEqual(
      shape.client === 'chat' ? {} : { type: 'error', request_id: response.headers.get('request-id') },
    );
  });

  test.each([
    [null, 'missing_api_key'],
    ['svc_sk_wrong', 'invalid_user_key'],
    [person.publishableKey, 'invalid_user_key'],
  ])('the key %s gets 401 %s', async (key, type) => {
    const response = await post(shape.path, JSON.stringify({ model: 'sandbox/echo' }), key);
    const { error } = await response.json();
    expect([response.status, error.type]).toEqual([401, type]);
    expect(response.headers.get('x-request-id')).toBe(response.headers.get('request-id'));
  });
});

import { expect, test } from 'vitest';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/** Pages of any origin may call the API; wire-formats 6.4 lists what browsers require. */

await newDatabase();
const api = await startApi();
const ORIGIN = 'https://app.example.com';
const PATHS = [
  '/v1/chat/completions',
  '/chat/completions',
  '/v1/messages',
  '/v1/messages?beta=true',
  '/v1/messages/count_tokens',
  '/v1/responses',
  '/responses',
  '/v1/responses/resp_1',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/ocr',
  '/v1/rerank',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/videos',
  '/v1/videos/video_1',
  '/v1/videos/video_1/content',
  '/v1/models',
  '/v1/credits/balance',
  '/v1/credits/history',
  '/v1/credits/pricing',
  '/v1/credits/quote',
];

test.each(PATHS)('a preflight of %s needs no key and allows the requested headers', async (path) => {
  const requested = 'Authorization,X-Stainless-Retry-Count,x-stainless-os,anthropic-beta,x-my-own';
  const response = await fetch(api.url + path, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': requested,
    },
  });

  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE, OPTIONS');
  expect(response.headers.get('access-control-max-age')).toBe('86400');
  expect(response.headers.get('vary')).toBe('Origin, Access-Control-Request-Headers');
  const allowed = response.headers.get('access-control-allow-headers')?.split(', ');
  expect(allowed).toEqual(
    expect.arrayContaining([
      ...requested.toLowerCase().split(','),
      'content-type',
      'accept',
      'x-user-key',
      'x-api-key',
      'anthropic-version',
      'anthropic-dangerous-direct-browser-access',
      'user-agent',
      'openai-organization',
      'openai-project',
      'idempotency-key',
    ]),
  );
  expect(allowed).not.toContain('*');
});

test('an invalid header name is not echoed', async () => {
  const response = await fetch(`${api.url}/v1/messages`, {
    method: 'OPTIONS',
    headers: { origin: ORIGIN, 'access-control-request-headers': 'x-good, x bad, "quoted"' },
  });
  const allowed = response.headers.get('access-control-allow-headers') ?? '';
  expect(allowed).toContain('x-good');
  expect(allowed).not.toMatch(/bad|quoted/);
});

const person = await newPerson({ credits: 100 });
const generation = (more: object) => ({
  method: 'POST',
  headers: { origin: ORIGIN, authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'sandbox/echo',
    max_tokens: 50,
    messages: [{ role: 'user', content: 'hi' }],
    ...more,
  }),
});

test.each<[string, string, RequestInit, number]>([
  ['a response', '/v1/chat/completions', generation({}), 200],
  ['a stream', '/v1/chat/completions', generation({ stream: true }), 200],
  ['a stream of messages', '/v1/messages', generation({ stream: true }), 200],
  ['a missing key', '/v1/messages', { method: 'POST', body: '{}' }, 401],
  ['an unknown model', '/v1/chat/completions', generation({ model: 'no/such' }), 404],
  ['a failing provider', '/v1/chat/completions', generation({ model: 'sandbox/error-401' }), 502],
  ['an unknown path', '/v1/nothing', {}, 404],
])('%s is readable from any origin, including its headers', async (_, path, init, status) => {
  const response = await fetch(api.url + path, init);
  await response.text();
  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
    expect.arrayContaining([
      'x-request-id',
      'request-id',
      'retry-after',
      'retry-after-ms',
      'x-should-retry',
      'idempotent-replayed',
      'x-svc-output-cap',
      'x-svc-warnings',
      'x-svc-credits-charged',
    ]),
  );
});

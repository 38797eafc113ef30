import { get, type IncomingMessage } from 'node:http';
import OpenAI, { toFile } from 'openai';
import { expect, test } from 'vitest';
import { isForApi } from '@/server/process/api-listener';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/** Requests of API clients to URLs and methods that the API does not have. */

await newDatabase();
const { url } = await startApi();
const { userKey } = await newPerson({ credits: 10 });
const client = new OpenAI({ apiKey: userKey, baseURL: `${url}/v1`, maxRetries: 0 });

test.each<[string, () => Promise<unknown>, string]>([
  [
    'completions',
    () => client.completions.create({ model: 'm', prompt: 'x' }),
    'Completions without messages are not supported. Use POST /v1/chat/completions.',
  ],
  [
    'uploads in parts',
    async () => client.uploads.cancel('upload_1'),
    'Uploads in parts are not supported. Use POST /v1/files.',
  ],
  [
    'variations of images',
    async () => client.images.createVariation({ image: await toFile(Buffer.from('x'), 'a.png') }),
    'Only POST /v1/images/generations and /v1/images/edits are supported.',
  ],
  [
    'changes of videos',
    () => client.videos.remix('video_1', { prompt: 'x' }),
    'Videos cannot be changed. Use POST /v1/videos with an image that the video begins with.',
  ],
  [
    'vector stores',
    async () => client.vectorStores.list(),
    'Vector stores are not supported. Send the text that the model needs as input.',
  ],
  [
    'conversations',
    () => client.conversations.create({}),
    'Stored conversations are not supported. Use previous_response_id of POST /v1/responses.',
  ],
  [
    'compactions',
    () => client.responses.compact({ model: 'openai/gpt-4.1', input: 'x' }),
    'The compaction of conversations is not supported. Send a shorter input.',
  ],
  [
    'cancellations',
    () => client.responses.cancel('resp_1'),
    'Responses in the background are not supported, so none can be cancelled. Close the connection instead.',
  ],
])('%s get 404 that names the way out', async (_, call, message) => {
  await expect(call()).rejects.toMatchObject({ status: 404, type: 'not_found', error: { message } });
});

test.each([
  '/v1',
  '/v1/',
  '/v1/nothing',
  '/api/v1/chat/completions',
  '/openai/deployments/x/chat/completions',
])('%s gets JSON with the base URL', async (path) => {
  const response = await fetch(url + path, { method: 'POST', body: '{}' });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  const { message } = (await response.json()).error;
  expect(message).toMatch(/^This URL does not exist\. The base URL is \S+\/v1 in the chat format/);
});

test('the handshake of a WebSocket gets 405 that says what to use instead', async () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/v1/responses`, { headers: upgrade }, resolve).on('error', reject);
  });
  let text = '';
  for await (const chunk of answer) text += chunk;
  const body = JSON.parse(text);
  expect([answer.statusCode, body.error.message]).toEqual([
    405,
    'WebSockets are not supported: use server-sent events. This URL only accepts POST.',
  ]);
});

const goesToApi = (path: string, headers: object) => isForApi({ url: path, headers } as IncomingMessage);

test('the API answers whatever carries a user key, and nothing that a browser opens', () => {
  const bearer = { authorization: `Bearer ${userKey}` };
  for (const headers of [bearer, { 'x-api-key': userKey }, { 'x-user-key': userKey }])
    expect(goesToApi('/docs', headers)).toBe(true);
  for (const path of [
    '/',
    '/docs',
    '/operator/models',
    '/_next/static/v1/chunk.js',
    '/v1/svc.js',
    '/v1/1.0.0/svc.js',
  ])
    expect(goesToApi(path, { authorization: 'Bearer other' })).toBe(false);
  expect(goesToApi('/checkout/api/visits', bearer)).toBe(false);
});

test.each([
  ['GET', '/v1/chat/completions', 'POST, OPTIONS'],
  ['DELETE', '/v1/messages', 'POST, OPTIONS'],
  ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
  ['PUT', '/v1/credits/balance', 'GET, HEAD, OPTIONS'],
])('%s %s gets 405 that lists the methods', async (method, path, allow) => {
  const response = await fetch(url + path, { method });
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
  const { error } = await response.json();
  expect(error.type).toBe('method_not_allowed');
});

test.each(['/v1/models/', '/models/', '/v1/models/sandbox/echo/', '/v1/chat/completions//'])(
  'a slash at the end of %s changes nothing',
  async (path) => {
    const isChat = path.includes('chat');
    const response = await fetch(url + path, {
      method: isChat ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${userKey}` },
      ...(isChat && {
        body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }] }),
      }),
    });
    expect(response.status).toBe(200);
  },
);

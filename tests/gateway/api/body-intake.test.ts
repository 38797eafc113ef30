import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { now, SECOND_MS, setClock } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import { bodyBytes, setByteLimits } from '@/server/base/http/body-bytes';
import { CLIENT_IP_HEADER } from '@/server/base/http/client-ip';
import { endSlowUploads } from '@/server/base/http/receive-body';
import { JsonScan } from '@/server/base/scan-json';
import { newUserKey } from '@/server/base/tokens';
import { revokeKey } from '@/server/people/keys/revoke';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { until } from '../../harness/until';

/** What a request may cost before anything is known about it. */

process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '60';
await newDatabase();
const api = await startApi();
const PATHS = ['/v1/chat/completions', '/v1/messages', '/v1/messages/count_tokens'];
const MB = 1024 * 1024;

const sockets: Socket[] = [];
let start = 0;
beforeEach(() => {
  start = now();
  setClock(() => start);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  setClock();
  await untilBytes((bytes) => bytes === 0);
  setByteLimits();
});

const untilBytes = (isExpected: (bytes: number) => boolean) => until(async () => bodyBytes(), isExpected);

const FORMS = ['/v1/audio/transcriptions', '/v1/audio/translations', '/v1/images/edits', '/v1/videos'];
/** The beginning of a body, and what it is. */
const JSON_BODY = ['application/json', '{"model":'] as const;
const FORM_BODY = [
  'multipart/form-data; boundary=b',
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
] as const;

/** Begins a request over a connection of its own, and sends only a part of the body. */
function begin(
  path: string,
  key: string,
  { length = (32 * MB) as number | null, ip = '198.51.100.7', type = JSON_BODY[0] as string } = {},
) {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: svc.test',
    `content-type: ${type}`,
    `authorization: Bearer ${key}`,
    `${CLIENT_IP_HEADER}: ${ip}`,
    length === null ? 'transfer-encoding: chunked' : `content-length: ${length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return {
    send: (part: string | Buffer, onSent?: () => void) =>
      socket.write(part, (error) => (error ? undefined : onSent?.())),
    /** Resolves to the status and the type of the error, when the server has closed the connection. */
    answer: async () => {
      await closed;
      const type = /"type":"((?!error")\w+)"/.exec(text)?.[1];
      return [Number(text.slice(9, 12)), type, /retry-after: (\d+)/.exec(text)?.[1]];
    },
    text: () => text,
  };
}

async function post(path: string, key: string, body: object | string) {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as { error?: { message: string } } };
}

const prompt = (content: unknown, more: object = {}) => ({
  model: 'sandbox/echo',
  max_tokens: 5,
  messages: [{ role: 'user', content }],
  ...more,
});

test.each([...PATHS, ...FORMS])(
  '%s: an unknown key gets 401 before it sends a large body @attack',
  async (path) => {
    const upload = begin(path, newUserKey());
    expect(await upload.answer()).toEqual([401, 'invalid_user_key', undefined]);
    expect(upload.text()).toContain('Connection: close');
  },
);

test('an unknown key gets 401 before it sends a body of unknown length @attack', async () => {
  expect(await begin('/v1/messages', newUserKey(), { length: null }).answer()).toEqual([
    401,
    'invalid_user_key',
    undefined,
  ]);
});

test('nothing of the body of an unknown key is kept, and the rest is not even received @attack', async () => {
  const upload = begin('/v1/messages', newUserKey());
  let received = 0;
  for (let part = 0; part < 32; part++) {
    upload.send(Buffer.alloc(MB, 'a'), () => received++);
  }
  expect((await upload.answer())[0]).toBe(401);
  expect(bodyBytes()).toBe(0);
  // What fits into the buffers of the operating system.
  expect(received).toBeLessThan(16);
});

test('a key over its rate limit gets 429 before it sends a large body @attack', async () => {
  const { userKey } = await newPerson({ credits: 10 });
  for (let i = 0; i < 60; i++) await post('/v1/chat/completions', userKey, {});
  expect(await begin('/v1/messages', userKey).answer()).toEqual([429, 'rate_limited', '1']);
});

test('a key that was revoked after a large request pays for no other @attack', async () => {
  const { userId, userKey, keyId } = await newPerson({ credits: 1_000 });
  const body = prompt('a'.repeat(100_000));
  expect((await post('/v1/chat/completions', userKey, body)).status).toBe(200);
  await revokeKey(userId, keyId);
  expect((await post('/v1/chat/completions', userKey, body)).status).toBe(401);
});

test('a malformed large body with an unknown key gets 401 @attack', async () => {
  expect((await post('/v1/chat/completions', newUserKey(), `{${'['.repeat(100_000)}`)).status).toBe(401);
});

test.each([
  ['values', 'values and field names', prompt(Array(60_000).fill({}))],
  ['long numbers', 'values and field names', prompt('hi', { metadata: Array(21_000).fill(0.1 + 0.2) })],
  ['fields', 'an object of more than 5000 fields', prompt('hi', fieldsOf(6_000))],
  [
    'long names',
    'values and field names',
    prompt('hi', { metadata: Array(1_000).fill({ ['x'.repeat(6_500)]: 1 }) }),
  ],
  [
    'depth',
    'deeper than 1024 levels',
    JSON.stringify(prompt('hi')).replace('5', '['.repeat(1_025) + ']'.repeat(1_025)),
  ],
  [
    'digits',
    'a number of more than 64 characters',
    JSON.stringify(prompt('hi')).replace('5', '5'.repeat(65)),
  ],
  ['escapes', '8000000 escapes', prompt('\n'.repeat(8_000_001))],
])('a body with too many %s gets 400 and says which limit @attack', async (_, message, body) => {
  const { userKey } = await newPerson({ credits: 10 });
  for (const path of PATHS) {
    const { status, json } = await post(path, userKey, body);
    expect([status, json.error?.message]).toEqual([400, expect.stringContaining(message)]);
  }
});

test('a body that sets a prototype, whose fields nobody has validated, gets 400 @attack', async () => {
  const { userKey } = await newPerson({ credits: 10 });
  const set = (length: number) =>
    JSON.stringify(prompt('a'.repeat(length))).replace('{', '{"__proto__":{"tools":[{"name":"f"}]},');
  for (const path of PATHS) {
    for (const body of [set(2), set(100_000)]) {
      const { status, json } = await post(path, userKey, body);
      expect([status, json.error?.message]).toEqual([400, expect.stringContaining('__proto__')]);
    }
  }
});

test('a model that is a long number is refused without the mark of such numbers @attack', async () => {
  const { userKey } = await newPerson({ credits: 10 });
  const body = '{"model":12345678901234567890,"max_tokens":5,"messages":[],"tools":[{}]}';
  const { status, json } = await post('/v1/messages', userKey, body);
  expect([status, json.error?.message]).toEqual([400, expect.stringMatching(/^model: must be a model id/)]);
});

test('the arguments of calls count like the rest of the body @attack', async () => {
  const { userKey } = await newPerson({ credits: 1_000 });
  const call = (index: number) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: 'f', arguments: JSON.stringify(Array(60_000).fill(1)) },
  });
  const send = (calls: number) =>
    post('/v1/chat/completions', userKey, {
      model: 'sandbox-anthropic/echo',
      max_tokens: 5,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, tool_calls: Array.from({ length: calls }, (_, n) => call(n)) },
        ...Array.from({ length: calls }, (_, n) => ({
          role: 'tool',
          tool_call_id: `call_${n}`,
          content: 'x',
        })),
      ],
    });
  expect((await send(1)).status).toBe(200);
  const { status, json } = await send(2);
  expect([status, json.error?.message]).toEqual([400, expect.stringContaining('values and field names')]);
});

function fieldsOf(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]));
}

test('a large body is scanned in steps, however fast it arrives, with a turn for others after each @attack', async () => {
  const { userKey } = await newPerson({ credits: 10_000 });
  const steps = [0];
  let isReceiving = true;
  const nextStep = () => {
    steps.push(0);
    if (isReceiving) setImmediate(nextStep);
  };
  setImmediate(nextStep);
  const { add } = JsonScan.prototype;
  vi.spyOn(JsonScan.prototype, 'add').mockImplementation(function (this: JsonScan, bytes: Buffer) {
    steps[steps.length - 1] = (steps.at(-1) ?? 0) + bytes.length;
    add.call(this, bytes);
  });
  const body = JSON.stringify(prompt('word '.repeat((20 * MB) / 5)));
  expect((await post('/v1/messages', userKey, body)).status).toBe(200);
  isReceiving = false;
  vi.restoreAllMocks();
  expect(steps.reduce((sum, bytes) => sum + bytes)).toBe(body.length);
  expect(Math.max(...steps)).toBeLessThan(MB / 2);
});

test('a body that exceeds a limit is refused while it is sent @attack', async () => {
  const { userKey } = await newPerson({ credits: 10 });
  const upload = begin('/v1/chat/completions', userKey);
  upload.send(`{"messages":[${'{},'.repeat(60_000)}`);
  expect(await upload.answer()).toEqual([400, 'invalid_request', undefined]);
});

const UPLOADS = [
  ['/v1/chat/completions', ...JSON_BODY],
  ...FORMS.map((path) => [path, ...FORM_BODY] as const),
] as const;

test.each(UPLOADS.flatMap((upload) => [[32 * MB, ...upload] as const, [200, ...upload] as const]))(
  'an upload of %d bytes to %s that stalls for 10 s gets 408 @attack',
  async (length, path, type, body) => {
    const { userKey } = await newPerson({ credits: 10 });
    const upload = begin(path, userKey, { length, type });
    upload.send(body);
    await untilBytes((bytes) => bytes > 0);
    endSlowUploads();
    start += 10 * SECOND_MS;
    endSlowUploads();
    expect(bodyBytes()).toBeGreaterThan(0);
    start += 1;
    endSlowUploads();
    expect(await upload.answer()).toEqual([408, 'request_timeout', undefined]);
    expect(bodyBytes()).toBe(0);
  },
);

test.each(UPLOADS)('an upload to %s of less than 16 kB per second gets 408 @attack', async (path, type) => {
  const { userKey } = await newPerson({ credits: 10 });
  const upload = begin(path, userKey, { type });
  for (let sent = 1; sent <= 10; sent++) {
    upload.send(' '.repeat(1_000));
    await untilBytes((bytes) => bytes === sent * 1_000);
    start += 1_100;
    endSlowUploads();
  }
  expect(await upload.answer()).toEqual([408, 'request_timeout', undefined]);
});

test.each(FORMS)(
  'a form to %s that expands beyond the limit gets 413, in linear time @attack',
  async (path) => {
    const { userKey } = await newPerson({ credits: 10 });
    const grown = vi.spyOn(Buffer, 'allocUnsafe');
    const response = await fetch(api.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${userKey}`,
        'content-type': FORM_BODY[0],
        'content-encoding': 'gzip',
      },
      body: new Uint8Array(gzipSync(Buffer.alloc(33 * MB))),
    });
    const allocated = grown.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
    vi.restoreAllMocks();
    expect(response.status).toBe(413);
    expect(allocated).toBeLessThan(5 * 32 * MB);
  },
);

test.each(FORMS)(
  'a form to %s that is abandoned half-way leaves no bytes and no hold @attack',
  async (path) => {
    const { userKey, userId } = await newPerson({ credits: 10 });
    const upload = begin(path, userKey, { type: FORM_BODY[0] });
    upload.send(FORM_BODY[1] + 'a'.repeat(MB));
    await untilBytes((bytes) => bytes > MB);
    for (const socket of sockets) socket.destroy();
    await untilBytes((bytes) => bytes === 0);
    expect(await pool().query('SELECT FROM hold WHERE user_id = $1', [userId])).toMatchObject({
      rowCount: 0,
    });
  },
);

test.each([
  ['one key', { key: MB }, 'same key', '198.51.100.8', 429],
  ['one IPv4 address', { ip: MB }, 'other key', '198.51.100.7', 429],
  ['the process', { process: MB }, 'other key', '198.51.100.8', 503],
])('bodies of %s have a maximum size in total @attack', async (_, limits, whose, ip, status) => {
  setByteLimits({ process: 100 * MB, ip: 100 * MB, key: 100 * MB, ...limits });
  const [one, other] = [await newPerson({ credits: 10 }), await newPerson({ credits: 10 })];
  const first = begin('/v1/chat/completions', one.userKey);
  first.send(' '.repeat(MB));
  await untilBytes((bytes) => bytes === MB);
  const second = begin('/v1/messages', whose === 'same key' ? one.userKey : other.userKey, { ip });
  second.send(' '.repeat(MB));
  expect(await second.answer()).toEqual([status, status === 429 ? 'rate_limited' : 'overloaded', '1']);
  expect(bodyBytes()).toBe(MB);
});

test('the addresses of one IPv6 network of 64 bits count together, and those of others do not @attack', async () => {
  setByteLimits({ process: 100 * MB, ip: MB, key: 100 * MB });
  const people = await Promise.all(Array.from({ length: 3 }, () => newPerson({ credits: 10 })));
  const [first, second, third] = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1'].map((ip, i) =>
    begin('/v1/chat/completions', people[i]?.userKey ?? '', { ip }),
  );
  first?.send(' '.repeat(MB));
  await untilBytes((bytes) => bytes === MB);
  third?.send(' '.repeat(MB));
  await untilBytes((bytes) => bytes === 2 * MB);
  second?.send(' '.repeat(MB));
  expect((await second?.answer())?.[0]).toBe(429);
});

test('a large body counts until its response has ended @attack', async () => {
  const { userKey } = await newPerson({ credits: 1_000 });
  const controller = new AbortController();
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${userKey}` },
    body: JSON.stringify(prompt('a'.repeat(100_000), { model: 'sandbox/stall', stream: true })),
    signal: controller.signal,
  });
  expect(response.status).toBe(200);
  expect(bodyBytes()).toBeGreaterThan(100_000);
  controller.abort();
  await untilBytes((bytes) => bytes === 0);
});

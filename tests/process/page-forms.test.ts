import { Agent, createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { now, SECOND_MS, setClock } from '@/server/base/clock';
import { bodyBytes } from '@/server/base/http/body-bytes';
import { endSlowUploads } from '@/server/base/http/receive-body';
import { createClientIpWriter } from '@/server/process/client-ip';
import { logConsole } from '@/server/process/console-lines';
import { forward } from '@/server/process/pages';
import { until } from '../harness/until';

/** Next reads whatever it gets, so a form is bounded before. The server behind stands for Next. */

process.env.LOG_LEVEL = 'info';
const received: string[] = [];
let receivedHeaders: string[] = [];
const agent = new Agent();
const pages = createServer((request, response) => {
  receivedHeaders = request.rawHeaders;
  void readAll(request).then((body) => {
    received.push(body);
    response.writeHead(200, {
      upgrade: 'h2c',
      'keep-alive': 'timeout=1',
      'x-kept': 'yes',
      'set-cookie': ['a', 'b'],
    });
    response.end(`${body.length} bytes`);
  });
});
const writeClientIp = createClientIpWriter([]);
const front = createServer((request, response) => {
  writeClientIp(request);
  forward(request, response, portOf(pages), agent).catch(() => response.destroy());
});
for (const server of [pages, front])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${portOf(front)}`;

let start = 0;
beforeEach(() => {
  received.length = 0;
  start = now();
  setClock(() => start);
});
afterEach(() => setClock());
afterAll(() => {
  agent.destroy();
  for (const server of [pages, front]) server.close().closeAllConnections();
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function readAll(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

async function post(body: string | FormData, path = '/account') {
  const response = await fetch(url + path, { method: 'POST', body });
  return [response.status, await response.text()];
}

function formOf(fields: number): FormData {
  const form = new FormData();
  for (let n = 0; n < fields; n++) form.append(`1_$ACTION_REF_${n}`, '');
  return form;
}

test('a form reaches the pages as it was sent', async () => {
  expect(await post('[{"amount":"10 €"}]')).toEqual([200, '19 bytes']);
  expect(received).toEqual(['[{"amount":"10 €"}]']);
  expect((await post(formOf(100)))[0]).toBe(200);
});

test('a request without a body reaches the pages', async () => {
  expect((await fetch(`${url}/account`)).status).toBe(200);
});

test.each<[string, string | FormData, number, string]>([
  ['64 kB', 'a'.repeat(65_537), 413, 'exceeds the maximum size of 64 kB'],
  ['100 fields', formOf(101), 400, 'more than 100 fields or references'],
  [
    '100 escaped references',
    `[${Array(101).fill('"\\u0024W1"').join()}]`,
    400,
    'more than 100 fields or references',
  ],
  ['0 characters of UTF-16', Buffer.from('["$W1"]', 'utf16le').toString(), 400, 'control characters'],
  ['0 escapes of ISO-2022-JP', '["\x1b(B$W1"]', 400, 'control characters'],
  ['100 references', JSON.stringify(Array(101).fill('$F1')), 400, 'more than 100 fields or references'],
])('a form of more than %s never reaches the pages @attack', async (_, body, status, message) => {
  expect(await post(body)).toEqual([status, expect.stringContaining(message)]);
  expect(received).toEqual([]);
});

const DESCRIBED = [
  'cookie: c=1',
  'accept: text/html',
  'accept-language: de',
  'origin: http://svc.test',
  'next-action: a',
];
const FRAMING = [
  'connection: close, x-other',
  'te: trailers',
  'upgrade: h2c',
  'expect: 100-continue',
  'trailer: x-other',
];
const UNKNOWN = ['x-other: 1', 'x-middleware-subrequest: proxy', 'next-resume: 1', 'x-action-forwarded: 1'];
const FORGED = [
  'x-forwarded-host: evil.test',
  'x-forwarded-for: 203.0.113.9',
  'x-svc-client-address: 203.0.113.9',
];

test('the pages get the headers that they know, the client’s IP first, and the length of the body as received', async () => {
  const socket = connect(portOf(front), '127.0.0.1');
  const lines = [...UNKNOWN, ...FRAMING, ...DESCRIBED, ...FORGED, 'transfer-encoding: chunked'];
  socket.write(
    `POST /account HTTP/1.1\r\nhost: svc.test\r\n${lines.join('\r\n')}\r\n\r\n2\r\n[]\r\n0\r\nx-other: 2\r\n\r\n`,
  );
  const answer = await text(socket);
  expect(received).toEqual(['[]']);
  const pairs = receivedHeaders.flatMap((name, n) =>
    n % 2 === 0 ? [`${name}: ${receivedHeaders[n + 1]}`] : [],
  );
  expect(pairs[0]).toBe('x-svc-client-address: 127.0.0.1');
  expect(pairs.slice(1).sort()).toEqual(
    [...DESCRIBED, 'Connection: close', 'content-length: 2', 'host: svc.test'].sort(),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r$/m);
  expect(answer).toMatch(/^x-kept: yes\r\n(.*\r\n)*set-cookie: a\r\nset-cookie: b\r$/m);
  expect(answer).not.toMatch(/^(upgrade|keep-alive):/im);
});

test('the body of a GET reaches nobody', async () => {
  const socket = connect(portOf(front), '127.0.0.1');
  socket.write('GET /account HTTP/1.1\r\nhost: svc.test\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]');
  expect(await text(socket)).toContain('0 bytes');
  expect(receivedHeaders.join()).not.toContain('content-length');
});

test('an event of the payment processor may be larger', async () => {
  expect(await post('a'.repeat(1_000_000), '/api/stripe')).toEqual([200, '1000000 bytes']);
  expect((await post('a'.repeat(1_048_577), '/api/stripe?x=1'))[0]).toBe(413);
});

test('a form that stalls for 10 seconds gets 408, and never reaches the pages @attack', async () => {
  const socket = connect(portOf(front), '127.0.0.1');
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => (text += data)).on('close', () => resolve(text));
  });
  socket.write('POST /account HTTP/1.1\r\nhost: svc.test\r\ncontent-length: 100\r\n\r\n[');
  await until(
    async () => bodyBytes(),
    (bytes) => bytes > 0,
  );
  start += 10 * SECOND_MS + 1;
  endSlowUploads();
  expect(await answer).toContain('408 Request Timeout');
  expect([received, bodyBytes()]).toEqual([[], 0]);
});

test('what packages report on the console is one line of the log @attack', () => {
  const { error, warn, log, info } = console;
  const lines: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((line: string) => lines.push(line) > 0) as typeof process.stdout.write;
  try {
    logConsole();
    console.error(
      new Error('Failed to find Server Action "ab".\nThis request might be from an older deployment.'),
    );
    console.error('⨯ %s', new Error('Invalid Server Actions request.'));
    console.error('⨯ %s', new TypeError('Failed to parse body as FormData.'));
    console.error('⨯ %s', new Error('a bug\nof ours'));
    console.warn('⨯ %s', 'a warning\nof two lines');
    // Only in the debug log.
    console.log('✓ something took %d ms', 28);
  } finally {
    Object.assign(console, { error, warn, log, info });
    process.stdout.write = write;
  }
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array(5).fill('reported by the pages'));
  // What a client can cause is no error.
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([40, 40, 40, 50, 40]);
  expect(lines.map((line) => line.trim().split('\n').length)).toEqual([1, 1, 1, 1, 1]);
});

import { Agent, createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { now, SECOND_MS, setClock } from '@/server/clock';
import { bodyBytes } from '@/server/http/body-bytes';
import { endSlowUploads } from '@/server/http/receive-body';
import { logConsole } from '@/server/process/console-lines';
import { forward } from '@/server/process/pages';
import { until } from '../harness/until';

/** Next reads whatever it gets, so a form is bounded before. The server behind stands for Next. */

process.env.LOG_LEVEL = 'info';
const received: string[] = [];
const agent = new Agent();
const pages = createServer((request, response) => {
  void readAll(request).then((body) => {
    received.push(body);
    response.end(`${body.length} bytes`);
  });
});
const front = createServer((request, response) => {
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
  ['100 references', JSON.stringify(Array(101).fill('$F1')), 400, 'more than 100 fields or references'],
])('a form of more than %s never reaches the pages', async (_, body, status, message) => {
  expect(await post(body)).toEqual([status, expect.stringContaining(message)]);
  expect(received).toEqual([]);
});

test('an event of the payment processor may be larger', async () => {
  expect(await post('a'.repeat(1_000_000), '/api/stripe')).toEqual([200, '1000000 bytes']);
  expect((await post('a'.repeat(1_048_577), '/api/stripe?x=1'))[0]).toBe(413);
});

test('a form that stalls for 10 seconds gets 408, and never reaches the pages', async () => {
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

test('what packages report on the console is one line of the log', () => {
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
    console.error('⨯ %s', new Error('a bug\nof ours'));
    console.warn('⨯ %s', 'a warning\nof two lines');
    // Only in the debug log.
    console.log('✓ something took %d ms', 28);
  } finally {
    Object.assign(console, { error, warn, log, info });
    process.stdout.write = write;
  }
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array(4).fill('reported by the pages'));
  // What a client can cause is no error.
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([40, 40, 50, 40]);
  expect(lines.map((line) => line.trim().split('\n').length)).toEqual([1, 1, 1, 1]);
});

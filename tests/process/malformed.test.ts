import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRefusal } from '@/server/base/http/send-refusal';
import { findFault } from '@/server/process/gate';

const server = createServer((request, response) => {
  const fault = findFault(request);
  if (fault === null) response.end('accepted');
  else sendRefusal(response, fault);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends a request line that `fetch` would not. */
function send(line: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  return new Promise((resolve) => {
    socket.on('data', (data) => {
      received += data;
    });
    socket.once('close', () => resolve(received));
    socket.write(`${line} HTTP/1.1\r\nhost: svc.test\r\nconnection: close\r\n\r\n`);
  });
}

test.each([
  'GET http://evil.example/account',
  'GET https://evil.example',
  'OPTIONS *',
  'TRACE /',
  'GET /%E0',
  'GET /%00',
])('%s is refused before the pages see it @attack', async (line) => {
  const received = await send(line);
  expect(received).toContain('400 Bad Request');
  expect(received).not.toMatch(/accepted|location/i);
});

test.each(['GET /', 'GET //evil.example/x', 'POST /a?url=http://evil.example', 'GET /%C3%A9'])(
  '%s is accepted',
  async (line) => {
    expect(await send(line)).toContain('accepted');
  },
);

const files = readdirSync('public', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`.slice('public'.length));

test.each(['/_next/static/a.js', ...files])('the file %s is read, and never written', async (path) => {
  expect(await send(`GET ${path}`)).toContain('accepted');
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const received = await send(`${method} ${path}`);
    expect(received).toMatch(/^HTTP\/1.1 405 /);
    expect(received).toMatch(/^allow: GET, HEAD\r$/m);
  }
});

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Connections } from '@/server/process/connections';

const handled: string[] = [];
const server = createServer((request, response) => {
  if (!connections.begin(request, response)) return;
  response.once('close', () => connections.end(request));
  handled.push(request.url ?? '');
  // Answered in a later turn, so that pipelined requests arrive before.
  setImmediate(() => response.end('done'));
});
const connections = new Connections(server);
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nhost: svc.test\r\n\r\n`;

/** Opens a connection, sends the text and resolves to what came back by its end. */
function talk(text: string, next?: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  return new Promise((resolve) => {
    socket.on('data', (data) => {
      received += data;
      if (next === undefined) return;
      if (received.split('done').length === 3) socket.end();
      else socket.write(next);
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(received));
    socket.write(text);
  });
}

test('a connection that sends a request before the previous one is answered is closed @attack', async () => {
  handled.length = 0;
  expect(await talk(requestOf('/first') + requestOf('/second').repeat(20))).not.toContain('done');
  expect(handled).toEqual(['/first']);
});

test('a connection that waits for each response may send any number of requests', async () => {
  handled.length = 0;
  expect((await talk(requestOf('/first'), requestOf('/second'))).match(/done/g)).toHaveLength(2);
  expect(handled).toEqual(['/first', '/second']);
});

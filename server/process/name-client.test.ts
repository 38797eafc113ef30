import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CLIENT_ADDRESS_HEADER } from '../http/client-address';
import { nameClient } from './name-client';

/** Every address that a server sees when a client sends these headers: names and values in turn. */
async function addressesSeen(headers: string[]): Promise<{ raw: string[]; parsed: unknown }> {
  const server = createServer((incoming, response) => {
    nameClient(incoming);
    const raw = incoming.rawHeaders.filter(
      (_, n, all) => n % 2 === 1 && all[n - 1]?.toLowerCase() === CLIENT_ADDRESS_HEADER,
    );
    response.end(JSON.stringify({ raw, parsed: incoming.headers[CLIENT_ADDRESS_HEADER] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      const all = ['host', 'localhost', ...headers] as unknown as Record<string, string>;
      request({ host: '127.0.0.1', port, headers: all }, (response) => {
        text(response).then((body) => resolve(JSON.parse(body)), reject);
      })
        .on('error', reject)
        .end();
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const socketOnly = { raw: ['127.0.0.1'], parsed: '127.0.0.1' };

test.each([
  ['nothing', []],
  ['the header', ['x-svc-client-address', '203.0.113.9']],
  [
    'it twice, in other letters',
    ['X-Svc-Client-Address', '203.0.113.9', 'X-SVC-CLIENT-ADDRESS', '203.0.113.8'],
  ],
  [
    'it behind more headers than are parsed',
    [...Array.from({ length: 1_010 }, () => ['a', '']).flat(), 'x-svc-client-address', '203.0.113.9'],
  ],
])('a client that sends %s is named by its socket alone', async (_, headers) => {
  expect(await addressesSeen(headers)).toEqual(socketOnly);
});

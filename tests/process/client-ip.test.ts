import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CLIENT_IP_HEADER } from '@/server/base/http/client-ip';
import { createClientIpWriter } from '@/server/process/client-ip';

/** Every address that a server sees when a client sends these headers: names and values in turn. */
async function addressesSeen(
  headers: string[],
  trustedProxies: string[] = [],
): Promise<{ raw: string[]; parsed: unknown }> {
  const writeClientIp = createClientIpWriter(trustedProxies);
  const server = createServer((incoming, response) => {
    writeClientIp(incoming);
    const raw = incoming.rawHeaders.filter(
      (_, n, all) => n % 2 === 1 && all[n - 1]?.toLowerCase() === CLIENT_IP_HEADER,
    );
    response.end(JSON.stringify({ raw, parsed: incoming.headers[CLIENT_IP_HEADER] }));
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

const proxied = (...forwardedFor: string[]) => forwardedFor.flatMap((value) => ['X-Forwarded-For', value]);

test.each([
  ['the address that it names', proxied('203.0.113.9'), '203.0.113.9'],
  [
    'the last address that is no trusted proxy',
    proxied('198.51.100.1, 203.0.113.9, 10.2.3.4'),
    '203.0.113.9',
  ],
  ['the last of several headers', proxied('198.51.100.1', '203.0.113.9'), '203.0.113.9'],
  ['an address of IPv6', proxied('2001:db8::7'), '2001:db8::7'],
  ['the proxy, when it names no client', [], '127.0.0.1'],
  ['the proxy, when it names no address', proxied('unknown'), '127.0.0.1'],
  ['the proxy nearest to what is no address', proxied('203.0.113.9, unknown, 10.2.3.4'), '10.2.3.4'],
])('a trusted proxy is believed: the caller is %s', async (_, headers, address) => {
  expect(await addressesSeen(headers, ['loopback', '10.0.0.0/8'])).toEqual({
    raw: [address],
    parsed: address,
  });
});

test('what a caller says of itself is not believed, through a trusted proxy or without one', async () => {
  const forged = ['x-svc-client-address', '198.51.100.1', ...proxied('198.51.100.1, 203.0.113.9')];
  expect((await addressesSeen(forged, ['loopback'])).raw).toEqual(['203.0.113.9']);
  expect(await addressesSeen(forged)).toEqual(socketOnly);
  expect(await addressesSeen(forged, ['192.0.2.1'])).toEqual(socketOnly);
});

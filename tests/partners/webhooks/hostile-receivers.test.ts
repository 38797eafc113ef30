import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { attempt } from '@/server/partners/webhooks/attempt';
import { type Claim, claimOne } from '@/server/partners/webhooks/claim';
import { newDatabase } from '../../harness';
import { allowLoopback, newListeningPartner, recordTest } from './hook-world';
import { startReceiver } from './receiver';

await newDatabase();
allowLoopback();

/** A server that speaks TCP only, for receivers that break the rules of HTTP. */
async function startSocketServer(
  serve: (socket: Socket) => void,
): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** Runs once the request has arrived, complete enough for a response. */
const onRequest = (respond: (socket: Socket) => void) => (socket: Socket) =>
  socket.once('data', () => respond(socket));

async function claimAt(url: string): Promise<Claim> {
  const { id } = await newListeningPartner(url);
  const claim = await claimOne(id, await recordTest(id), { isManual: false });
  if (!claim) throw new Error('nothing was due');
  return claim;
}

const attemptAt = async (url: string) => attempt(await claimAt(url));

const attemptAtSocket = async (serve: (socket: Socket) => void, scheme = 'http') => {
  const { port, sockets } = await startSocketServer(serve);
  return { result: await attemptAt(`${scheme}://127.0.0.1:${port}/`), sockets };
};

/** Continues until the other side disconnects. */
const keepSending = (text: (turn: number) => string, everyMs: number) => (socket: Socket) => {
  let turn = 0;
  const timer = setInterval(() => socket.write(text(turn++)), everyMs);
  socket.on('close', () => clearInterval(timer));
};

it('a slow receiver costs five seconds at most', async () => {
  const head = 'HTTP/1.1 200 OK\r\nx-slow: ';
  const receivers: [string, string, (socket: Socket) => void][] = [
    ['never responds', 'http', (socket) => socket.resume()],
    ['sends its headers a byte at a time', 'http', onRequest(keepSending((turn) => head[turn] ?? 'x', 100))],
    [
      'floods with 1xx responses',
      'http',
      onRequest(keepSending(() => 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50), 5)),
    ],
    ['stalls in the TLS handshake', 'https', (socket) => socket.resume()],
  ];
  const claims: { title: string; sockets: Socket[]; claim: Claim }[] = [];
  for (const [title, scheme, serve] of receivers) {
    const { port, sockets } = await startSocketServer(serve);
    claims.push({ title, sockets, claim: await claimAt(`${scheme}://127.0.0.1:${port}/`) });
  }
  const ends = await Promise.all(
    claims.map(async ({ title, claim }) => {
      const { status, error, durationMs } = await attempt(claim);
      return [title, status, error, Math.round(durationMs / 1_000)];
    }),
  );
  expect(ends).toEqual(claims.map(({ title }) => [title, null, 'timeout', 5]));
  await expect.poll(() => claims.every(({ sockets }) => sockets[0]?.destroyed)).toBe(true);
});

describe('the status line decides', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';

  it.each<[string, (socket: Socket) => void, string]>([
    ['hangs after its headers', (socket) => socket.write(`${HEAD}content-length: 10\r\n\r\n`), ''],
    ['breaks off in the body', (socket) => socket.end(`${HEAD}content-length: 10\r\n\r\nhalf`), 'half'],
    [
      'resets in the body',
      (socket) => socket.write(`${HEAD}content-length: 10\r\n\r\nhalf`, () => socket.resetAndDestroy()),
      'half',
    ],
    ['sends broken chunks', (socket) => socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`), ''],
    ['sends control characters', (socket) => socket.end(`${HEAD}\r\na\0b\x1b[31mc\n\xff`), 'ab[31mc\nÿ'],
  ])('for a receiver that %s', async (_what, respond, response) => {
    const { result } = await attemptAtSocket(onRequest(respond));
    expect(result).toMatchObject({ status: 200, error: null, response });
    expect(result.durationMs).toBeLessThan(1_500);
  });

  it('for one that sends its body a byte at a time', async () => {
    const { result } = await attemptAtSocket(
      onRequest((socket) => {
        socket.write(`${HEAD}content-length: 1000\r\n\r\n`);
        keepSending(() => 'x', 20)(socket);
      }),
    );
    expect(result).toMatchObject({ status: 200, response: expect.stringMatching(/^x{1,30}$/) });
    expect(result.durationMs).toBeLessThan(1_500);
  });

  it('for one that sends a gigabyte: a kilobyte is kept, and little more is read', async () => {
    const sizeOf = 1_024 ** 3;
    const { result, sockets } = await attemptAtSocket(
      onRequest((socket) => {
        const block = Buffer.alloc(64 * 1_024, 'y');
        const pump = () => {
          while (!socket.destroyed && socket.bytesWritten < sizeOf)
            if (!socket.write(block)) return void socket.once('drain', pump);
        };
        socket.write(`${HEAD}content-length: ${sizeOf}\r\n\r\n`);
        pump();
      }),
    );
    expect(result).toMatchObject({ status: 200, response: 'y'.repeat(1_024) });
    expect(result.durationMs).toBeLessThan(1_500);
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
    expect(sockets[0]?.bytesWritten).toBeLessThan(32 * 1_024 ** 2);
  });

  it('for one that tries to switch to another protocol', async () => {
    const { result } = await attemptAtSocket(
      onRequest((socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: ws\r\nconnection: upgrade\r\n\r\n'),
      ),
    );
    expect(result).toMatchObject({ status: 101, error: null });
  });
});

describe('an invalid response is reported with its cause', () => {
  it.each<[string, (socket: Socket) => void, string, string]>([
    ['closes immediately', (socket) => socket.end(), 'http', 'connection'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'http', 'connection'],
    ['closes in the TLS handshake', onRequest((socket) => socket.end()), 'https', 'tls'],
    [
      'speaks HTTP where TLS is expected',
      onRequest((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
      'https',
      'tls',
    ],
    [
      'responds in another protocol',
      onRequest((socket) => socket.end('220 mail.example.com ESMTP\r\n')),
      'http',
      'bad_response',
    ],
    [
      'sends endless headers',
      onRequest((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)),
      'http',
      'bad_response',
    ],
  ])('%s', async (_what, serve, scheme, error) => {
    const { result } = await attemptAtSocket(serve, scheme);
    expect(result).toMatchObject({ status: null, error, response: '' });
  });

  it('no listener', async () => {
    expect(await attemptAt('http://127.0.0.1:9/')).toMatchObject({ status: null, error: 'connection' });
  });
});

it.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
  const target = await startReceiver();
  const receiver = await startReceiver((response) =>
    response.writeHead(status, { location: target.url }).end(),
  );
  expect(await attemptAt(receiver.url)).toMatchObject({ status, error: null });
  expect(receiver.received).toHaveLength(1);
  expect(target.received).toEqual([]);
});

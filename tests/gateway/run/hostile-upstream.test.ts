import { type AddressInfo, createServer, Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { ProviderTarget } from '@/server/gateway/pricing/served';
import { Abort } from '@/server/gateway/run/abort';
import { callProvider, closeUpstreams, writeBody } from '@/server/gateway/run/upstream';
import { fence } from '@/server/gateway/run/upstream-connection';
import { NeverSentError, type UpstreamResponse } from '@/server/gateway/run/upstream-response';

/** Providers that break the rules of HTTP or the connection: whatever undici throws then would end the process. */

const KILOBYTE = 1024;

/** What the provider does with a connection once the request has begun to arrive. */
let serve: (socket: Socket) => void = () => {};
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => serve(socket));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  await closeUpstreams();
  await new Promise((resolve) => server.close(resolve));
});

const target = (): ProviderTarget => ({
  format: 'openai',
  origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  basePath: '',
  apiKey: 'key-of-the-test',
});

async function call({ body = {}, abort = new Abort(), isLarge = false } = {}): Promise<UpstreamResponse> {
  return callProvider(
    target(),
    { path: '/', headers: {} },
    await writeBody({ body }, { source: null, isLarge }),
    abort,
  );
}

/** Comes back when everything that was sent before has arrived. */
async function roundTrip(): Promise<void> {
  const before = serve;
  serve = (socket) => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
  for (let n = 0; n < 3; n++) await call().then((response) => response.text(KILOBYTE));
  serve = before;
}

const CLOSING = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n';
/** In steps below the 64 kB that a connection and a response buffer. */
const SIZES = Array.from({ length: 32 }, (_, n) => 10 * KILOBYTE * (n + 1));

test('a response that is read after its provider has closed the connection arrives whole, of any size', async () => {
  for (const size of SIZES) {
    serve = (socket) => socket.end(CLOSING + 'x'.repeat(size));
    const response = await call();
    await roundTrip();
    expect((await response.text(1024 * KILOBYTE)).length).toBe(size);
  }
});

test('a response whose provider resets the connection before it is read ends', async () => {
  for (const size of SIZES) {
    let connection: Socket | undefined;
    serve = (socket) => {
      connection = socket;
      socket.write(CLOSING + 'x'.repeat(size));
    };
    const response = await call();
    await roundTrip();
    connection?.resetAndDestroy();
    await roundTrip();
    const length = await response.text(1024 * KILOBYTE).then(
      (text) => text.length,
      () => 0,
    );
    expect(length).toBeLessThanOrEqual(size);
  }
});

const OK = 'HTTP/1.1 200 OK\r\n';

test('a response is read without its byte order mark', async () => {
  serve = (socket) => socket.end(`${CLOSING}\uFEFF{"a":"\uFEFF"}`);
  expect(await call().then((response) => response.text(KILOBYTE))).toBe('{"a":"\uFEFF"}');
});

const many = (count: number, line: string) => line.repeat(count);
const HEADERS = many(4_000, 'x-a: b\r\n');
const send = (text: string) => (socket: Socket) => void socket.end(text);

const BROKEN: [string, (socket: Socket) => void][] = [
  ['closes at once', (socket) => void socket.end()],
  ['resets at once', (socket) => void socket.resetAndDestroy()],
  ['sends no HTTP', send('hello')],
  ['sends half a status line', send('HTTP/1.1 20')],
  ['sends half of its headers', send(`${OK}content-type: te`)],
  ['sends 4,000 headers', send(`${OK}${HEADERS}content-length: 0\r\n\r\n`)],
  ['sends a header of 100 kB', send(`${OK}x-a: ${'b'.repeat(100_000)}\r\ncontent-length: 0\r\n\r\n`)],
  ['sends a header with a null byte', send(`${OK}x-a: \0\r\ncontent-length: 0\r\n\r\n`)],
  ['announces a response 1,000 times', send(many(1_000, 'HTTP/1.1 103 Early Hints\r\n\r\n'))],
  ['sends 100 Continue', send(`HTTP/1.1 100 Continue\r\n\r\n${OK}\r\n`)],
  [
    'switches protocols',
    send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  ],
  ['sends less than it announced', send(`${OK}content-length: 10\r\n\r\nabc`)],
  ['sends two lengths', send(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nabc`)],
  [
    'sends a length and chunks',
    send(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
  ],
  ['sends a chunk without its end', send(`${OK}transfer-encoding: chunked\r\n\r\nff\r\nabc`)],
  ['sends a chunk of no length', send(`${OK}transfer-encoding: chunked\r\n\r\nxyz\r\n`)],
  ['sends 4,000 trailers', send(`${OK}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n${HEADERS}\r\n`)],
  ['sends two responses', send(many(2, `${OK}content-length: 3\r\n\r\nabc`))],
  ['responds before the request is complete', send(`${OK}content-length: 3\r\n\r\nabc`)],
  ['keeps the connection for no time', send(`${OK}keep-alive: timeout=0\r\ncontent-length: 3\r\n\r\nabc`)],
];

test.each(BROKEN)('a provider that %s ends its request only', async (_, broken) => {
  for (const isLarge of [false, true]) {
    serve = broken;
    const body = isLarge ? { text: 'x'.repeat(4_000 * KILOBYTE) } : {};
    const ended = call({ body, isLarge }).then((response) => response.text(KILOBYTE));
    await ended.then(
      (text) => expect(text).toMatch(/^(abc)?$/),
      (error: unknown) => expect(error).toBeInstanceOf(Error),
    );
  }
  serve = send(`${OK}content-length: 3\r\n\r\nabc`);
  expect(await call().then((response) => response.text(KILOBYTE))).toBe('abc');
});

test('a call can be cancelled in each of its phases', async () => {
  const phases = [
    '',
    'HTTP/1.1 20',
    OK,
    `${OK}content-length: 9\r\n\r\n`,
    `${OK}content-length: 9\r\n\r\nabc`,
  ];
  for (const sent of phases) {
    const abort = new Abort();
    serve = (socket) => socket.write(sent, () => setImmediate(() => abort.abort()));
    const response = call({ abort }).then((begun) => begun.text(KILOBYTE));
    await expect(response).rejects.toThrow('aborted');
  }
  const aborted = new Abort();
  aborted.abort();
  await expect(call({ abort: aborted })).rejects.toThrow(NeverSentError);
});

test('a response that exceeds its limit is not read on', async () => {
  let onClose = () => {};
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  serve = (socket) => {
    socket.once('close', onClose);
    socket.write(`${OK}content-length: 600000000\r\n\r\n${'x'.repeat(1024 * KILOBYTE)}`);
  };
  const response = await call();
  await expect(response.text(64 * KILOBYTE)).rejects.toThrow(
    'The response of the provider for this model is too large',
  );
  await closed;
});

test('what a listener of a connection throws ends the connection, not the process', () => {
  const socket = new Socket();
  fence(socket);
  socket.on('readable', () => {
    throw new Error('of the HTTP client');
  });
  socket.emit('readable');
  expect(socket.destroyed).toBe(true);
});

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Agent } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { Abort } from '@/server/gateway/run/abort';
import { connectUpstream } from '@/server/gateway/run/upstream-connection';
import { UpstreamResponse } from '@/server/gateway/run/upstream-response';

/** When a paused process continues, all its timers are due before it reads what has arrived. */

const PATIENCE_MS = 500;
const HEAD = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n';

let serve: (socket: Socket) => void = () => {};
const server = createServer((socket) => void socket.once('data', () => serve(socket)));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const agent = new Agent({ connect: connectUpstream });
afterAll(async () => {
  await agent.close();
  await new Promise((resolve) => server.close(resolve));
});

function call(): UpstreamResponse {
  const response = new UpstreamResponse(new Abort(), { startMs: PATIENCE_MS, idleMs: PATIENCE_MS });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  agent.dispatch({ origin, path: '/', method: 'POST', headersTimeout: 0, bodyTimeout: 0 }, response);
  return response;
}

/** Nothing in this process runs, and its timers become due. */
const pauseProcess = () =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS + 100);

test('a response that began while the process was paused has begun in time', async () => {
  serve = (socket) => {
    socket.end(`${HEAD}whole`);
    pauseProcess();
  };
  const response = await call().started;
  expect(await response.text(100)).toBe('whole');
});

test('a response that went on while the process was paused was not silent', async () => {
  let connection: Socket | undefined;
  serve = (socket) => {
    connection = socket;
    socket.write(`${HEAD}first`);
  };
  const response = await call().started;
  expect(String(await response.read())).toBe('first');
  const next = response.read();
  connection?.write('next');
  pauseProcess();
  expect(String(await next)).toBe('next');
  const end = response.read();
  connection?.end();
  pauseProcess();
  expect(await end).toBeNull();
});

test('a response that is silent after the pause, too, is cut off', async () => {
  serve = (socket) => void socket.write(HEAD);
  const response = await call().started;
  const next = response.read();
  pauseProcess();
  await expect(next).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
});

import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { closeGently, listen, watchUnusedConnections } from '@/server/process/listen';

test('stopping waits for running answers, not for connections that never asked for anything', async () => {
  let finish = (): void => {};
  let noteAsked = (): void => {};
  const asked = new Promise<void>((resolve) => {
    noteAsked = resolve;
  });
  const server = createServer((_, response) => {
    finish = () => response.end('whole');
    noteAsked();
  });
  const closeUnused = watchUnusedConnections(server);
  await listen(server, 0, '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  const silent = connect(port, '127.0.0.1');
  const silentClosed = new Promise((resolve) => silent.once('close', resolve));
  const answer = new Promise<string>((resolve) => {
    request({ port, host: '127.0.0.1' }, (response) =>
      response.on('data', (data) => resolve(String(data))),
    ).end();
  });
  await asked;

  const stopped = closeGently(server, closeUnused);
  await silentClosed;
  finish();
  expect(await answer).toBe('whole');
  await stopped;
});

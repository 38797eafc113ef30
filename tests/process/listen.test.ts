import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { listen } from '@/server/process/listen';

const CONNECTIONS = 1_500;
const PATIENCE_MS = 5_000;

const CLIENT = `
  const { connect } = require('node:net');
  const { workerData: { port, count, done } } = require('node:worker_threads');
  for (let n = 0; n < count; n++)
    connect(port, '127.0.0.1', () => {
      Atomics.add(done, 0, 1);
      Atomics.notify(done, 0);
    }).on('error', () => {});
`;

test.skipIf(mostWaiting() < CONNECTIONS)(
  'a burst of connections waits for a busy process instead of being dropped',
  async () => {
    const server = createServer();
    await listen(server, 0, '127.0.0.1');
    const done = new Int32Array(new SharedArrayBuffer(4));
    const { port } = server.address() as AddressInfo;
    const worker = new Worker(CLIENT, {
      eval: true,
      execArgv: [],
      workerData: { port, count: CONNECTIONS, done },
    });
    await new Promise((resolve) => worker.once('online', resolve));
    // From here on, this process accepts nothing.
    const endMs = performance.now() + PATIENCE_MS;
    for (let seen = 0; seen < CONNECTIONS && performance.now() < endMs; seen = Atomics.load(done, 0))
      Atomics.wait(done, 0, seen, endMs - performance.now());
    expect(Atomics.load(done, 0)).toBe(CONNECTIONS);
    await worker.terminate();
    await new Promise((resolve) => server.close(resolve));
  },
);

function mostWaiting(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { Job, Outcome } from '../../bench/load.mjs';

/** The benchmark compares what the load generator counted with the receipts, so its count must be exact. */

const BODY = JSON.stringify({ text: 'waves', usage: { tokens: 1 } });
let served = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    served += 1;
    if (request.url === '/refused') return response.writeHead(503).end(BODY);
    if (request.url === '/cut') return response.end('{"text":"wa"}');
    if (request.url === '/whole') return response.setHeader('content-length', BODY.length).end(BODY);
    for (const part of BODY.split(/(?<=,)/)) response.write(part);
    response.end();
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
afterAll(() => void server.close());

async function drive(path: string): Promise<Outcome> {
  const load = fork('bench/load.mjs');
  const job: Job = {
    origins: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    path,
    connections: 3,
    seconds: 1,
    body: '{}',
    headers: [{}],
    expected: '"usage"',
  };
  load.send(job);
  const [outcome] = await once(load, 'message');
  load.disconnect();
  return outcome as Outcome;
}

test.each(['/whole', '/in-parts'])('every response of %s is counted once', async (path) => {
  served = 0;
  const outcome = await drive(path);
  expect(outcome).toMatchObject({ figures: { requests: served } });
  expect(served).toBeGreaterThan(10);
});

test('a response that is not a complete 200 fails the load', async () => {
  expect(await drive('/refused')).toMatchObject({ failure: expect.stringContaining('503') });
  expect(await drive('/cut')).toMatchObject({ failure: expect.stringContaining('{"text":"wa"}') });
});

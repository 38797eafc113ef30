import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

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
after(() => server.close());

async function drive(path) {
  const load = fork(new URL('load.mjs', import.meta.url));
  load.send({
    origins: [`http://127.0.0.1:${server.address().port}`],
    path,
    connections: 3,
    seconds: 1,
    bodies: ['{}'],
    headers: [{}],
    expected: '"usage"',
  });
  const [outcome] = await once(load, 'message');
  load.disconnect();
  return outcome;
}

for (const path of ['/whole', '/in-parts'])
  test(`every response of ${path} is counted once`, async () => {
    served = 0;
    const { figures } = await drive(path);
    assert.equal(figures.requests, served);
    assert.ok(served > 10);
  });

test('a response that is not a complete 200 fails the load', async () => {
  assert.match((await drive('/refused')).failure, /503/);
  assert.match((await drive('/cut')).failure, /\{"text":"wa"\}/);
});

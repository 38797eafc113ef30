import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { setClock } from '@/server/base/clock';
import { Connections } from '@/server/process/connections';
import { drain } from '@/server/process/drain';
import { listen } from '@/server/process/listen';

const closing: (() => void)[] = [];
afterEach(() => {
  setClock();
  for (const close of closing.splice(0)) close();
});

type Served = { request: IncomingMessage; response: ServerResponse };

/** A server whose responses the test writes, and a client with one connection that it keeps. */
async function start() {
  const served: Served[] = [];
  const server = createServer((incoming, response) => {
    if (!connections.begin(incoming, response)) return;
    response.once('close', () => connections.end(incoming));
    served.push({ request: incoming, response });
  });
  const connections = new Connections(server);
  await listen(server, 0, '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  closing.push(
    () => agent.destroy(),
    () => server.closeAllConnections(),
  );
  /** Resolves to the headers and the text of the response, or to the code of the failure. */
  const ask = () =>
    new Promise<{ connection?: string | undefined; text: string }>((resolve) => {
      const sent = request({ port, host: '127.0.0.1', agent }, (response) => {
        let text = '';
        response.on('data', (data) => (text += data));
        response.once('aborted', () => resolve({ text: 'cut off' }));
        response.once('end', () => resolve({ connection: response.headers.connection, text }));
      });
      sent.once('error', (error: NodeJS.ErrnoException) => resolve({ text: error.code ?? '' }));
      sent.end();
    });
  const nextServed = async (count = served.length + 1): Promise<ServerResponse> => {
    await vi.waitUntil(() => served.length >= count);
    return (served[count - 1] as Served).response;
  };
  return { server, connections, port, ask, nextServed };
}

/** Keeps the event loop from turning. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const forever = { delayMs: 0, timeoutMs: 60_000, cutOff: () => 0 };

test('stopping waits for running responses, which end their connection', async () => {
  const { server, connections, ask, nextServed } = await start();
  const answer = ask();
  const response = await nextServed(1);
  const stopped = drain(server, connections, forever);
  response.end('whole');
  expect(await answer).toEqual({ connection: 'close', text: 'whole' });
  await stopped;
});

test('a stopping server still answers the next request on a connection that its proxy keeps', async () => {
  const { server, connections, ask, nextServed } = await start();
  const first = ask();
  (await nextServed(1)).end('first');
  expect(await first).toMatchObject({ connection: 'keep-alive', text: 'first' });

  const stopped = drain(server, connections, forever);
  await vi.waitUntil(() => !server.listening);
  const second = ask();
  (await nextServed(2)).end('second');
  expect(await second).toEqual({ connection: 'close', text: 'second' });
  await stopped;
});

test('a stopping server ends connections without requests after two seconds', async () => {
  const { server, connections, port, ask, nextServed } = await start();
  const first = ask();
  (await nextServed(1)).end('first');
  await first;
  const silent = connect(port, '127.0.0.1');
  await vi.waitUntil(() => connections.open === 2);
  let time = 1_000_000;
  setClock(() => time);

  const looks = vi.spyOn(connections, 'closeIdle');
  const afterLooks = (count: number) => vi.waitUntil(() => looks.mock.calls.length >= count);

  const stopped = drain(server, connections, forever);
  await afterLooks(1);
  time += 1_900;
  // The beginning of a request: this one is not idle.
  silent.write('GET / HTTP/1.1\r\n');
  await afterLooks(3);
  expect(connections.open).toBe(2);
  time += 200;
  await vi.waitUntil(() => connections.open === 1);
  await afterLooks(looks.mock.calls.length + 2);
  expect(connections.open).toBe(1);
  time += 2_000;
  await stopped;
});

test('a stopping server accepts the connections that arrived while it was busy', async () => {
  const { server, connections, port, nextServed } = await start();
  const stopped = drain(server, connections, forever);
  const client = await new Promise<Socket>((resolve) =>
    // In the turn in which the drain looks for connections for the first time.
    setImmediate(() => {
      resolve(connect(port, '127.0.0.1'));
      block(50);
    }),
  );
  let received = '';
  client.on('data', (data) => (received += data)).on('error', () => {});
  client.write('GET / HTTP/1.1\r\nhost: svc.test\r\n\r\n');
  (await nextServed(1)).end('whole');
  await vi.waitUntil(() => received.includes('whole'));
  await stopped;
});

test('a stopping server answers a request that arrived while the process was too busy to read it', async () => {
  const { server, connections, port, nextServed } = await start();
  const client = connect(port, '127.0.0.1');
  let received = '';
  client.on('data', (data) => (received += data)).on('error', () => {});
  const ask = () => client.write('GET / HTTP/1.1\r\nhost: svc.test\r\n\r\n');
  ask();
  (await nextServed(1)).end('first');
  await vi.waitUntil(() => received.includes('first'));
  let time = 1_000_000;
  setClock(() => time);
  const looks = vi.spyOn(connections, 'closeIdle');
  const stopped = drain(server, connections, forever);
  await vi.waitUntil(() => looks.mock.calls.length >= 2);

  await new Promise<void>((resolve) =>
    setImmediate(() => {
      ask();
      // The next turn begins with the timer of the drain.
      block(100);
      time += 2_000;
      resolve();
    }),
  );
  (await nextServed(2)).end('second');
  await vi.waitUntil(() => received.includes('second'));
  await stopped;
});

test('connections are accepted during the delay of the shutdown, and their responses end them', async () => {
  const { server, connections, ask, nextServed } = await start();
  let time = 1_000_000;
  setClock(() => time);
  const stopped = drain(server, connections, { ...forever, delayMs: 5_000 });
  const answer = ask();
  (await nextServed(1)).end('late');
  expect(await answer).toEqual({ connection: 'close', text: 'late' });
  expect(server.listening).toBe(true);
  time += 5_000;
  await stopped;
  expect(server.listening).toBe(false);
});

test('what runs at the end of the time is cut off: paid responses end with an error, the others are closed', async () => {
  const { server, connections, ask, nextServed } = await start();
  const answer = ask();
  const response = await nextServed(1);
  response.write('begun, ');
  const cutOff = vi.fn(() => {
    response.end('cut off with an error');
    return 1;
  });
  await drain(server, connections, { delayMs: 0, timeoutMs: 100, cutOff });
  expect(cutOff).toHaveBeenCalledOnce();
  expect((await answer).text).toBe('begun, cut off with an error');

  const other = await start();
  const page = other.ask();
  (await other.nextServed(1)).write('begun, ');
  await drain(other.server, other.connections, { delayMs: 0, timeoutMs: 0, cutOff: () => 0 });
  expect(await page).toEqual({ text: 'cut off' });
});

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { now, SECOND_MS, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { runningGenerations } from '@/server/gateway/run/run';
import { checkLedger } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { until } from '../../harness/until';

/** Clients that do not read, and a provider that closes the connection with the last byte. */

await newDatabase();

/** More than the system buffers for a client, in steps that leave each connection to end at another place. */
const STREAMS = 2;
const SMALLEST_KB = 14_000;
const STEP_KB = 40;
/** About what the system buffers. */
const SOME_BYTES = 7_000_000;
const MODEL = 'openai/gpt-4.1-mini';

const delta = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const PIECE = delta('x'.repeat(800));
const piecesOf = (n: number) => Math.ceil(((SMALLEST_KB + STEP_KB * n) * 1_000) / PIECE.length);

const END = `${delta('', 'stop')}data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\ndata: [DONE]\n\n`;

const WHOLE_BYTES = 12_000_000;
const message = { role: 'assistant', content: 'x'.repeat(WHOLE_BYTES) };
const usage = { prompt_tokens: 1, completion_tokens: 1 };
const WHOLE = `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage })}`;

let connections: Socket[] = [];
let onConnection = () => {};

/** A provider without `Content-Length` and with `Connection: close`: the end of the connection ends the response. */
const upstream = createServer((socket: Socket) => {
  socket.on('error', () => {});
  socket.once('data', (request) => {
    connections.push(socket);
    onConnection();
    if (!request.toString().includes('"stream":true')) return void socket.end(WHOLE);
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n');
    socket.end(PIECE.repeat(piecesOf(connections.length - 1)) + END);
  });
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise((resolve) => upstream.close(resolve)));
process.env.OPENAI_API_KEY = 'key-of-the-test';
process.env.OPENAI_BASE_URL = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
process.env.LIMIT_RUNNING_PER_USER = String(STREAMS);
const api = await startApi();

/** A client that has sent a request and reads nothing until it must. */
class Client {
  readonly #socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  readonly #closed = once(this.#socket, 'close');
  #text = '';

  constructor(userKey: string, { stream = true } = {}) {
    const body = JSON.stringify({ model: MODEL, stream, messages: [{ role: 'user', content: 'Hi' }] });
    this.#socket.setEncoding('utf8').on('data', (data: string) => {
      this.#text += data;
    });
    this.#socket.pause();
    this.#socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: svc.test\r\nconnection: close\r\nauthorization: Bearer ${userKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  }

  /** Reads so much that the system has to take more from the server, then pauses again. */
  async readSome(): Promise<void> {
    const enough = this.#text.length + SOME_BYTES;
    this.#socket.resume();
    while (this.#text.length < enough) await once(this.#socket, 'data');
    this.#socket.pause();
  }

  async readAll(): Promise<string> {
    this.#socket.resume();
    await this.#closed;
    return this.#text;
  }
}

/** What the system has not taken of the current write, which Node does not publish. */
const queuedOf = (socket: Socket): number =>
  (socket as Socket & { _handle?: { writeQueueSize: number } })._handle?.writeQueueSize ?? 0;

const STEADY_ROUNDS = 30;

/** Waits until neither the provider nor the server has sent anything for many requests of others. */
async function untilStuck(): Promise<void> {
  let before = '';
  for (let steady = 0; steady < STEADY_ROUNDS; steady++) {
    await fetch(`${api.url}/v1/models`).then((models) => models.text());
    const left = [api.connections.unsentBytes, ...connections.map(queuedOf)].join();
    if (left !== before || api.connections.unsentBytes === 0) steady = 0;
    before = left;
  }
}

/** Starts streams whose clients read nothing, and returns when the provider can send no more. */
async function startUnread(): Promise<{ clients: Client[]; userId: string }> {
  const { userKey, userId } = await newPerson({ credits: 100 });
  connections = [];
  const all = new Promise<void>((resolve) => {
    onConnection = () => connections.length === STREAMS && resolve();
  });
  const clients = Array.from({ length: STREAMS }, () => new Client(userKey));
  await all;
  await untilStuck();
  return { clients, userId };
}

test('a client that reads late receives the whole stream of a provider that closes the connection with it', async () => {
  const { clients } = await startUnread();
  const responses = await Promise.all(clients.map((client) => client.readAll()));
  for (const response of responses) expect(response.includes('data: [DONE]')).toBe(true);
  const received = responses.map((response) => response.match(/x{800}/g)?.length ?? 0);
  expect(received.sort((a, b) => a - b)).toEqual(clients.map((_, n) => piecesOf(n)));
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

/** Lets so much time pass for the server. */
let passedMs = 0;
function pass(ms: number): void {
  passedMs += ms;
  api.connections.closeUnread();
}
const start = now();
beforeEach(() => setClock(() => start + passedMs));
afterEach(() => setClock());

test('a client that takes nothing of its stream for 30 seconds has disconnected, one that reads slowly has not', async () => {
  const { clients, userId } = await startUnread();
  const [unread, slow] = clients as [Client, Client];
  pass(0);
  pass(30 * SECOND_MS - 1);
  await slow.readSome();
  pass(0);
  expect(runningGenerations()).toBe(2);
  pass(1);

  expect((await unread.readAll()).includes('[DONE]')).toBe(false);
  expect((await slow.readAll()).includes('[DONE]')).toBe(true);
  const receipts = await until(
    () => readReceipts(userId),
    (found) => found.length === 2 && runningGenerations() === 0,
  );
  expect(receipts.map(({ outcome }) => outcome).sort()).toEqual(['aborted', 'completed']);
  expect(await prisma().hold.count()).toBe(0);
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

test('a client that takes nothing of a whole response for 30 seconds loses its connection', async () => {
  const { userKey } = await newPerson({ credits: 100 });
  const client = new Client(userKey, { stream: false });
  await untilStuck();
  pass(0);
  pass(30 * SECOND_MS - 1);
  expect(api.connections.unsentBytes).toBeGreaterThan(0);
  pass(1);
  expect((await client.readAll()).length).toBeLessThan(WHOLE_BYTES);
});

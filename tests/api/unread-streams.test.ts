import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { checkLedger } from '@/server/ledger';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { newPerson } from '../harness/people';

/** Clients that do not read, and providers that close the connection with the last byte. */

await newDatabase();

/** More than the system buffers for a client, in steps that leave each connection to end at another place. */
const STREAMS = 4;
const SMALLEST_KB = 5_000;
const STEP_KB = 40;
const MODEL = 'openai/gpt-4.1-mini';

const delta = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const PIECE = delta('x'.repeat(800));
const piecesOf = (n: number) => Math.ceil(((SMALLEST_KB + STEP_KB * n) * 1_000) / PIECE.length);

const END = `${delta('', 'stop')}data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\ndata: [DONE]\n\n`;

let connections: Socket[] = [];
let onAll = () => {};

/** A provider without `Content-Length` and with `Connection: close`: the end of the connection ends the response. */
const upstream = createServer((socket: Socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n');
    socket.end(PIECE.repeat(piecesOf(connections.length)) + END);
    connections.push(socket);
    if (connections.length === STREAMS) onAll();
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

  constructor(userKey: string) {
    const body = JSON.stringify({ model: MODEL, stream: true, messages: [{ role: 'user', content: 'Hi' }] });
    this.#socket.setEncoding('utf8').on('data', (data: string) => {
      this.#text += data;
    });
    this.#socket.pause();
    this.#socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: svc.test\r\nconnection: close\r\nauthorization: Bearer ${userKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  }

  async readAll(): Promise<string> {
    this.#socket.resume();
    await this.#closed;
    return this.#text;
  }
}

/** Starts streams whose clients read nothing, and returns when the provider can send no more. */
async function startUnread(): Promise<Client[]> {
  const { userKey } = await newPerson({ credits: 100 });
  connections = [];
  const all = new Promise<void>((resolve) => {
    onAll = resolve;
  });
  const clients = Array.from({ length: STREAMS }, () => new Client(userKey));
  await all;
  for (let left = -1; ; ) {
    await fetch(`${api.url}/v1/models`).then((models) => models.text());
    const unsent = connections.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (unsent === left) return clients;
    left = unsent;
  }
}

test('a client that reads late receives the whole stream of a provider that closes the connection with it', async () => {
  const clients = await startUnread();
  const responses = await Promise.all(clients.map((client) => client.readAll()));
  for (const response of responses) expect(response).toContain('data: [DONE]');
  const received = responses.map((response) => response.match(/x{800}/g)?.length ?? 0);
  expect(received.sort((a, b) => a - b)).toEqual(clients.map((_, n) => piecesOf(n)));
  expect(await checkLedger()).toMatchObject({ differences: [] });
});

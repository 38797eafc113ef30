import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { setClock } from '@/server/base/clock';
import type { Json } from '@/server/gateway/protocols/neutral';
import { lookAfterBatches } from '@/server/gateway/run/batches/look-after-batches';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { bookedOf, pass, send } from '../videos/video-world';

export { bookedOf, pass };

export const toLines = (lines: readonly unknown[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A request for gpt-4.1-mini, which costs $0.20 and $0.80 per million tokens in a batch. */
export const chatLine = (custom_id: string) => ({
  custom_id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'openai/gpt-4.1-mini', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] },
});

/** What the provider says of it. */
export const chatResult = (index: string, input: number, output: number) => ({
  custom_id: index,
  response: {
    status_code: 200,
    body: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-4.1-mini',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    },
  },
});

export type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

/** A provider of batches in both formats, whose answers a test replaces. */
export class BatchProvider {
  url = '';
  calls: string[] = [];
  /** What was uploaded, line by line, or came with a batch. */
  lines: Json[] = [];
  batch: Json = {};
  onUpload: Answer = (response) => send(response, { id: 'file-1' });
  onCreate: Answer = (response) => send(response, { id: 'batch-1' });
  onList: Answer = (response) => send(response, { object: 'list', data: [], has_more: false });
  onRead: Answer = (response) => send(response, { id: 'batch-1', status: 'in_progress' });
  onCancel: Answer = (response) => send(response, {});
  onResults: Answer = (response) => send(response, 'no results', 404);

  async listen(): Promise<void> {
    const server = await listenOnLoopback(async (request, response) => {
      const body = await readBody(request);
      const path = (request.url ?? '').replace(/^\/v1/, '').replace(/\?.*/, '');
      this.calls.push(`${request.method} ${path}`);
      if (path === '/files') {
        const [, lines = ''] = /application\/jsonl\r\n\r\n([\s\S]*?)\r\n--/.exec(body) ?? [];
        this.lines = lines
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Json);
        return this.onUpload(response, request, body);
      }
      if (/^(\/messages)?\/batches$/.test(path) && request.method === 'POST') {
        this.batch = JSON.parse(body) as Json;
        if (Array.isArray(this.batch.requests)) this.lines = this.batch.requests as Json[];
        return this.onCreate(response, request, body);
      }
      if (path === '/batches') return this.onList(response, request, body);
      if (path.endsWith('/cancel')) return this.onCancel(response, request, body);
      if (/\/(content|results)$/.test(path)) return this.onResults(response, request, body);
      return this.onRead(response, request, body);
    });
    this.url = server.url;
    afterAll(() => server.close());
  }
}

export async function startBatchWorld() {
  await newDatabase();
  const provider = new BatchProvider();
  await provider.listen();
  for (const name of ['OPENAI', 'ANTHROPIC']) {
    process.env[`${name}_API_KEY`] = 'key-of-the-operator';
    process.env[`${name}_BASE_URL`] = `${provider.url}/v1`;
  }
  const { url } = await startApi();
  afterEach(() => setClock());

  const as = ({ userKey }: Person, headers: Record<string, string> = {}) => ({
    authorization: `Bearer ${userKey}`,
    ...headers,
  });
  const upload = async (person: Person, content: string | Buffer<ArrayBuffer>): Promise<string> => {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([content]), 'lines.jsonl');
    const response = await fetch(`${url}/v1/files`, { method: 'POST', headers: as(person), body: form });
    const { id } = (await response.json()) as { id: string };
    return id;
  };
  const post = (person: Person, path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: as(person, { 'content-type': 'application/json', ...headers }),
      body: JSON.stringify(body),
    });
  const read = (person: Person, path: string, method = 'GET') =>
    fetch(`${url}/v1${path}`, { method, headers: as(person) });
  const start = async (person: Person, lines: readonly unknown[], headers: Record<string, string> = {}) =>
    post(
      person,
      '/batches',
      {
        input_file_id: await upload(person, toLines(lines)),
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      },
      headers,
    );
  return { url, provider, upload, post, read, start, newBuyer };
}

const newBuyer = (credits = 1_000): Promise<Person> => newPerson({ credits, rateBp: 2_500 });

/** The next look at each batch, whenever it is due. */
export async function lookNow(): Promise<void> {
  pass(7_500);
  await lookAfterBatches();
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { readMultipart } from '@/server/base/http/read-multipart';
import type { Json } from '@/server/gateway/protocols/neutral';

/** A response of the scripted provider. */
export type Reply = {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a string and bytes are sent unchanged. */
  body?: unknown;
  /** Sent as server-sent events: their data, or a whole line of another kind. */
  events?: (Json | string)[];
  /** The connection breaks instead of ending; without events or a body, before the headers. */
  breaksOff?: boolean;
  /** There is no response, and the connection stays open. */
  hangs?: boolean;
};

type Scripted = Reply | ((body: Json) => Reply);

export type SeenRequest = { path: string; headers: IncomingMessage['headers']; body: Json };

export type ScriptedUpstream = {
  url: string;
  /** Sets the responses to requests for a model, in order; the last one repeats. A function gets the body of the request. */
  script: (model: string, ...replies: Scripted[]) => void;
  /** The requests for a model, oldest first. */
  seen: (model: string) => SeenRequest[];
  /** The body of the newest request for a model. */
  lastBody: (model: string) => Json;
};

/**
 * Starts a real HTTP server that replaces a provider of either format and sends the responses that a
 * test sets. Models have the provider's names.
 */
export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const scripts = new Map<string, Scripted[]>();
  const requests = new Map<string, SeenRequest[]>();
  const seen = (model: string): SeenRequest[] => requests.get(model) ?? [];

  const server = await listenOnLoopback(async (request, response) => {
    const { 'content-type': type = '' } = request.headers;
    // As vendors do.
    if (request.method === 'POST' && type === '')
      return send(response, { status: 415, body: { error: { message: 'Missing Content-Type' } } });
    const isForm = type.startsWith('multipart/form-data');
    const body = isForm ? await readForm(await buffer(request), type) : JSON.parse(await readBody(request));
    const model = String(body.model);
    requests.set(model, [...seen(model), { path: request.url ?? '', headers: request.headers, body }]);
    const [scripted, ...rest] = scripts.get(model) ?? [];
    if (rest.length > 0) scripts.set(model, rest);
    const reply = typeof scripted === 'function' ? scripted(body) : scripted;
    if (reply?.hangs) return;
    send(response, reply ?? { status: 500, body: { error: { message: `no script for ${model}` } } });
  });
  afterAll(() => server.close());

  return {
    url: server.url,
    script(model, ...replies) {
      scripts.set(model, replies);
      requests.delete(model);
    },
    seen,
    lastBody: (model) => seen(model).at(-1)?.body ?? {},
  };
}

/** Its fields as text, those of one name as a list, its files, and all of it as `form`. */
async function readForm(bytes: Buffer, type: string): Promise<Json> {
  const request = new Request('http://upstream', {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(bytes),
  });
  const { fields, files } = await readMultipart(request, { limitBytes: bytes.length, key: '' });
  const body: Json = Object.fromEntries(files.map((file) => [file.field, file]));
  for (const { name, value } of fields)
    body[name] = name.endsWith('[]') ? [...((body[name] ?? []) as string[]), value] : value;
  Object.defineProperty(body, 'form', { value: bytes.toString('latin1') });
  return body;
}

function send(response: ServerResponse, reply: Reply): void {
  const { status = 200, body, events, headers = {}, breaksOff = false } = reply;
  if (breaksOff && events === undefined && body === undefined) return void response.destroy();
  const text = events === undefined ? writeBody(body) : events.map(writeEvent).join('');
  const type = events === undefined ? 'application/json' : 'text/event-stream';
  response.writeHead(status, { 'content-type': type, ...headers });
  if (!breaksOff) return void response.end(text);
  response.write(text, () => response.destroy());
}

const writeBody = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {});

/** Writes the event name if the event has a type, as providers of the messages format do. */
function writeEvent(event: Json | string): string {
  if (typeof event === 'string') return `${event}\n\n`;
  const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

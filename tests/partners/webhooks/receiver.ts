import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';

export type Received = { path: string; headers: IncomingMessage['headers']; body: string; id: string };
export type Responder = (response: ServerResponse, received: Received) => void;

export type Receiver = {
  url: string;
  /** Every request, oldest first. */
  received: Received[];
  respondWith: (responder: number | Responder) => void;
};

/** A real HTTP server that acts as an app's server. */
export async function startReceiver(first: number | Responder = 200): Promise<Receiver> {
  const received: Received[] = [];
  let responder = toResponder(first);
  const server = await listenOnLoopback(async (request, response) => {
    const body = await readBody(request);
    const id = (JSON.parse(body) as { id: string }).id;
    const delivery = { path: request.url ?? '', headers: request.headers, body, id };
    received.push(delivery);
    responder(response, delivery);
  });
  afterAll(() => server.close());
  return {
    url: `${server.url}/hook`,
    received,
    respondWith: (next) => {
      responder = toResponder(next);
    },
  };
}

const toResponder = (responder: number | Responder): Responder =>
  typeof responder === 'number'
    ? (response) => response.writeHead(responder).end(`status ${responder}`)
    : responder;

import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll } from 'vitest';
import { listenOnLoopback, readBody } from '@/server/sandbox/loopback-server';

export type Received = { path: string; headers: IncomingMessage['headers']; body: string; id: string };
export type Answer = (response: ServerResponse, received: Received) => void;

export type Receiver = {
  url: string;
  /** Every request, oldest first. */
  received: Received[];
  answerWith: (answer: number | Answer) => void;
};

/** A real HTTP server that acts as an app's server. */
export async function startReceiver(first: number | Answer = 200): Promise<Receiver> {
  const received: Received[] = [];
  let answer = toAnswer(first);
  const server = await listenOnLoopback(async (request, response) => {
    const body = await readBody(request);
    const id = (JSON.parse(body) as { id: string }).id;
    const what = { path: request.url ?? '', headers: request.headers, body, id };
    received.push(what);
    answer(response, what);
  });
  afterAll(() => server.close());
  return {
    url: `${server.url}/hook`,
    received,
    answerWith: (next) => {
      answer = toAnswer(next);
    },
  };
}

const toAnswer = (answer: number | Answer): Answer =>
  typeof answer === 'number' ? (response) => response.writeHead(answer).end(`status ${answer}`) : answer;

import type { ServerResponse } from 'node:http';
import { describeError, log } from '../log';
import { standardHeaders } from './respond';

/** Where a streamed response goes: the connection of a client, or the web `Response` that Next asks for. */
export type ClientStream = {
  /** The client reads more slowly than the response arrives: wait until it is `drained`. */
  readonly isFull: boolean;
  /** Resolves when the client has read what was written, or has disconnected, or the response was ended. */
  drained(): Promise<void>;
  /** Writes to a client that has disconnected have no effect. */
  write(text: string): void;
  end(text: string): void;
};

/** Writes a streamed response. */
type StreamBody = (client: ClientStream) => Promise<void>;

/** For a stream that is read on without a client. */
export const NO_CLIENT: ClientStream = {
  isFull: false,
  drained: () => Promise.resolve(),
  write: () => {},
  end: () => {},
};

export type StreamReply = { body: StreamBody; headers: Record<string, string> };

/** A response without the headers common to all. */
export type Reply = { body: string | StreamBody; headers: Record<string, string>; status?: number };

/** Writes a response to its connection. */
export function writeReply(outgoing: ServerResponse, reply: Reply, requestId: string): void {
  const { body, headers, status = 200 } = reply;
  // A replay names the request that was charged.
  const all = Object.assign({}, headers, standardHeaders(headers['x-request-id'] ?? requestId));
  if (typeof body !== 'string') return writeStream(outgoing.writeHead(status, all), body, requestId);
  outgoing.writeHead(status, Object.assign(all, { 'content-length': Buffer.byteLength(body) }));
  outgoing.end(body);
}

function writeStream(outgoing: ServerResponse, body: StreamBody, requestId: string): void {
  // One write for the headers and the first piece if it is ready; headers do not wait for a later one.
  outgoing.cork();
  outgoing.flushHeaders();
  process.nextTick(() => outgoing.uncork());
  body(new ConnectionStream(outgoing)).catch((error: unknown) => {
    log().error({ request_id: requestId, error: describeError(error) }, 'stream failed');
    outgoing.destroy();
  });
}

class ConnectionStream implements ClientStream {
  readonly #outgoing: ServerResponse;
  #stopWaiting = () => {};

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
  }

  get isFull(): boolean {
    return this.#outgoing.writableNeedDrain;
  }

  drained(): Promise<void> {
    const outgoing = this.#outgoing;
    return new Promise((resolve) => {
      const onReady = () => {
        outgoing.off('drain', onReady).off('close', onReady);
        resolve();
      };
      this.#stopWaiting = onReady;
      outgoing.on('drain', onReady).on('close', onReady);
    });
  }

  write(text: string): void {
    if (!this.#outgoing.destroyed) this.#outgoing.write(text);
  }

  end(text: string): void {
    if (!this.#outgoing.destroyed) this.#outgoing.end(text);
    this.#stopWaiting();
  }
}

/** The same as a web `Response`, for Next. */
export function toResponse({ body, headers, status = 200 }: Reply, signal: AbortSignal): Response {
  return new Response(typeof body === 'string' ? body : toReadable(body, signal), { status, headers });
}

function toReadable(body: StreamBody, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let resume = () => {};
  let isGone = signal.aborted;
  const leave = () => {
    isGone = true;
    resume();
  };
  signal.addEventListener('abort', leave, { once: true });
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        if (!isGone && text !== '') controller.enqueue(encoder.encode(text));
      };
      const client: ClientStream = {
        get isFull() {
          return !isGone && (controller.desiredSize ?? 0) <= 0;
        },
        drained: () => new Promise((resolve) => (resume = resolve)),
        write,
        end(text) {
          write(text);
          if (!isGone) controller.close();
          resume();
        },
      };
      body(client).catch((error: unknown) => controller.error(error));
    },
    pull: () => resume(),
    cancel: leave,
  });
}

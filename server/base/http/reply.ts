import type { ServerResponse } from 'node:http';
import { describeError, log } from '../log';
import { standardHeaders } from './respond';

/** Where a streamed response goes: the connection of a client, or the web `Response` that Next asks for. */
export type ClientStream = {
  /** The client reads more slowly than the response arrives: wait until it is `drained`. */
  readonly isFull: boolean;
  /** Resolves when the client has read what was written, or has disconnected, or the response was ended. */
  drained(): Promise<void>;
  /** Has no effect once the client has disconnected or the response was ended. */
  write(text: string): void;
  end(text: string): void;
  /** Closes the connection, so that the client sees that the response is incomplete. */
  breakOff(): void;
};

/** Takes the place of a client that already has its response: nobody reads what is written. */
export const NOBODY: ClientStream = {
  isFull: false,
  drained: async () => {},
  write() {},
  end() {},
  breakOff() {},
};

/** Writes a streamed response. */
export type StreamBody = (client: ClientStream) => Promise<void>;

/** A response without the headers common to all. */
export type Reply = { body: string | StreamBody; headers: Record<string, string>; status?: number };

/** Of audio, each character is a byte. */
const encodingOf = ({ 'content-type': type = '' }: Record<string, string>): 'latin1' | 'utf8' =>
  type.startsWith('audio/') ? 'latin1' : 'utf8';

/** Writes a response to its connection. */
export function writeReply(outgoing: ServerResponse, reply: Reply, requestId: string): void {
  const { body, headers, status = 200 } = reply;
  // A replay names the request that was charged.
  const all = Object.assign({}, headers, standardHeaders(headers['x-request-id'] ?? requestId));
  const encoding = encodingOf(headers);
  if (typeof body !== 'string') {
    const client = new ConnectionStream(outgoing.writeHead(status, all), encoding);
    return writeStream(outgoing, client, body, requestId);
  }
  outgoing.writeHead(status, Object.assign(all, { 'content-length': Buffer.byteLength(body, encoding) }));
  outgoing.end(body, encoding);
}

function writeStream(
  outgoing: ServerResponse,
  client: ConnectionStream,
  body: StreamBody,
  requestId: string,
): void {
  // One write for the headers and the first piece if it is ready; headers do not wait for a later one.
  outgoing.cork();
  outgoing.flushHeaders();
  process.nextTick(() => outgoing.uncork());
  body(client).catch((error: unknown) => {
    log().error({ request_id: requestId, error: describeError(error) }, 'stream failed');
    outgoing.destroy();
  });
}

class ConnectionStream implements ClientStream {
  readonly #outgoing: ServerResponse;
  readonly #encoding: 'latin1' | 'utf8';
  #stopWaiting = () => {};

  constructor(outgoing: ServerResponse, encoding: 'latin1' | 'utf8') {
    this.#outgoing = outgoing;
    this.#encoding = encoding;
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
    // Node throws what nobody catches when a response is written to after its end, until its client has read it.
    if (!this.#isOver) this.#outgoing.write(text, this.#encoding);
  }

  end(text: string): void {
    if (!this.#isOver) this.#outgoing.end(text, this.#encoding);
    this.#stopWaiting();
  }

  breakOff(): void {
    this.#outgoing.destroy();
    this.#stopWaiting();
  }

  get #isOver(): boolean {
    return this.#outgoing.destroyed || this.#outgoing.writableEnded;
  }
}

/** The same as a web `Response`, for Next. */
export function toResponse({ body, headers, status = 200 }: Reply, signal: AbortSignal): Response {
  const encoding = encodingOf(headers);
  const content = typeof body === 'string' ? toBytes(body, encoding) : toReadable(body, signal, encoding);
  return new Response(content, { status, headers });
}

const toBytes = (text: string, encoding: 'latin1' | 'utf8'): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, encoding));

function toReadable(
  body: StreamBody,
  signal: AbortSignal,
  encoding: 'latin1' | 'utf8',
): ReadableStream<Uint8Array> {
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
        if (!isGone && text !== '') controller.enqueue(toBytes(text, encoding));
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
          leave();
        },
        breakOff() {
          if (!isGone) controller.error(new Error('the response broke off'));
          leave();
        },
      };
      body(client).catch((error: unknown) => controller.error(error));
    },
    pull: () => resume(),
    cancel: leave,
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * What the API reads of a request. A web `Request` has it, so that Next can serve the route files; that of a
 * connection costs the paid routes neither a `Request` nor `Headers` nor an `AbortSignal`.
 */

export type Connection = { incoming: IncomingMessage; outgoing: ServerResponse };
const CONNECTION = Symbol('connection');

export type WithHeaders = { readonly headers: Pick<Headers, 'get'> };

export type ApiRequest = WithHeaders & {
  /** A property, because an entry in a `WeakMap` costs each request a microsecond of garbage collection. */
  [CONNECTION]?: Connection;
  /** Of a web `Request`. */
  readonly body?: ReadableStream<Uint8Array> | null;
  readonly signal?: AbortSignal;
};

export const requestOf = (connection: Connection): ApiRequest => ({
  headers: new IncomingHeaders(connection.incoming),
  [CONNECTION]: connection,
});

class IncomingHeaders {
  readonly #headers: IncomingMessage['headers'];

  constructor({ headers }: IncomingMessage) {
    this.#headers = headers;
  }

  /** The name is in lower case. */
  get(name: string): string | null {
    return (this.#headers[name] as string | undefined) ?? null;
  }
}

export function keepConnection(request: ApiRequest, connection: Connection): void {
  request[CONNECTION] = connection;
}

/** Undefined in Next, whose requests came through `receiveForm`. */
export const connectionOf = (request: ApiRequest): Connection | undefined => request[CONNECTION];

/** Calls `onDisconnect` when the client closes the connection before the response ends. Returns how to stop that. */
export function watchClient(request: ApiRequest, onDisconnect: () => void): () => void {
  const { signal } = request;
  const outgoing = connectionOf(request)?.outgoing;
  if (isDisconnected(request)) onDisconnect();
  if (outgoing === undefined) {
    signal?.addEventListener('abort', onDisconnect, { once: true });
    return () => signal?.removeEventListener('abort', onDisconnect);
  }
  const onClose = () => {
    if (isDisconnected(request)) onDisconnect();
  };
  outgoing.once('close', onClose);
  return () => void outgoing.off('close', onClose);
}

export function isDisconnected(request: ApiRequest): boolean {
  const outgoing = connectionOf(request)?.outgoing;
  if (outgoing === undefined) return request.signal?.aborted === true;
  return outgoing.destroyed && !outgoing.writableFinished;
}

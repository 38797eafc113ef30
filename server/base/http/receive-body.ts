import type { IncomingMessage } from 'node:http';
import { now, SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { type Connection, requestOf, type WithHeaders } from './api-request';
import { BodyBytes, releaseAtEnd } from './body-bytes';
import { readClientIp } from './client-ip';
import { leaveUnread } from './leave-unread';

/**
 * Receives the body of a request from its connection. `Request` can neither count the bytes as they arrive
 * nor end an upload that stalls.
 */

const KILOBYTE = 1024;
export const SMALL_BODY_BYTES = 64 * KILOBYTE;

/** Received at once: the system hands over 2 MB, whose scan takes 40 ms if it consists of escapes. */
const BYTES_AT_ONCE = 256 * KILOBYTE;

/** An upload may pause for this long. */
const IDLE_MS = 10 * SECOND_MS;
/** After that time, an upload must have averaged this. The server itself ends every request after two minutes. */
const MIN_BYTES_PER_SECOND = 16 * KILOBYTE;

/** Reading and measuring so much costs about as much as looking up a key. */
const UNCHECKED_BODY_BYTES = 8 * KILOBYTE;

/**
 * Whether the body is known to be small: by default, so that it may be read before the key is looked up. What a
 * compressed one expands to is not known.
 */
export function hasSmallBody({ headers }: WithHeaders, limitBytes = UNCHECKED_BODY_BYTES): boolean {
  if (headers.get('content-encoding') !== null) return false;
  return isSmall(headers.get('content-length'), headers.get('transfer-encoding'), limitBytes);
}

const isSmall = (
  length: string | null | undefined,
  encoding: string | null | undefined,
  limitBytes = SMALL_BODY_BYTES,
): boolean => (length == null ? encoding == null : Number(length) <= limitBytes);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Called before the response is written: what was not read of a large body by then stays unread. */
export function leaveRest(connection: Connection): void {
  if (!connection.incoming.complete && !isSmallUpload(connection)) leaveUnread(connection);
}

/** Responds to a request, and leaves the rest of its body. */
export function respondTo<Result>(
  connection: Connection,
  respond: () => Result | Promise<Result>,
): Result | Promise<Result> {
  if (isSmallUpload(connection)) return respond();
  return Promise.resolve(respond()).then((response) => {
    leaveRest(connection);
    return response;
  });
}

const isSmallUpload = ({ incoming: { headers } }: Connection): boolean =>
  isSmall(headers['content-length'], headers['transfer-encoding']);

export type Receiver = {
  /** Receives each chunk; what it throws ends the upload. */
  add: (chunk: Buffer) => void;
  /** More bytes than this are 413. */
  limitBytes: number;
  /** The user key, as its stored hash; '' if the body does not belong to one. */
  key: string;
};

/** Resolves when the body is complete. Fails with 408, 413 or 429, and then reads nothing more. */
export function receiveBody(connection: Connection, receiver: Receiver): Promise<void> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(connection, receiver, (error) =>
      error === undefined ? resolve() : reject(error),
    );
    upload.begin();
  });
}

class Upload {
  readonly #connection: Connection;
  readonly #receiver: Receiver;
  readonly #settle: (error?: unknown) => void;
  readonly #declared: number;
  readonly #startedAt = now();
  #progressAt = this.#startedAt;
  #received = 0;
  #atOnce = 0;
  #bytes: BodyBytes | undefined;

  constructor(connection: Connection, receiver: Receiver, settle: (error?: unknown) => void) {
    this.#connection = connection;
    this.#receiver = receiver;
    this.#settle = settle;
    this.#declared = Number(connection.incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  }

  begin(): void {
    const { incoming } = this.#connection;
    const { limitBytes } = this.#receiver;
    if (incoming.destroyed && !incoming.complete) return this.#settle(disconnected());
    if (this.#declared > limitBytes && this.#declared < Number.POSITIVE_INFINITY)
      return this.#end(tooLarge(limitBytes));
    incoming.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
    watch(this);
  }

  /** Ends the upload if it stalls, or if it is so slow that it only holds memory. */
  check(time: number): void {
    const elapsedMs = time - this.#startedAt;
    const isIdle = time - this.#progressAt > IDLE_MS;
    const expected = ((elapsedMs - IDLE_MS) / SECOND_MS) * MIN_BYTES_PER_SECOND;
    if (isIdle || this.#received < expected) this.#end(tooSlow());
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#received += chunk.length;
    this.#progressAt = now();
    try {
      this.#count(chunk.length);
      this.#receiver.add(chunk);
      this.#letOthersRun(chunk.length);
    } catch (error) {
      this.#end(error);
    }
  };

  #letOthersRun(bytes: number): void {
    this.#atOnce += bytes;
    if (this.#atOnce < BYTES_AT_ONCE) return;
    this.#atOnce = 0;
    const { incoming } = this.#connection;
    incoming.pause();
    setImmediate(() => {
      if (uploads.has(this)) incoming.resume();
    });
  }

  /** A small body in one chunk is complete, and is not counted. */
  #count(bytes: number): void {
    const { key, limitBytes } = this.#receiver;
    if (this.#received > limitBytes) throw tooLarge(limitBytes);
    if (this.#bytes === undefined) {
      if (bytes === this.#declared && bytes <= SMALL_BODY_BYTES) return;
      const { outgoing } = this.#connection;
      this.#bytes = new BodyBytes(readClientIp(requestOf(this.#connection)), key);
      const held = this.#bytes;
      if (outgoing.destroyed) throw disconnected();
      releaseAtEnd(outgoing, held);
    }
    this.#bytes.add(bytes);
  }

  readonly #onEnd = (): void => this.#end();

  readonly #onClose = (): void => this.#end(disconnected());

  #end(error?: unknown): void {
    const { incoming } = this.#connection;
    incoming.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    unwatch(this);
    if (error !== undefined) leaveUnread(this.#connection);
    this.#settle(error);
  }
}

/** The uploads in progress. One timer for all: a timer for each would cost every request a microsecond. */
const uploads = new Set<Upload>();
let timer: NodeJS.Timeout | undefined;

function watch(upload: Upload): void {
  uploads.add(upload);
  timer ??= setInterval(endSlowUploads, SECOND_MS).unref();
}

const unwatch = (upload: Upload): void => void uploads.delete(upload);

export function endSlowUploads(): void {
  const time = now();
  for (const upload of uploads) upload.check(time);
  if (uploads.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

export function tooLarge(limitBytes: number): ApiError {
  const megabyte = KILOBYTE * KILOBYTE;
  const limit = limitBytes >= megabyte ? `${limitBytes / megabyte} MB` : `${limitBytes / KILOBYTE} kB`;
  return new ApiError('request_too_large', `The request body exceeds the maximum size of ${limit}.`);
}

export const tooSlow = (): ApiError =>
  new ApiError(
    'request_timeout',
    `The request body arrived too slowly: expected progress every ${IDLE_MS / SECOND_MS} seconds, and ${MIN_BYTES_PER_SECOND / KILOBYTE} kB per second on average.`,
  );

/** Nobody receives it. */
const disconnected = (): ApiError =>
  new ApiError('invalid_request', 'The connection was closed before the request body was complete.');

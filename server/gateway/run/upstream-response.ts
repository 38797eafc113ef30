import { type Dispatcher, errors } from 'undici';
import { ApiError } from '../../base/errors';
import { ResponseBytes } from '../../base/http/body-bytes';
import type { Abort } from './abort';
import { UpstreamConnection } from './upstream-connection';

/** What has arrived and was not read. Beyond, the connection is held until it is. */
const MAX_UNREAD_BYTES = 64 * 1024;
/** The memory of a piece, however small: a provider may send bytes one by one. */
const BYTES_PER_PIECE = 256;
/** A provider may announce a response as often as this, with a status below 200. */
const MAX_ANNOUNCEMENTS = 16;
const MEGABYTE = 1024 * 1024;

/** The call was cancelled before its connection was ready: the provider got nothing of it. */
export class NeverSentError extends Error {}

export type UpstreamTimeouts = { startMs: number; idleMs: number };

/**
 * The response of a provider, as undici receives it. It is read at the pace of its reader, and ends with an error
 * when the provider is silent for too long while its reader waits.
 */
export class UpstreamResponse implements Dispatcher.DispatchHandler {
  statusCode = 0;
  headers: Readonly<Record<string, string | string[] | undefined>> = {};
  /** Resolves with the headers. */
  readonly started: Promise<this>;

  readonly #timeouts: UpstreamTimeouts;
  readonly #abort: Abort;
  #start: (response: this) => void = () => {};
  #fail: (error: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | null = null;
  #connection: UpstreamConnection | null = null;
  #announcements = 0;
  #pieces: Buffer[] = [];
  #unread = 0;
  #isComplete = false;
  #error: Error | null = null;
  #wake: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(abort: Abort, timeouts: UpstreamTimeouts) {
    this.#abort = abort;
    this.#timeouts = timeouts;
    this.started = new Promise((resolve, reject) => {
      this.#start = resolve;
      this.#fail = reject;
    });
    if (abort.aborted) this.cancel();
    else abort.once('abort', this.#onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== null) return controller.abort(this.#error);
    this.#timer = setTimeout(this.#onNoStart, this.#timeouts.startMs);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: UpstreamResponse['headers'],
  ): void {
    if (statusCode < 200) {
      if (++this.#announcements > MAX_ANNOUNCEMENTS) this.cancel(new Error('too many statuses below 200'));
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#connection = UpstreamConnection.current;
    this.statusCode = statusCode;
    this.headers = headers;
    this.#start(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#pieces.push(piece);
    this.#unread += piece.length + BYTES_PER_PIECE;
    if (this.#unread > MAX_UNREAD_BYTES) this.#connection?.hold();
    this.#wakeReader();
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#error ??= error;
    this.#end();
    this.#fail(this.#error);
  }

  /** The next piece; null at the end. Only one caller may wait. */
  async read(): Promise<Buffer | null> {
    while (this.#pieces.length === 0) {
      if (this.#isComplete) return null;
      if (this.#error !== null) throw this.#error;
      await this.#waitForMore();
    }
    const [piece] = this.#pieces.length === 1 ? this.#pieces : [Buffer.concat(this.#pieces)];
    this.#pieces = [];
    this.#unread = 0;
    this.#connection?.release();
    return piece ?? null;
  }

  /** The whole body as text. Fails if it is larger, or if the process has no memory left for it. */
  async text(limitBytes: number): Promise<string> {
    const held = new ResponseBytes();
    try {
      const pieces: Buffer[] = [];
      let bytes = 0;
      for (let piece = await this.read(); piece !== null; piece = await this.read()) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > limitBytes) throw unreadable(`exceeds ${limitBytes / MEGABYTE} MB`);
        if (!held.add(piece.length)) throw unreadable('exceeds what the process can hold now');
      }
      return decode(pieces);
    } catch (error) {
      this.cancel();
      throw error;
    } finally {
      held.release();
    }
  }

  /** Closes the connection, unless the response is complete. */
  cancel(error: Error = this.#abortedError()): void {
    if (this.#isComplete || this.#error !== null) return;
    this.#error = error;
    this.#end();
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #abortedError(): Error {
    return this.#controller === null ? new NeverSentError() : new errors.RequestAbortedError();
  }

  readonly #onAbort = (): void => this.cancel();

  #waitForMore(): Promise<void> {
    if (this.#timer === undefined) this.#timer = setTimeout(this.#onSilence, this.#timeouts.idleMs);
    else this.#timer.refresh();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  // When a paused process continues, Node runs its timers before it reads what has arrived, and immediates after that.
  readonly #onNoStart = (): void => {
    setImmediate(() => {
      if (this.statusCode === 0) this.cancel(new errors.HeadersTimeoutError());
    });
  };

  readonly #onSilence = (): void => {
    const waiting = this.#wake;
    setImmediate(() => {
      if (waiting !== null && this.#wake === waiting) this.cancel(new errors.BodyTimeoutError());
    });
  };

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#abort.off('abort', this.#onAbort);
    this.#connection?.forget();
    this.#connection = null;
    this.#wakeReader();
  }
}

/** Without the byte order mark that some servers send, as no JSON begins with one. */
const decode = (pieces: Buffer[]): string =>
  Buffer.concat(pieces)
    .toString()
    .replace(/^\uFEFF/, '');

const unreadable = (reason: string): ApiError =>
  new ApiError('upstream_error', 'The response of the provider for this model is too large', {
    cause: new Error(`the response ${reason}`),
  });

import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { describeError, log } from '../../base/log';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * A connection to a provider. A response that nobody reads is held here, before undici's parser: undici ends the
 * process if a provider closes the connection while its parser is paused. undici takes what has arrived with `read`
 * and passes it on within that call.
 */
export class UpstreamConnection {
  /** The one whose data is being passed on. */
  static current: UpstreamConnection | null = null;

  readonly #socket: Socket;
  #isHeld = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      // Node reads nothing (0) to receive more, up to what a socket buffers.
      if (this.#isHeld && size !== 0) return null;
      UpstreamConnection.current = this;
      return read(size);
    };
    fence(socket);
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.emit('readable');
  }

  /** The response is over: the next one of this connection begins without its hold. */
  forget(): void {
    this.#isHeld = false;
  }
}

/** What a listener throws ends its connection, not the process. */
export function fence(socket: Socket): void {
  const emit = socket.emit.bind(socket) as (...event: unknown[]) => boolean;
  socket.emit = (...event: unknown[]) => {
    try {
      return emit(...event);
    } catch (error) {
      log().error({ error: describeError(error) }, 'the HTTP client failed');
      socket.destroy();
      return true;
    }
  };
}

const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS });

export const connectUpstream: typeof connect = (options, callback) =>
  connect(options, (...result) => {
    if (result[0] === null) new UpstreamConnection(result[1]);
    callback(...result);
  });

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { now, SECOND_MS } from '../base/clock';

/** A client that takes nothing of its response for this long has disconnected. */
const UNREAD_MS = 30 * SECOND_MS;

type Connection = {
  /** The one that is running. */
  response: ServerResponse | null;
  /** What had been received when it was last seen busy, and when that was. Noted only while the server stops. */
  bytes: number;
  busyAtMs: number;
  /** What the client has not taken of the response when it was last seen to take some, and when that was. */
  unsent: Unsent;
  takenAtMs: number;
};

type Unsent = { written: number; queued: number };

/** The open connections of the server. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  #isEnding = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { response: null, bytes: -1, busyAtMs: 0, unsent: NOTHING, takenAtMs: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
    const timer = setInterval(() => this.closeUnread(), SECOND_MS).unref();
    server.once('close', () => clearInterval(timer));
  }

  get open(): number {
    return this.#open.size;
  }

  get running(): number {
    let running = 0;
    for (const { response } of this.#open.values()) if (response !== null) running++;
    return running;
  }

  /**
   * Closes a connection that sends a request before the response to the previous one, and returns false. Node reports
   * nothing to the later responses when such a connection ends, so what they hold would never be released. No
   * browser, client library or proxy in use pipelines requests.
   */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.response !== null) {
      socket.destroy();
      return false;
    }
    connection.response = response;
    if (this.#isEnding) response.shouldKeepAlive = false;
    return true;
  }

  /** What is written and the system has not taken, of all responses. */
  get unsentBytes(): number {
    let bytes = 0;
    for (const socket of this.#open.keys()) bytes += unsentOf(socket).queued;
    return bytes;
  }

  /** Closes the connections whose client takes nothing of what is written. A response that has nothing to send may take longer. */
  closeUnread(): void {
    const time = now();
    for (const [socket, connection] of this.#open) {
      const unsent = unsentOf(socket);
      const { written, queued } = connection.unsent;
      if (unsent === NOTHING || unsent.written !== written || unsent.queued !== queued)
        Object.assign(connection, { unsent, takenAtMs: time });
      else if (time - connection.takenAtMs >= UNREAD_MS) socket.destroy();
    }
  }

  /** Called when the response has ended. */
  end({ socket }: IncomingMessage): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.response = null;
  }

  /** From now on, every response that has not begun tells its client to open another connection. */
  endKeepAlive(): void {
    this.#isEnding = true;
    for (const { response } of this.#open.values())
      if (response !== null && !response.headersSent) response.shouldKeepAlive = false;
  }

  /**
   * Closes connections that have carried nothing for this long. A proxy sends its next request on a connection it
   * has just used: closing that one at once would fail the request.
   */
  closeIdle(idleMs: number): void {
    const time = now();
    for (const [socket, connection] of this.#open) {
      if (connection.response !== null || connection.bytes !== socket.bytesRead)
        Object.assign(connection, { bytes: socket.bytesRead, busyAtMs: time });
      else if (time - connection.busyAtMs >= idleMs) socket.destroy();
    }
  }
}

const NOTHING: Unsent = { written: 0, queued: 0 };

/** Node counts a write as sent when the system has taken all of it; only the handle has what is left of the current one. */
function unsentOf(socket: Socket): Unsent {
  if (socket.writableLength === 0) return NOTHING;
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize: number } };
  return { written: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 };
}

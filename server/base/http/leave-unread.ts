import type { Connection } from './api-request';

/** How long a client that still sends may take to read the response. */
const LINGER_MS = 500;

/**
 * Closes the connection after the response, without reading the rest of the body. Node would read all of it;
 * a connection that closes at once is reset, and some clients then lose the response.
 *
 * Node has no option for either, so this relies on how its server ends a response: it discards a body that nobody has
 * begun to read, and otherwise calls `destroySoon`. Checked on Node 20.20, 22.23 and 24.21 (`body-intake.test.ts`).
 */
export function leaveUnread({ incoming, outgoing }: Connection): void {
  const { socket } = incoming;
  outgoing.shouldKeepAlive = false;
  // Marks the body as begun; `read(0)` does not.
  incoming._read(0);
  incoming.pause();
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

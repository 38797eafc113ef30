import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const answering = new WeakSet<Socket>();

/**
 * Closes a connection that sends a request before the previous one is answered, and returns true. Node reports
 * nothing to the later responses when such a connection ends, so what they hold would never be released. No
 * browser, client library or proxy in use pipelines requests.
 */
export function refusePipelined({ socket }: IncomingMessage, response: ServerResponse): boolean {
  if (answering.has(socket)) {
    socket.destroy();
    return true;
  }
  answering.add(socket);
  response.once('close', () => answering.delete(socket));
  return false;
}

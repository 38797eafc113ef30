import type { IncomingMessage } from 'node:http';
import { CLIENT_ADDRESS_HEADER } from '../http/client-address';

/**
 * Handlers see no socket: the address travels in a header that no client can set. The raw headers are
 * what is looked through: `request.headers` ends after a thousand.
 */
export function nameClient(request: IncomingMessage): void {
  const { rawHeaders } = request;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]?.toLowerCase() === CLIENT_ADDRESS_HEADER) rawHeaders.splice(i, 2);
  }
  const address = request.socket.remoteAddress ?? '';
  rawHeaders.push(CLIENT_ADDRESS_HEADER, address);
  request.headers[CLIENT_ADDRESS_HEADER] = address;
}

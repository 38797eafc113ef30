import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Our own process sets this header on every request, from the socket or from a trusted proxy, and
 * replaces any value the client sent. A `Request` has no access to its socket.
 */
export const CLIENT_IP_HEADER = 'x-svc-client-address';

type WithHeaders = { headers: Pick<Headers, 'get'> };

/** The client IP in canonical form, or '' when the host does not provide it. */
export function readClientIp(request: WithHeaders): string {
  const address = request.headers.get(CLIENT_IP_HEADER)?.trim() ?? '';
  return isIP(address) === 0 ? '' : ipaddr.process(address).toString();
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Set by our own process on every request, from its socket or the word of a trusted proxy, whatever
 * the client sent under this name: a `Request` does not know its socket.
 */
export const CLIENT_IP_HEADER = 'x-svc-client-address';

type WithHeaders = { headers: Pick<Headers, 'get'> };

/** The caller's IP address, each in one spelling, or '' on a host that does not tell. */
export function readClientIp(request: WithHeaders): string {
  const address = request.headers.get(CLIENT_IP_HEADER)?.trim() ?? '';
  return isIP(address) === 0 ? '' : ipaddr.process(address).toString();
}

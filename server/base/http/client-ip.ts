import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { WithHeaders } from './api-request';

/**
 * Our own process sets this header on every request, from the socket or from a trusted proxy, and
 * replaces any value the client sent. A `Request` has no access to its socket.
 */
export const CLIENT_IP_HEADER = 'x-svc-client-address';

/** The client IP in canonical form, or '' when it is unknown: wherever IPs are counted, '' is one like any other. */
export function readClientIp(request: WithHeaders): string {
  const address = request.headers.get(CLIENT_IP_HEADER)?.trim() ?? '';
  // An IPv4 address that Node accepts is canonical.
  const version = isIP(address);
  return version === 6 ? ipaddr.process(address).toString() : version === 4 ? address : '';
}

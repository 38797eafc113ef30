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

/** The part of the internet that counts as one caller. Both are the IP itself for IPv4, and '' for ''. */
export type ClientNetwork = {
  /** An IPv6 /64, which one subscriber has at least. */
  network: string;
  /** An IPv6 /48, which one subscriber has at most. */
  site: string;
};

export function networkOf(clientIp: string): ClientNetwork {
  if (isIP(clientIp) !== 6) return { network: clientIp, site: clientIp };
  const parts = ipaddr.IPv6.parse(clientIp).parts.map((part) => part.toString(16));
  return { network: `${parts.slice(0, 4).join(':')}::/64`, site: `${parts.slice(0, 3).join(':')}::/48` };
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The part of the internet that counts as one caller. Both are the IP itself for IPv4. Unknown IPs, '', are one network. */
type ClientNetwork = {
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

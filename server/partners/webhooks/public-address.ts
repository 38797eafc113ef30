import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Platform services on an address that looks public. */
const PLATFORM_ADDRESSES = ['168.63.129.16'];

/** The IPv6 range allocated for global use. Anything else is legacy, special or unused. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is on the public internet: not private, not reserved, not this machine. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6 && !address.match(PUBLIC_IPV6)) return false;
  const written = address.toString();
  return !PLATFORM_ADDRESSES.includes(written) && !ownAddresses().includes(written);
}

export function isLoopbackAddress(text: string): boolean {
  return isIP(text) !== 0 && ipaddr.parse(text).range() === 'loopback';
}

function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return found.map(({ address }) => ipaddr.parse(address.split('%')[0] ?? '').toString());
}

import dns from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { bareHost } from './endpoint-url';
import { isPublicAddress } from './public-address';

/** Resolves a host once per attempt. The connection goes only to the addresses found here. */
export type FoundAddresses = { ok: true; addresses: string[] } | { ok: false; reason: 'dns' | 'not_public' };

const DNS_TIMEOUT_MS = 1_500;
const TRIES = 3;

/** All IPv4 and IPv6 addresses of the host. A single address that is not public rejects them all. */
export async function findPublicAddresses(url: URL, signal: AbortSignal): Promise<FoundAddresses> {
  const addresses = await resolveBoth(url.hostname, signal);
  if (addresses.length === 0) return { ok: false, reason: 'dns' };
  return addresses.every(isPublicAddress) ? { ok: true, addresses } : { ok: false, reason: 'not_public' };
}

/** For receivers on this machine. Never queries the name servers. */
export function loopbackAddresses(url: URL): string[] {
  const host = bareHost(url);
  return isIP(host) === 0 ? ['127.0.0.1', '::1'] : [host];
}

/** Queries only the name servers, so that apps cannot use this machine's hosts file. */
async function resolveBoth(host: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: TRIES });
  resolver.setServers(dns.getServers());
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    signal.throwIfAborted();
    return found.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

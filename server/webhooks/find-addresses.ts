import dns from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { bareHost } from './endpoint-url';
import { isPublicAddress } from './public-address';

/** Where a host is right now. Asked once per attempt; the connection goes to what was found here. */
export type FoundAddresses = { ok: true; addresses: string[] } | { ok: false; reason: 'dns' | 'not_public' };

const ANSWER_PATIENCE_MS = 1_500;
const TRIES = 3;

/** Every address of the host, of both families, all of them public; one that is not refuses all. */
export async function findPublicAddresses(url: URL, signal: AbortSignal): Promise<FoundAddresses> {
  const addresses = await resolveBoth(url.hostname, signal);
  if (addresses.length === 0) return { ok: false, reason: 'dns' };
  return addresses.every(isPublicAddress) ? { ok: true, addresses } : { ok: false, reason: 'not_public' };
}

/** For receivers on this machine: never asks the name servers. */
export function loopbackAddresses(url: URL): string[] {
  const host = bareHost(url);
  return isIP(host) === 0 ? ['127.0.0.1', '::1'] : [host];
}

/** Asks the name servers only: what this machine's hosts file says is no business of the apps. */
async function resolveBoth(host: string, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: ANSWER_PATIENCE_MS, tries: TRIES });
  resolver.setServers(dns.getServers());
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    signal.throwIfAborted();
    return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

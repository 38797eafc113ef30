import { keyedHash } from '../../base/keyed-hash';

/** Hashes of users are cached, because each user sends many requests. An entry takes about 150 bytes. */
const MAX_CACHED = 10_000;
const hashes = new Map<string, string>();

/**
 * The only information about the user that a provider receives. It can recognise requests from the same user.
 */
export function hashForProviders(appUserId: string): string {
  const cached = hashes.get(appUserId);
  if (cached !== undefined) return cached;
  const hash = keyedHash('provider-user', appUserId).toString('hex');
  if (hashes.size === MAX_CACHED) hashes.clear();
  hashes.set(appUserId, hash);
  return hash;
}

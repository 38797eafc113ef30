import { authSecret } from '../env';
import { hmacSha256 } from '../ids';

/** Users send many requests, so their hashes are cached, at about 150 bytes each. */
const MAX_CACHED = 10_000;
const hashes = new Map<string, string>();

/** All that a provider learns of the user: that two requests come from the same one. */
export function hashForProviders(appUserId: string): string {
  const cached = hashes.get(appUserId);
  if (cached !== undefined) return cached;
  const hash = hmacSha256(authSecret(), `provider-user:${appUserId}`).toString('hex');
  if (hashes.size === MAX_CACHED) hashes.clear();
  hashes.set(appUserId, hash);
  return hash;
}

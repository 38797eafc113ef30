import { authSecret } from '../env';
import { hmacSha256 } from '../ids';

/** Who asks once asks again: as many users are remembered, at some 150 bytes each. */
const REMEMBERED = 10_000;
const hashes = new Map<string, string>();

/** What a provider may know of the user: nothing but that it is the same one. */
export function hashForProviders(appUserId: string): string {
  const known = hashes.get(appUserId);
  if (known !== undefined) return known;
  const hash = hmacSha256(authSecret(), `provider-user:${appUserId}`).toString('hex');
  if (hashes.size === REMEMBERED) hashes.clear();
  hashes.set(appUserId, hash);
  return hash;
}

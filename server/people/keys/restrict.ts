import { pool, prisma, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import { type ParsedList, parseNetworks, parseOrigins } from './restriction-rules';

/**
 * Restrictions of user keys: an owner's for one key, a partner's for all keys of its app. They are checked in
 * the statement that looks up the key; see `ledger_key_restriction`. An empty list restricts nothing.
 */

export type KeyRestrictions = { origins: string; networks: string };

/** False when the user has no such live key. */
export async function restrictKey(userId: string, keyId: string, given: KeyRestrictions): Promise<boolean> {
  const origins = requireList('origins', parseOrigins(given.origins));
  const networks = requireList('networks', parseNetworks(given.networks));
  const { rowCount } = await pool().query(
    `UPDATE user_key SET origins = nullif($3::text[], '{}'), networks = nullif($4::inet[], '{}')
     WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL`,
    [keyId, userId, origins, networks],
  );
  return rowCount === 1;
}

/** Restricts all user keys of an app, present and future, to the networks of its own servers. */
export async function restrictKeysOfApp(partnerId: string, text: string, db: Tx = prisma()): Promise<void> {
  const networks = requireList('networks', parseNetworks(text));
  await db.$executeRaw`
    UPDATE partner SET key_networks = nullif(${networks}::text[]::inet[], '{}') WHERE id = ${partnerId}`;
}

function requireList(field: keyof KeyRestrictions, parsed: ParsedList): string[] {
  if (!parsed.ok) throw new ApiError('invalid_request', parsed.reason, { param: field });
  return parsed.list;
}

import { inTransaction, prisma, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import { type ParsedList, parseNetworks, parseOrigins } from './restriction-rules';

/**
 * Restrictions of user keys: an owner's for one key, a partner's for all keys of its app. They are checked in
 * the statement that looks up the key; see `ledger_key_restriction`. An empty list restricts nothing.
 */

export type KeyRestrictions = { origins: string; networks: string };

/** Restricts a key with all run keys below it. False when the user has no such live key. */
export async function restrictKey(userId: string, keyId: string, given: KeyRestrictions): Promise<boolean> {
  const origins = requireList('origins', parseOrigins(given.origins));
  const networks = requireList('networks', parseNetworks(given.networks));
  return inTransaction(async (tx) => {
    // A mint below it holds a lock until the new key can be seen.
    await tx.$executeRaw`SELECT FROM user_key WHERE id = ${keyId} FOR UPDATE`;
    const restricted = await tx.$executeRaw`
      UPDATE user_key SET origins = nullif(${origins}::text[], '{}'), networks = nullif(${networks}::text[]::inet[], '{}')
      WHERE (id = ${keyId} OR lineage @> ARRAY[${keyId}]) AND user_id = ${userId} AND revoked_at IS NULL`;
    return restricted > 0;
  });
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

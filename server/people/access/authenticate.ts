import { pool } from '../../base/db';
import { ApiError } from '../../base/errors';
import type { WithHeaders } from '../../base/http/api-request';
import {
  invalidUserKey,
  type KeyRestriction,
  keyRestricted,
  requireUserKeyHash,
  requireUserKeyHashes,
} from '../../base/http/credentials';
import { partnerDisabled } from '../../partners/partner';
import { readKeySource } from './key-source';
import { shareLimitsOf } from './shared-limits';

/** The user, app and key behind a live user key. */
export type Caller = {
  userId: string;
  partnerId: string;
  keyId: string;
  /** `au_…`: the user as this app knows them. */
  appUserId: string;
  /** Of a run key: the ids from the ordinary key down to itself. Empty for an ordinary key. */
  lineage: readonly string[];
  /** The only models that a run key may use; null for all. */
  models: readonly string[] | null;
};

type KeyRow = {
  id: string;
  user_id: string;
  partner_id: string;
  app_user_id: string;
  lineage: string[];
  models: string[] | null;
  disabled: boolean;
  restriction: KeyRestriction | null;
};

/**
 * Finds the user, app and key of a request. Queries the database every time, so that a revoked key or
 * disabled partner takes effect immediately on every instance. Generation requests check the key with the
 * hold instead: see `ledger_batch`.
 */
export async function requireUserKey(request: WithHeaders): Promise<Caller> {
  const { clientIp, origin } = readKeySource(request);
  const { rows } = await pool().query<KeyRow>({
    name: 'authenticate_user_key',
    text: `WITH found AS (
             SELECT k.id, k.user_id, k.partner_id, k.exact_use, k.lineage, k.models, u.app_user_id, p.disabled_at IS NOT NULL AS disabled,
               ledger_key_restriction(k.origins, k.networks, p.key_networks, $2, $3) AS restriction
             FROM user_key k
             JOIN partner p ON p.id = k.partner_id
             JOIN user_app u ON u.user_id = k.user_id AND u.partner_id = k.partner_id
             WHERE k.hash = ANY ($1) AND ledger_key_lives(k.revoked_at, k.expires_at)
           ), mark_used AS (
             -- Exact to the minute, or exact for one of many keys: as in the ledger's admission.
             UPDATE user_key k SET last_used_at = clock_timestamp() FROM found f
             WHERE k.id = f.id AND NOT f.disabled AND f.restriction IS NULL
               AND (f.exact_use OR coalesce(k.last_used_at, k.created_at) < clock_timestamp() - interval '1 minute')
           )
           SELECT * FROM found`,
    values: [requireUserKeyHashes(request), origin, clientIp],
  });
  const key = rows[0];
  if (key === undefined) throw invalidUserKey();
  if (key.disabled) throw partnerDisabled();
  if (key.restriction !== null) throw keyRestricted(key.restriction);
  const [root] = key.lineage;
  if (root !== undefined) await shareLimitsOf(requireUserKeyHash(request), root);
  return {
    userId: key.user_id,
    partnerId: key.partner_id,
    keyId: key.id,
    appUserId: key.app_user_id,
    lineage: key.lineage,
    models: key.models,
  };
}

/** For what concerns more than the requests of a run key: purchases, and all bookings of the user in the app. */
export async function requireOrdinaryKey(request: WithHeaders): Promise<Caller> {
  const caller = await requireUserKey(request);
  if (caller.lineage.length === 0) return caller;
  throw new ApiError(
    'key_restricted',
    'A run key sends requests and reads its own: use the key that it was minted from.',
  );
}

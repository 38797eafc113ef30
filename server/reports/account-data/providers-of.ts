import { pool } from '../../base/db';
import { isProviderName, SANDBOX_FORMATS } from '../../base/endpoints';
import { findOwnProvider } from '../../gateway/pricing/catalog';
import { isItsOwnAddress } from '../../gateway/pricing/met-rules';
import { DATA_POLICIES } from '../../gateway/providers/data-policies';
import { readUsageDays } from '../../ledger';

/** Which providers a user's requests were sent to, and what is known of what they do with the content. */

export type SeenBy = {
  provider: string;
  requests: number;
  /** Days (UTC). */
  first: string;
  last: string;
  policy: ShownPolicy;
};

export type ShownPolicy = {
  /** Who says it. `sandbox`: a server of this installation; `nobody`: no statement is known. */
  by: 'provider' | 'operator' | 'sandbox' | 'nobody';
  retention: string | null;
  training: string | null;
  region: string | null;
  source: string | null;
  readOn: string | null;
};

/** Most requests first. */
export async function listProvidersOf(userId: string): Promise<SeenBy[]> {
  const [days, others, unanswered] = await Promise.all([
    readUsageDays(userId, { from: '1970-01-01', to: '9999-01-01' }),
    readOthers(userId),
    readUnanswered(userId),
  ]);
  const seen = new Map<string, Omit<SeenBy, 'provider' | 'policy'>>();
  const add = (provider: string, requests: number, first: string, last: string): void => {
    const known = seen.get(provider) ?? { requests: 0, first, last };
    seen.set(provider, {
      requests: known.requests + requests,
      first: known.first < first ? known.first : first,
      last: known.last > last ? known.last : last,
    });
  };
  // A request for a model of a provider went there, unless its attempts say otherwise.
  for (const { model, day, requests } of days) add(model.slice(0, model.indexOf('/')), requests, day, day);
  for (const { requested, providers, requests, first, last } of others) {
    if (!providers.includes(requested)) add(requested, -requests, first, last);
    for (const provider of providers) if (provider !== requested) add(provider, requests, first, last);
  }
  for (const { provider, requests, first, last } of unanswered) add(provider, requests, first, last);
  return [...seen]
    .filter(([, { requests }]) => requests > 0)
    .map(([provider, facts]) => ({ provider, ...facts, policy: findPolicy(provider) }))
    .sort((a, b) => b.requests - a.requests || (a.provider < b.provider ? -1 : 1));
}

type Other = { requested: string; providers: string[]; requests: number; first: string; last: string };

/** Receipts whose request was sent to another provider than that of the requested model, or to several. */
async function readOthers(userId: string): Promise<Other[]> {
  const { rows } = await pool().query<Other>(
    `SELECT split_part(model, '/', 1) AS requested, providers, count(*)::float8 AS requests,
       min(day) AS first, max(day) AS last
     FROM (
       SELECT t.model, to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
         ARRAY(SELECT DISTINCT a ->> 'provider' FROM jsonb_array_elements(t.attempts) a ORDER BY 1) AS providers
       FROM ledger_transaction t WHERE t.user_id = $1 AND t.attempts IS NOT NULL) t
     GROUP BY 1, 2`,
    [userId],
  );
  return rows;
}

type Counted = Pick<SeenBy, 'provider' | 'requests' | 'first' | 'last'>;

async function readUnanswered(userId: string): Promise<Counted[]> {
  const { rows } = await pool().query<Counted>(
    `SELECT provider, count(*)::float8 AS requests, min(day) AS first, max(day) AS last
     FROM (
       SELECT DISTINCT r.request_id, a ->> 'provider' AS provider,
         to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
       FROM unanswered_request r, jsonb_array_elements(r.attempts) a WHERE r.user_id = $1) r
     GROUP BY 1`,
    [userId],
  );
  return rows;
}

const NOTHING = { retention: null, training: null, region: null, source: null, readOn: null };

/** What the provider says applies to its own address only. */
export function findPolicy(provider: string): ShownPolicy {
  if (provider in SANDBOX_FORMATS) return { by: 'sandbox', ...NOTHING };
  if (isProviderName(provider)) {
    const { rules, ...policy } = DATA_POLICIES[provider];
    return isItsOwnAddress(provider) && policy.source !== null
      ? { by: 'provider', ...policy }
      : { by: 'nobody', ...NOTHING };
  }
  const own = findOwnProvider(provider)?.dataPolicy;
  if (own === undefined) return { by: 'nobody', ...NOTHING };
  const { retention = null, training = null, region = null } = own;
  return { ...NOTHING, by: 'operator', retention, training, region };
}

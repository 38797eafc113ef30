import { networkOf } from './client-network';
import { DAY_MS, HOUR_MS, now } from './clock';
import { deleteInSteps, type Tx } from './db';
import { keyedHash } from './keyed-hash';

/**
 * Traces: what accounts may have in common, namely a card they paid with, or a browser or network they signed in from.
 * Only operators see them, as groups of accounts (server/operator/abuse.ts), and nothing is decided by them. They are
 * keyed hashes, so that neither the database nor a backup contains a card or an IP.
 */

export type TraceKind = 'card' | 'browser' | 'network';
type Trace = { kind: TraceKind; hash: Buffer };

export const TRACES_KEPT_MS = 30 * DAY_MS;
const HASH_BYTES = 16;

const hashOf = (kind: TraceKind, text: string): Buffer =>
  keyedHash(`trace ${kind}`, text).subarray(0, HASH_BYTES);

/** The trace of a card that the processor identifies by this fingerprint. */
export const traceOfCard = (fingerprint: string): Buffer => hashOf('card', fingerprint);

type SignIn = {
  userId: string;
  /** '' when unknown, or when it may be that of an app's server. */
  clientIp: string;
  /** The ids that the browser keeps, one for each account that signed in there lately. */
  browserIds: string[];
};

/** Notes where an account signed in. */
export async function noteSignIn(tx: Tx, { userId, clientIp, browserIds }: SignIn): Promise<void> {
  const traces: Trace[] = browserIds.map((id) => ({ kind: 'browser', hash: hashOf('browser', id) }));
  if (clientIp !== '') traces.push({ kind: 'network', hash: hashOf('network', networkOf(clientIp).network) });
  if (traces.length === 0) return;
  const rows = traces.map(({ kind, hash }) => ({ kind, hash: hash.toString('hex') }));
  const seenAt = new Date(now() - (now() % HOUR_MS));
  await tx.$executeRaw`
    INSERT INTO account_trace AS t (kind, hash, user_id, seen_at)
    SELECT kind, decode(hash, 'hex'), ${userId}, ${seenAt}
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS s (kind text, hash text)
    ORDER BY 1, 2
    ON CONFLICT (kind, hash, user_id) DO UPDATE SET seen_at = excluded.seen_at WHERE t.seen_at < excluded.seen_at`;
}

export async function forgetOldTraces(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM account_trace WHERE (kind, hash, user_id) IN (
       SELECT kind, hash, user_id FROM account_trace WHERE seen_at < $1 LIMIT $2)`,
    new Date(now() - TRACES_KEPT_MS),
  );
}

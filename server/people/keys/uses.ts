import { DAY_MS, HOUR_MS, MINUTE_MS, now } from '../../base/clock';
import { deleteInSteps, inTransaction, type Tx } from '../../base/db';
import { keyedHashes } from '../../base/keyed-hash';
import { recordNotice } from './notices';

/**
 * Notices when a key is used from networks that are unusual for it. A network is coarse, a /16 of IPv4 or a
 * /32 of IPv6, so that addresses which change within one provider are one network. Uses are noted in memory
 * and written in the background: no request waits for it, and the last seconds of a process that is killed
 * are lost. Networks are stored as a keyed hash.
 *
 * A network that other keys of the app use as well is the app's own, such as its servers, and never unusual.
 */

/** A use is written again after this, so that the last use of a network is known to ten minutes. */
const NOTE_EVERY_MS = 10 * MINUTE_MS;
/** In memory. Beyond it, further uses are not noted for up to ten minutes. */
const MAX_NOTED = 20_000;
/** A key is settled after its first week, if no more than two networks were its own until then. */
const SETTLED_AFTER_MS = 7 * DAY_MS;
const SETTLED_NETWORKS = 2;
/** More networks than this within an hour are unusual for any key. */
const NETWORKS_PER_HOUR = 8;
/** A network that so many other keys of the app use belongs to the app. */
const SHARED_BY = 3;
export const USES_KEPT_MS = 90 * DAY_MS;
const HASH_BYTES = 16;

type Use = { keyId: string; partnerId: string; network: string };

let noted = new Set<string>();
let notedSince = 0;
let unwritten: Use[] = [];

export function noteKeyUse(keyId: string, partnerId: string, clientIp: string | null): void {
  if (clientIp === null) return;
  const time = now();
  if (time - notedSince >= NOTE_EVERY_MS || time < notedSince) {
    noted = new Set();
    notedSince = time;
  }
  const network = coarseNetworkOf(clientIp);
  const name = `${keyId} ${network}`;
  if (noted.has(name) || noted.size >= MAX_NOTED) return;
  noted.add(name);
  unwritten.push({ keyId, partnerId, network });
}

/** The network of an IP address in canonical form. */
export function coarseNetworkOf(clientIp: string): string {
  if (!clientIp.includes(':'))
    return `${clientIp.slice(0, clientIp.indexOf('.', clientIp.indexOf('.') + 1))}.0.0/16`;
  const [first, second] = clientIp.split(':');
  return second ? `${first}:${second}::/32` : `${first || '0'}::/32`;
}

/** Writes the uses since the last call, and records a notice for each key that was used in an unusual way. */
export async function writeKeyUses(): Promise<void> {
  const uses = unwritten;
  if (uses.length === 0) return;
  unwritten = [];
  try {
    await inTransaction((tx) => writeUses(tx, uses));
  } catch (error) {
    unwritten = [...uses, ...unwritten].slice(0, MAX_NOTED);
    throw error;
  }
}

async function writeUses(tx: Tx, uses: Use[]): Promise<void> {
  const at = new Date(now());
  const newNetworks = await writeNetworks(tx, uses, at);
  if (newNetworks.size === 0) return;
  for (const { keyId, hasNew, networks } of await findUnusual(tx, [...newNetworks.keys()], at)) {
    const network = newNetworks.get(keyId) ?? '';
    const detail = hasNew
      ? { reason: 'new_network' as const, network }
      : { reason: 'many_networks' as const, networks };
    await recordNotice(tx, keyId, { kind: 'unusual_use', ...detail });
  }
}

/** Returns the keys that were used from a network for the first time, each with such a network. */
async function writeNetworks(tx: Tx, uses: Use[], at: Date): Promise<Map<string, string>> {
  const hashed = new Map(uses.map((use) => [`${use.keyId} ${hashNetwork(use)[0].toString('base64')}`, use]));
  const rows = [...hashed.values()].map((use) => {
    const [network, previous] = hashNetwork(use).map((hash) => hash.toString('hex'));
    return { key_id: use.keyId, network, previous };
  });
  if (rows.some(({ previous }) => previous !== undefined)) await renewHashes(tx, rows);
  const written = await tx.$queryRaw<{ key_id: string; network: string }[]>`
    INSERT INTO key_network AS n (key_id, network, first_seen_at, last_seen_at)
    SELECT key_id, decode(network, 'hex'), ${at}, ${at}
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS u (key_id text, network text)
    ORDER BY 1, 2
    ON CONFLICT (key_id, network) DO UPDATE SET last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)
    RETURNING key_id, CASE WHEN xmax = 0 THEN encode(network, 'base64') END AS network`;
  return new Map(
    written.flatMap(({ key_id: keyId, network }) => {
      const use = network === null ? undefined : hashed.get(`${keyId} ${network}`);
      return use === undefined ? [] : [[keyId, use.network]];
    }),
  );
}

/** Networks seen before AUTH_SECRET was replaced are not new. */
async function renewHashes(tx: Tx, rows: object[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE key_network n SET network = decode(u.network, 'hex')
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS u (key_id text, network text, previous text)
    WHERE n.key_id = u.key_id AND n.network = decode(u.previous, 'hex') AND NOT EXISTS (
      SELECT FROM key_network o WHERE o.key_id = u.key_id AND o.network = decode(u.network, 'hex'))`;
}

type Unusual = {
  keyId: string;
  /** Used from a new network after it settled; otherwise from many networks. */
  hasNew: boolean;
  networks: number;
};

/** The rules, for keys with a network first seen at this time. */
function findUnusual(tx: Tx, keyIds: string[], at: Date): Promise<Unusual[]> {
  const hourAgo = new Date(at.getTime() - HOUR_MS);
  const settledBy = new Date(at.getTime() - SETTLED_AFTER_MS);
  return tx.$queryRaw<Unusual[]>`
    WITH seen AS (
      SELECT n.*, ${SHARED_BY}::int <= (
        SELECT count(*) FROM (
          SELECT FROM key_network o WHERE o.network = n.network AND o.key_id <> n.key_id LIMIT ${SHARED_BY}) o
      ) AS shared
      FROM key_network n WHERE n.key_id = ANY (${keyIds})
    ), counted AS (
      SELECT key_id, min(first_seen_at) <= ${settledBy} AND bool_or(first_seen_at = ${at} AND NOT shared)
          AND count(*) FILTER (WHERE first_seen_at < ${at} AND NOT shared) <= ${SETTLED_NETWORKS} AS has_new,
        count(*) FILTER (WHERE last_seen_at > ${hourAgo} AND NOT shared)::int AS networks
      FROM seen GROUP BY key_id
    )
    SELECT key_id AS "keyId", has_new AS "hasNew", networks FROM counted
    WHERE has_new OR networks > ${NETWORKS_PER_HOUR}`;
}

/** The same network has the same hash for all keys of an app, and for no other app. One for each accepted secret. */
function hashNetwork({ partnerId, network }: Use): [Buffer, ...Buffer[]] {
  const [current, ...previous] = keyedHashes('key-network', `${partnerId} ${network}`);
  const shorten = (hash: Buffer): Buffer => hash.subarray(0, HASH_BYTES);
  return [shorten(current), ...previous.map(shorten)];
}

/** Forgets networks that a key has not been used from for a long time, and those of revoked keys. */
export async function forgetOldUses(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM key_network WHERE (key_id, network) IN (
       SELECT n.key_id, n.network FROM key_network n JOIN user_key k ON k.id = n.key_id
       WHERE n.last_seen_at < $1 OR k.revoked_at IS NOT NULL LIMIT $2)`,
    new Date(now() - USES_KEPT_MS),
  );
}

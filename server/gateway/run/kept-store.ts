import { setImmediate as letOthersRun } from 'node:timers/promises';
import { MINUTE_MS, now } from '../../base/clock';
import { deleteInSteps, pool } from '../../base/db';
import { settings } from '../../base/env';
import { openSealed, seal, sealBytes } from '../../base/seal';
import { parseExactly, writeExactly } from '../protocols/exact-numbers';
import type { Json } from '../protocols/neutral';
import { asArray, asObject } from '../protocols/read-fields';
import { writeLargeJson } from '../protocols/write-large-json';

/** The rows of kept responses. */

export type Owner = { userId: string; partnerId: string };

/** An owner that reads: a run key only what the keys of its branch kept (`keyIds`; null for all). */
export type KeptReader = Owner & { keyIds: readonly string[] | null };

/** The position of an item in the output of a kept response: the number of the response, and the index. */
export type OutputPosition = readonly [no: number, at: number];

/** An item of an input, or the position of the output that it repeats. */
export type Entry = Json | OutputPosition;

/** All that a user has kept in one app, and in all apps. */
export const MAX_BYTES_PER_APP = 64 * 1024 * 1024;
const MAX_BYTES_PER_USER = 4 * MAX_BYTES_PER_APP;
/** The rest of a row, and its entries in the indexes. */
const BYTES_PER_ROW = 1_024;
/** Freeing a part at once saves doing it after every response. */
const KEPT_SHARE = 7 / 8;
/** Reading so many takes some 100 ms. */
const MAX_PARENTS = 5_000;
/** Opening so many bytes takes a millisecond. */
const BYTES_AT_ONCE = 512 * 1024;

const ID = /^[\w.:-]{1,255}$/;
export const isId = (id: string): boolean => ID.test(id);

const expiry = (): Date => new Date(now() + settings().KEEP_RESPONSES_MINUTES * MINUTE_MS);

type Column = 'input' | 'linked input' | 'response';
const boundTo = (id: string, column: Column): string => `kept_response:${column}:${id}`;

const open = (sealed: Buffer, id: string, column: Column): Json =>
  asObject(parseExactly(openSealed(sealed, boundTo(id, column))));

const OWN = 'k.user_id = $1 AND k.partner_id = $2';
/** The parameter with the keys whose responses may be read. */
const byKeys = (n: number): string => `($${n}::text[] IS NULL OR k.key_id = ANY ($${n}))`;
const WITH_THREAD = 'kept_response k LEFT JOIN kept_thread t ON t.no = k.thread_no';
const EXPIRES_AT = 'coalesce(t.expires_at, k.expires_at)';

/** A kept response, and what was found of it. */
export type Found = { no: number; threadNo: number | null };
type FoundRow = { no: bigint; thread_no: bigint | null };

const toFound = ({ no, thread_no }: FoundRow): Found => ({
  no: Number(no),
  threadNo: thread_no === null ? null : Number(thread_no),
});

/** The newest items with these ids. */
export async function findItems(
  { userId, partnerId, keyIds }: KeptReader,
  ids: readonly string[],
): Promise<Map<string, Found & { at: number }>> {
  const { rows } = await pool().query<FoundRow & { item_id: string; at: bigint }>({
    name: 'find_kept_items',
    text: `WITH wanted AS (SELECT DISTINCT unnest($4::text[]) AS item_id)
           SELECT DISTINCT ON (i.item_id) i.item_id, i.at, k.no, k.thread_no
           FROM ${WITH_THREAD} CROSS JOIN LATERAL unnest(k.item_ids) WITH ORDINALITY AS i (item_id, at)
           JOIN wanted USING (item_id)
           WHERE ${OWN} AND ${EXPIRES_AT} > $3 AND ${byKeys(5)}
           ORDER BY i.item_id, k.no DESC, i.at DESC`,
    values: [userId, partnerId, new Date(now()), ids.filter(isId), keyIds],
  });
  return new Map(rows.map((row) => [row.item_id, { ...toFound(row), at: Number(row.at) - 1 }]));
}

/** A response of a conversation. Its input is null if it is no longer kept. */
export type Link = Found & { parentNo: number | null; inputBytes: number | null; outputs: number };

/** The newest response with this id, and those before it in its conversation, as far as they are kept, by whichever key. */
export async function findChain({ userId, partnerId, keyIds }: KeptReader, id: string): Promise<Link[]> {
  if (!isId(id)) return [];
  const columns =
    'k.no, k.thread_no, k.parent_no, octet_length(k.input) AS bytes, cardinality(k.item_ids) AS outputs';
  const { rows } = await pool().query<
    FoundRow & { parent_no: bigint | null; bytes: number | null; outputs: number }
  >({
    name: 'find_kept_chain',
    text: `WITH RECURSIVE chain AS (
             (SELECT ${columns}, 0 AS depth FROM ${WITH_THREAD}
              WHERE ${OWN} AND ${EXPIRES_AT} > $3 AND k.id = $4 AND ${byKeys(6)} ORDER BY k.no DESC LIMIT 1)
             UNION ALL
             SELECT ${columns}, c.depth + 1 FROM chain c JOIN kept_response k ON k.no = c.parent_no
             WHERE ${OWN} AND c.depth < $5
           )
           SELECT * FROM chain ORDER BY depth`,
    values: [userId, partnerId, new Date(now()), id, MAX_PARENTS, keyIds],
  });
  return rows.map((row) => ({
    ...toFound(row),
    parentNo: row.parent_no === null ? null : Number(row.parent_no),
    inputBytes: row.bytes,
    outputs: row.outputs,
  }));
}

/** What a use of these responses renews. Another request that renews the same need not be waited for. */
export async function renew(found: readonly Found[]): Promise<void> {
  const threads = [...new Set(found.flatMap(({ threadNo }) => threadNo ?? []))];
  await pool().query({
    name: 'renew_kept_threads',
    text: `UPDATE kept_thread SET expires_at = $2 WHERE no IN (
             SELECT no FROM kept_thread WHERE no = ANY ($1) AND expires_at < $2 FOR UPDATE SKIP LOCKED)`,
    values: [threads, expiry()],
  });
}

/** How often each response is read. */
export type Uses = ReadonlyMap<number, number>;
type SealedRow = { no: bigint; thread_no: bigint | null; id: string; sealed: Buffer | null; total: number };

/**
 * Reads the bytes of a column, unless they would be more than `limitBytes`, counted for each use. `count` receives
 * how many they are before anything is opened.
 */
async function readSealed(
  { userId, partnerId }: Owner,
  column: 'input' | 'response',
  uses: Uses,
  { limitBytes, count }: { limitBytes: number; count: (bytes: number) => void },
): Promise<SealedRow[]> {
  if (uses.size === 0) return [];
  const { rows } = await pool().query<SealedRow>({
    name: `read_kept_${column}`,
    text: `SELECT no, thread_no, id, total, CASE WHEN total <= $3 THEN sealed END AS sealed FROM (
             SELECT k.no, k.thread_no, k.id, k.${column} AS sealed,
               (sum(octet_length(k.${column}) * w.uses) OVER ())::float8 AS total
             FROM unnest($4::bigint[], $5::bigint[]) AS w (no, uses) JOIN kept_response k USING (no)
             WHERE ${OWN} OFFSET 0) s`,
    values: [userId, partnerId, limitBytes, [...uses.keys()], [...uses.values()]],
  });
  count(rows[0]?.total ?? 0);
  return rows;
}

export type ReadLimit = Parameters<typeof readSealed>[3];

/** The outputs of responses by their numbers. One that was deleted in the meantime is absent. */
export async function readOutputs(owner: Owner, uses: Uses, limit: ReadLimit): Promise<Map<number, Json[]>> {
  const rows = await readSealed(owner, 'response', uses, limit);
  return openEach(rows, ({ id, sealed }) =>
    asArray(sealed && open(sealed, id, 'response').output).map(asObject),
  );
}

/** The ids of the items in outputs by the numbers of their responses. */
export async function readItemIds(
  { userId, partnerId }: Owner,
  numbers: Iterable<number>,
): Promise<Map<number, string[]>> {
  const { rows } = await pool().query<{ no: bigint; item_ids: string[] }>({
    name: 'read_kept_item_ids',
    text: `SELECT k.no, k.item_ids FROM kept_response k WHERE ${OWN} AND k.no = ANY ($3)`,
    values: [userId, partnerId, [...numbers]],
  });
  return new Map(rows.map(({ no, item_ids }) => [Number(no), item_ids]));
}

/** The inputs of responses by their numbers, after those of their parents. */
export async function readInputs(owner: Owner, uses: Uses, limit: ReadLimit): Promise<Map<number, Entry[]>> {
  const rows = await readSealed(owner, 'input', uses, limit);
  return openEach(rows, ({ id, thread_no, sealed }) => {
    const column = thread_no === null ? 'input' : 'linked input';
    return sealed === null ? [] : (asArray(open(sealed, id, column).items) as Entry[]);
  });
}

async function openEach<Content>(
  rows: readonly SealedRow[],
  read: (row: SealedRow) => Content,
): Promise<Map<number, Content>> {
  const contents = new Map<number, Content>();
  let bytes = 0;
  for (const row of rows) {
    contents.set(Number(row.no), read(row));
    bytes += row.sealed?.length ?? 0;
    if (bytes < BYTES_AT_ONCE) continue;
    bytes = 0;
    await letOthersRun();
  }
  return contents;
}

export type Parent = { no: number; threadNo: number; hash: Buffer; output: Json[] };

/** The newest response with the first of these hashes that any has. */
export async function findParent(
  { userId, partnerId }: Owner,
  hashes: readonly Buffer[],
): Promise<Parent | null> {
  const { rows } = await pool().query<{
    no: bigint;
    thread_no: bigint;
    id: string;
    hash: Buffer;
    sealed: Buffer;
  }>({
    name: 'find_kept_parent',
    text: `SELECT k.no, k.thread_no, k.id, k.input_hash AS hash, k.response AS sealed
           FROM kept_response k JOIN kept_thread t ON t.no = k.thread_no
           WHERE ${OWN} AND t.expires_at > $3 AND k.input_hash = ANY ($4)
           ORDER BY array_position($4::bytea[], k.input_hash), k.no DESC LIMIT 1`,
    values: [userId, partnerId, new Date(now()), hashes],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { id, hash, sealed } = row;
  const output = asArray(open(sealed, id, 'response').output).map(asObject);
  return { no: Number(row.no), threadNo: Number(row.thread_no), hash, output };
}

export type NewResponse = {
  response: Json & { id: string };
  /** Of the request. */
  keyId: string;
  itemIds: string[];
  /** Where it continues a conversation. */
  parent: { no: number; threadNo: number | null } | null;
  inputHash: Buffer | null;
  /** After that of the parent; null if it is too large. */
  input: readonly Entry[] | null;
};

/** Keeps a response, and forgets older ones beyond the limits. Not for an account that was deleted while the request ran. */
export async function keepResponse(owner: Owner, kept: NewResponse): Promise<void> {
  const { userId, partnerId } = owner;
  const { id } = kept.response;
  const input =
    kept.input &&
    sealBytes(Buffer.concat(await writeLargeJson({ items: kept.input })), boundTo(id, 'linked input'));
  const response = seal(writeExactly(kept.response), boundTo(id, 'response'));
  const { rows } = await pool().query<{ no: bigint; of_app: number; of_user: number }>({
    name: 'keep_response',
    text: `WITH renewed AS (
             UPDATE kept_thread SET expires_at = greatest(expires_at, $3)
             WHERE no = $4 AND user_id = $1 AND partner_id = $2 RETURNING no
           ), begun AS (
             INSERT INTO kept_thread (user_id, partner_id, expires_at)
             SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM renewed)
               AND EXISTS (SELECT FROM "user" WHERE id = $1 AND deleted_at IS NULL) RETURNING no
           ), sums AS (
             SELECT sum(bytes) FILTER (WHERE partner_id = $2) AS of_app, sum(bytes) AS of_user FROM (
               SELECT partner_id, ${BYTES_PER_ROW} + coalesce(octet_length(input), 0) + octet_length(response) AS bytes
               FROM kept_response WHERE user_id = $1) k
           )
           INSERT INTO kept_response
             (user_id, partner_id, id, item_ids, thread_no, parent_no, input_hash, input, response, expires_at, key_id)
           SELECT $1, $2, $5, $6, t.no, $7, $8, $9, $10, '9999-12-31', $11
           FROM (SELECT no FROM renewed UNION ALL SELECT no FROM begun) t
           RETURNING no, (SELECT coalesce(of_app, 0)::float8 FROM sums) AS of_app,
             (SELECT coalesce(of_user, 0)::float8 FROM sums) AS of_user`,
    values: [
      userId,
      partnerId,
      expiry(),
      kept.parent?.threadNo ?? null,
      id,
      kept.itemIds,
      kept.parent?.no ?? null,
      kept.inputHash,
      input,
      response,
      kept.keyId,
    ],
  });
  const [row] = rows;
  if (row === undefined) return;
  const ofApp = row.of_app + BYTES_PER_ROW + response.length + (input?.length ?? 0);
  const allowed = Math.max(0, Math.min(MAX_BYTES_PER_APP, MAX_BYTES_PER_USER - (row.of_user - row.of_app)));
  if (ofApp > allowed) await forgetOldest(owner, Number(row.no), ofApp - KEPT_SHARE * allowed);
}

/** Frees so many bytes, least recently used first: inputs, which only some requests need, and then whole responses. */
async function forgetOldest(owner: Owner, newest: number, bytes: number): Promise<void> {
  const inputs = await forget(owner, newest, bytes, {
    size: 'octet_length(k.input)',
    // A later input with the same beginning is kept whole.
    change: `UPDATE kept_response k
             SET input_hash = NULL, input = CASE WHEN k.no IN (SELECT no FROM chosen) THEN NULL ELSE k.input END
             WHERE k.thread_no IN (SELECT thread_no FROM chosen) OR k.no IN (SELECT no FROM chosen)`,
  });
  if (inputs >= bytes) return;
  await forget(owner, newest, bytes - inputs, {
    size: `${BYTES_PER_ROW} + octet_length(k.response)`,
    change: 'DELETE FROM kept_response WHERE no IN (SELECT no FROM chosen)',
  });
}

/** Returns how many bytes were freed. */
async function forget(
  { userId, partnerId }: Owner,
  newest: number,
  bytes: number,
  { size, change }: { size: string; change: string },
): Promise<number> {
  const { rows } = await pool().query<{ freed: number }>(
    `WITH sized AS (
       SELECT k.no, k.thread_no, ${size} AS bytes,
         sum(${size}) OVER (ORDER BY ${EXPIRES_AT}, k.no ROWS UNBOUNDED PRECEDING) AS until
       FROM ${WITH_THREAD} WHERE ${OWN} AND k.no <> $3 AND ${size} IS NOT NULL
     ), chosen AS (SELECT no, thread_no, bytes FROM sized WHERE until - bytes < $4), changed AS (${change})
     SELECT coalesce(sum(bytes), 0)::float8 AS freed FROM chosen`,
    [userId, partnerId, newest, bytes],
  );
  return rows[0]?.freed ?? 0;
}

/** The newest response with this id, as JSON, or null. */
export async function findResponse(
  { userId, partnerId, keyIds }: KeptReader,
  id: string,
): Promise<string | null> {
  if (!isId(id)) return null;
  const { rows } = await pool().query<{ response: Buffer }>({
    name: 'find_kept_response',
    text: `SELECT k.response FROM ${WITH_THREAD}
           WHERE ${OWN} AND ${EXPIRES_AT} > $3 AND k.id = $4 AND ${byKeys(5)} ORDER BY k.no DESC LIMIT 1`,
    values: [userId, partnerId, new Date(now()), id, keyIds],
  });
  const [row] = rows;
  return row === undefined ? null : openSealed(row.response, boundTo(id, 'response'));
}

/** Deletes every response with this id. What continued it can be referenced, but not be continued. */
export async function deleteResponse(
  { userId, partnerId, keyIds }: KeptReader,
  id: string,
): Promise<boolean> {
  if (!isId(id)) return false;
  const { rows } = await pool().query<{ deleted: boolean }>(
    `WITH gone AS (
       DELETE FROM kept_response WHERE no IN (
         SELECT k.no FROM ${WITH_THREAD} WHERE ${OWN} AND ${EXPIRES_AT} > $3 AND k.id = $4 AND ${byKeys(5)})
       RETURNING thread_no
     ), closed AS (
       UPDATE kept_response SET input_hash = NULL
       WHERE thread_no IN (SELECT thread_no FROM gone) AND id <> $4 AND input_hash IS NOT NULL
     )
     SELECT EXISTS (SELECT FROM gone) AS deleted`,
    [userId, partnerId, new Date(now()), id, keyIds],
  );
  return rows[0]?.deleted === true;
}

/** Deletes responses that are past their retention. */
export async function forgetKeptResponses(): Promise<void> {
  await deleteInSteps(
    'DELETE FROM kept_thread WHERE no IN (SELECT no FROM kept_thread WHERE expires_at <= $1 LIMIT $2)',
    new Date(now()),
  );
  // Those of the release before threads.
  await deleteInSteps(
    'DELETE FROM kept_response WHERE no IN (SELECT no FROM kept_response WHERE expires_at <= $1 LIMIT $2)',
    new Date(now()),
  );
}

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { DAY_MS, HOUR_MS, now, nowDate } from '../../base/clock';
import { deleteInSteps, pool } from '../../base/db';
import { settings } from '../../base/env';
import { type ApiError, overloaded } from '../../base/errors';
import { holdBytes, type Reader } from '../../base/http/body-bytes';
import type { Reply } from '../../base/http/reply';
import { isKeyedHash, keyedHash } from '../../base/keyed-hash';
import { describeError, log } from '../../base/log';
import { openSealedBytes, sealBytes } from '../../base/seal';
import { type Hold, readOutcome } from '../../ledger';
import type { ClientRequest } from '../protocols/client-protocols';
import type { BatchFormat } from '../providers/batches';

/**
 * Generation requests with an `Idempotency-Key`: one row per user, app (or run key) and key. A request claims the key before its
 * admission, and names its hold before a provider is called. From then on the ledger knows whether it can still be
 * charged, so no other request takes its place before that is impossible, even if its instance dies.
 */

/** A key is remembered for this long. */
const REMEMBERED_MS = DAY_MS;
/** Longer than an admission takes. A request without a hold by then has died. */
const CLAIM_SECONDS = 30;
/** Its settlement is committed before the response is kept. Later, its instance has died in between. */
const KEEP_WITHIN_MS = 10_000;
/** Of what is kept, before compression: long responses of reasoning models have half of this. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

export type Idempotent = {
  userId: string;
  partnerId: string;
  key: string;
  requestId: string;
  format: ClientRequest['format'] | `batch of ${BatchFormat}`;
  bodyHash: Buffer;
};

export type KeptReply = { body: string; headers: Record<string, string> };

/** What is known about the request that has claimed a key. */
export type First =
  | { state: 'unknown' | 'running' | 'different' }
  /** It was not charged, and can no longer be. */
  | { state: 'released'; requestId: string }
  | { state: 'charged'; requestId: string }
  | { state: 'kept'; requestId: string; sealed: Buffer };

/** The right to be the only request that runs for a key. */
export class Claim {
  readonly #request: Idempotent;
  readonly #isKept = settings().KEEP_REPLAYS_HOURS > 0;
  #text: string[] = [];
  #characters = 0;
  #holdId: string | null = null;

  constructor(request: Idempotent) {
    this.#request = request;
  }

  /** Whether the whole response is wanted, even if its client has disconnected. */
  get isRecording(): boolean {
    return this.#isKept && this.#characters <= MAX_CHARACTERS;
  }

  /** Names the hold. Returns an error if the claim has passed to another request: the hold must then be released. */
  async findRefusal({ kept, requestId }: Hold): Promise<ApiError | null> {
    const holdId = kept?.id ?? requestId;
    try {
      const { rowCount } = await this.#change('SET hold_id = $5', [holdId]);
      if (rowCount === 0) return overloaded();
    } catch (cause) {
      return overloaded(cause);
    }
    this.#holdId = holdId;
    return null;
  }

  /** Notes text of a stream. */
  record(text: string): void {
    this.#characters += text.length;
    if (this.isRecording) this.#text.push(text);
    else this.#text = [];
  }

  /** Keeps the response, after what was noted of it, unless it is too large. A failure is logged: the client has it. */
  async keep({ body, headers }: KeptReply): Promise<void> {
    this.record(body);
    if (!this.isRecording) return this.end();
    try {
      const packed = await pack({ body: this.#text.join(''), headers });
      await this.#change('SET ended = true, response = $5', [
        sealBytes(packed, boundTo(this.#request.requestId)),
      ]);
    } catch (error) {
      log().warn({ error: describeError(error) }, 'response not kept');
    }
  }

  /** Keeps the response of a request that a job continues, or that it ran: no other takes its place. */
  async keepOfJob(reply: KeptReply): Promise<void> {
    if (this.isRecording) return this.keep(reply);
    await this.#change('SET ended = true', []).catch((error: unknown) => {
      log().warn({ error: describeError(error) }, 'job of a request not noted');
    });
  }

  /** Gives up the claim of a request that costs nothing. Of one that was charged, remembers only that. */
  async end(): Promise<void> {
    const { userId, requestId } = this.#request;
    const holdId = this.#holdId;
    try {
      // It has been settled. A hold that is left was kept, for other requests.
      const isCharged =
        holdId !== null && (await readOutcome({ userId, requestId, holdId })).state === 'charged';
      if (isCharged) await this.#change('SET ended = true', []);
      else await this.#delete();
    } catch (error) {
      log().warn({ error: describeError(error) }, 'end of a request not noted');
    }
  }

  #change(change: string, values: unknown[]) {
    return pool().query(`UPDATE idempotent_request ${change} ${OWN}`, [...this.#own(), ...values]);
  }

  #delete() {
    return pool().query(`DELETE FROM idempotent_request ${OWN}`, this.#own());
  }

  #own(): string[] {
    const { userId, partnerId, key, requestId } = this.#request;
    return [userId, partnerId, key, requestId];
  }
}

const OWN = 'WHERE user_id = $1 AND partner_id = $2 AND key = $3 AND request_id = $4';

/**
 * Claims the key, unless another request has. `released` is one that had and was found to cost nothing. In one
 * statement, so that of any number of requests on any number of instances, one runs.
 */
export async function claim(request: Idempotent, released: string | null = null): Promise<Claim | null> {
  const { userId, partnerId, key, requestId } = request;
  const { rowCount } = await pool().query({
    name: 'claim_idempotent_request',
    text: `INSERT INTO idempotent_request AS r
             (user_id, partner_id, key, request_id, request_hash, claimed_until, created_at)
           VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6), $7)
           ON CONFLICT (user_id, partner_id, key) DO UPDATE SET
             request_id = EXCLUDED.request_id, request_hash = EXCLUDED.request_hash,
             claimed_until = EXCLUDED.claimed_until, created_at = EXCLUDED.created_at,
             hold_id = NULL, ended = false, response = NULL
           WHERE r.created_at <= $8 OR r.request_id = $9
             OR r.hold_id IS NULL AND r.claimed_until <= clock_timestamp()`,
    values: [
      userId,
      partnerId,
      key,
      requestId,
      hashOf(request),
      CLAIM_SECONDS,
      nowDate(),
      rememberedSince(),
      released,
    ],
  });
  return rowCount === 1 ? new Claim(request) : null;
}

const rememberedSince = (): Date => new Date(now() - REMEMBERED_MS);
const keptSince = (): Date => new Date(now() - settings().KEEP_REPLAYS_HOURS * HOUR_MS);

type Row = {
  request_id: string;
  request_hash: Buffer;
  hold_id: string | null;
  is_claimed: boolean;
  ended: boolean;
  response: Buffer | null;
};

/** Finds the request that has claimed the key. */
export async function findFirst(request: Idempotent): Promise<First> {
  const { userId, partnerId, key } = request;
  const { rows } = await pool().query<Row>({
    name: 'find_idempotent_request',
    text: `SELECT request_id, request_hash, hold_id, claimed_until > clock_timestamp() AS is_claimed, ended,
             CASE WHEN created_at > $5 THEN response END AS response
           FROM idempotent_request WHERE user_id = $1 AND partner_id = $2 AND key = $3 AND created_at > $4`,
    values: [userId, partnerId, key, rememberedSince(), keptSince()],
  });
  const [row] = rows;
  if (row === undefined) return { state: 'unknown' };
  const first = await readState(userId, row);
  const isSame = first.state === 'released' || isSameRequest(row.request_hash, request);
  return isSame ? first : { state: 'different' };
}

async function readState(userId: string, row: Row): Promise<First> {
  const { request_id: requestId, hold_id: holdId, ended, response: sealed } = row;
  if (sealed !== null) return { state: 'kept', requestId, sealed };
  if (ended) return { state: 'charged', requestId };
  if (holdId === null) return row.is_claimed ? { state: 'running' } : { state: 'released', requestId };
  const outcome = await readOutcome({ userId, requestId, holdId });
  if (outcome.state === 'released') return { state: 'released', requestId };
  const isOver = outcome.state === 'charged' && (outcome.hasFailed || outcome.agoMs > KEEP_WITHIN_MS);
  return isOver ? { state: 'charged', requestId } : { state: 'running' };
}

/** Deletes what is past its retention. */
export async function forgetIdempotentRequests(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM idempotent_request WHERE (user_id, partner_id, key) IN (
       SELECT user_id, partner_id, key FROM idempotent_request WHERE created_at <= $1 LIMIT $2)`,
    rememberedSince(),
  );
  await deleteInSteps(
    `UPDATE idempotent_request SET response = NULL WHERE (user_id, partner_id, key) IN (
       SELECT user_id, partner_id, key FROM idempotent_request
       WHERE created_at <= $1 AND response IS NOT NULL LIMIT $2)`,
    keptSince(),
  );
}

const PURPOSE = 'idempotent request';

const describe = ({ format, bodyHash }: Idempotent): string => `${format} ${bodyHash.toString('hex')}`;
const hashOf = (request: Idempotent): Buffer => keyedHash(PURPOSE, describe(request));
const isSameRequest = (hash: Buffer, request: Idempotent): boolean =>
  isKeyedHash(hash, PURPOSE, describe(request));

const boundTo = (requestId: string): string => `idempotent_request:${requestId}`;

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const LINE_END = '\n';

/** The headers on one line, then the body. On other threads, because a long stream takes some 50 ms. */
const pack = ({ body, headers }: KeptReply): Promise<Buffer> =>
  compress(Buffer.from(JSON.stringify(headers) + LINE_END + body));

/** The kept response as the retry gets it: with the id of the request that was charged, which is that of the receipt. */
export async function openReplay(
  { requestId, sealed }: First & { state: 'kept' },
  reader: Reader,
): Promise<Reply> {
  const packed = openSealedBytes(sealed, boundTo(requestId));
  // The last bytes of gzip are the length of the text.
  holdBytes(reader, packed.readUInt32LE(packed.length - 4));
  const text = (await decompress(packed)).toString('utf8');
  const end = text.indexOf(LINE_END);
  const ids = { 'x-request-id': requestId, 'idempotent-replayed': 'true' };
  return { body: text.slice(end + 1), headers: { ...JSON.parse(text.slice(0, end)), ...ids } };
}

import { DAY_MS, MINUTE_MS, now } from '../../base/clock';
import { pool } from '../../base/db';
import { createTally } from './tally';

/**
 * Counts how the service and its providers work, for the status page. Like the other counts, they are kept in memory
 * and written periodically.
 */

export const SLOT_MS = 5 * MINUTE_MS;
export const STATUS_DAYS = 90;
const KEEP_SLOTS_MS = DAY_MS;

export const SERVICE_PARTS = ['requests', 'checkout', 'sign_in'] as const;
export type ServicePart = (typeof SERVICE_PARTS)[number];

/** Names of providers may be those of parts. */
export const partOf = (provider: string): string => `provider:${provider}`;

const PAID = new Set([
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/ocr',
  '/v1/rerank',
  '/v1/images/edits',
  '/v1/images/generations',
  '/v1/messages',
  '/v1/responses',
  '/v1/videos',
]);
const CHECKOUT = /^(\/checkout$|\/v1\/credits\/checkout)/;
const SIGN_IN = /^(\/sign-in$|\/auth(\/|$)|\/v1\/auth\/)/;

const tally = createTally<{ slot: number; part: string; ok: number; upToMs: number }>();

function count(part: string, isOk: boolean, upToMs: number): void {
  tally.add({ slot: Math.floor(now() / SLOT_MS) * SLOT_MS, part, ok: Number(isOk), upToMs });
}

/** Refusals and disconnects are the client's, and a 502 is the provider's: they say nothing about the service. */
export function countResponse(route: string, status: number): void {
  const isFailure = status === 500 || status === 503;
  if (status >= 400 && !isFailure) return;
  const part = findPart(route);
  if (part !== null) count(part, !isFailure, 0);
}

function findPart(route: string): ServicePart | null {
  if (PAID.has(route)) return 'requests';
  if (CHECKOUT.test(route)) return 'checkout';
  return SIGN_IN.test(route) ? 'sign_in' : null;
}

const FAILURES = new Set(['unavailable', 'busy', 'account']);

/** Counts what neither the client nor its request caused. */
export function countProviderCall(provider: string, outcome: string, durationMs: number): void {
  if (outcome === 'ok') count(partOf(provider), true, classOf(durationMs));
  else if (FAILURES.has(outcome)) count(partOf(provider), false, 0);
}

/** Each class is a quarter longer than the one before, up to five minutes. */
const CLASSES = Array.from({ length: 40 }, (_, i) => Math.round(50 * 1.25 ** i));
const classOf = (durationMs: number): number =>
  CLASSES.find((upToMs) => durationMs <= upToMs) ?? (CLASSES.at(-1) as number);

export function writeStatusCounts(): Promise<void> {
  return tally.flush(async (counted) => {
    // In one order, so that two instances do not wait for each other.
    await pool().query(
      `WITH counted AS (
         SELECT to_timestamp(slot / 1000) AS slot, part, ok = 1 AS is_ok, "upToMs" AS up_to_ms, count
         FROM json_to_recordset($1::json) AS c (slot float8, part text, ok integer, "upToMs" integer, count bigint)
       )
       INSERT INTO status_count AS s (span, begins_at, part, is_ok, up_to_ms, count)
       SELECT 'slot', slot, part, is_ok, up_to_ms, sum(count) FROM counted GROUP BY 2, 3, 4, 5
       UNION ALL
       SELECT 'day', date_trunc('day', slot, 'UTC'), part, is_ok, 0, sum(count) FROM counted GROUP BY 2, 3, 4
       ORDER BY 1, 2, 3, 4, 5
       ON CONFLICT (span, begins_at, part, is_ok, up_to_ms) DO UPDATE SET count = s.count + excluded.count`,
      [JSON.stringify(counted)],
    );
  });
}

export async function forgetOldStatus(): Promise<void> {
  const before = (ms: number) => new Date(now() - ms);
  await pool().query(
    `DELETE FROM status_count WHERE (span = 'slot' AND begins_at < $1) OR (span = 'day' AND begins_at < $2)`,
    [before(KEEP_SLOTS_MS), before((STATUS_DAYS + 1) * DAY_MS)],
  );
}

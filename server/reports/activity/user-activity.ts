import { type DayCount, dayAfter, findWindow } from '../../base/days';
import { pool } from '../../base/db';
import { type HistoryEntry, readUsageDays, type UsageDay, type UsageFilter } from '../../ledger';

/**
 * A user's activity in all apps. Every function takes the user's id, so it cannot read another user's data.
 */

export type UsedApp = { id: string; name: string; disabled: boolean; lastUsedAt: Date | null };

/** The user's apps, most recently used first. */
export async function listUsedApps(userId: string): Promise<UsedApp[]> {
  const { rows } = await pool().query<UsedApp>(
    `SELECT p.id, p.name, p.disabled_at IS NOT NULL AS disabled, l.created_at AS "lastUsedAt"
     FROM user_app a
     JOIN partner p ON p.id = a.partner_id
     LEFT JOIN LATERAL (
       SELECT t.created_at FROM ledger_transaction t
       WHERE t.user_id = a.user_id AND t.partner_id = a.partner_id AND t.kind = 'usage'
       ORDER BY ledger_slot(t.created_at) DESC, t.created_at DESC LIMIT 1) l ON true
     WHERE a.user_id = $1 ORDER BY l.created_at DESC NULLS LAST, p.name`,
    [userId],
  );
  return rows;
}

/** One request as a line of a list. Amounts in microcredits. */
export type RequestLine = NonNullable<HistoryEntry['usage']> & {
  createdAt: Date;
  partnerId: string;
  appName: string;
  outcome: string;
};

/**
 * A page of the user's requests, newest first. The daily counts locate the page in time, so that
 * only those days are read, however long the list is.
 */
export async function readRequestPage(
  userId: string,
  filter: UsageFilter,
  days: UsageDay[],
  { offset, limit }: { offset: number; limit: number },
): Promise<RequestLine[]> {
  const window = findWindow(countByDay(days), { offset, limit });
  if (window === null) return [];
  return readRequests(userId, { ...filter, ...window }, { offset: window.offset, limit });
}

export function countByDay(days: UsageDay[]): DayCount[] {
  const counts = new Map<string, number>();
  for (const { day, requests } of days) counts.set(day, (counts.get(day) ?? 0) + requests);
  return [...counts].map(([day, count]) => ({ day, count })).sort((a, b) => (a.day < b.day ? 1 : -1));
}

const EXPORT_ROWS = 1_000;

/** All requests of a period, newest first, in batches, so that a whole year is never held in memory. */
export async function* streamRequests(userId: string, filter: UsageFilter): AsyncGenerator<RequestLine[]> {
  for (const { day } of countByDay(await readUsageDays(userId, filter))) {
    const ofDay = { ...filter, from: day, to: dayAfter(day) };
    for (let before: RequestLine | undefined; ; ) {
      const lines = await readRequests(userId, ofDay, { limit: EXPORT_ROWS, before });
      if (lines.length > 0) yield lines;
      if (lines.length < EXPORT_ROWS) break;
      before = lines.at(-1);
    }
  }
}

type Part = { limit: number; offset?: number; before?: RequestLine | undefined };

async function readRequests(
  userId: string,
  { from, to, partnerId, model }: UsageFilter,
  { limit, offset = 0, before }: Part,
): Promise<RequestLine[]> {
  const { rows } = await pool().query<RequestLine>(
    `SELECT u.request_id AS "requestId", u.created_at AS "createdAt", u.partner_id AS "partnerId", p.name AS "appName",
            u.model, u.input_tokens AS "inputTokens", u.cache_read_tokens AS "cacheReadTokens",
            u.cache_write_tokens + u.cache_write_1h_tokens AS "cacheWriteTokens",
            u.output_tokens AS "outputTokens", u.reasoning_tokens AS "reasoningTokens", u.web_searches AS "webSearches",
            u.input_units AS "inputUnits", u.output_units AS "outputUnits",
            u.provider_cost AS "providerCost", u.charge, u.estimated, u.outcome
     FROM user_app a
     JOIN partner p ON p.id = a.partner_id
     JOIN usage u ON u.user_id = $1 AND u.partner_id = a.partner_id
       AND u.created_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND u.created_at < $3::date::timestamp AT TIME ZONE 'UTC'
       AND ledger_slot(u.created_at) >= ledger_slot($2::date::timestamp AT TIME ZONE 'UTC')
       AND ledger_slot(u.created_at) <= ledger_slot($3::date::timestamp AT TIME ZONE 'UTC')
     WHERE a.user_id = $1 AND ($4::text IS NULL OR a.partner_id = $4) AND ($5::text IS NULL OR u.model = $5)
       AND ($6::text IS NULL OR (u.created_at, u.transaction_id) < (
         SELECT b.created_at, b.transaction_id FROM usage b WHERE b.user_id = $1 AND b.transaction_id = 'txn_' || substr($6, 5)))
     ORDER BY u.created_at DESC, u.transaction_id DESC LIMIT $7 OFFSET $8`,
    [userId, from, to, partnerId ?? null, model ?? null, before?.requestId ?? null, limit, offset],
  );
  return rows;
}

/** The user's latest requests. */
export async function readLatestRequests(userId: string, limit: number): Promise<RequestLine[]> {
  const { rows } = await pool().query<{ day: string }>(
    `SELECT DISTINCT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM (
       SELECT t.created_at FROM user_app a CROSS JOIN LATERAL (
         SELECT t.created_at FROM ledger_transaction t
         WHERE t.user_id = $1 AND t.partner_id = a.partner_id AND t.kind = 'usage'
         ORDER BY ledger_slot(t.created_at) DESC, t.created_at DESC LIMIT $2) t
       WHERE a.user_id = $1 ORDER BY t.created_at DESC LIMIT $2) latest ORDER BY day`,
    [userId, limit],
  );
  const [oldest, newest] = [rows[0]?.day, rows.at(-1)?.day];
  if (oldest === undefined || newest === undefined) return [];
  return readRequests(userId, { from: oldest, to: dayAfter(newest) }, { limit });
}

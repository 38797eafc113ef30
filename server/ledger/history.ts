import { type DayCount, findWindow } from '../base/days';
import { pool } from '../base/db';

/**
 * One entry of a user's history with a partner, with the details of its type. Amounts are in microcredits.
 */
export type HistoryEntry = {
  id: string;
  type: 'purchase' | 'usage' | 'permission' | 'refund' | 'adjustment';
  createdAt: Date;
  /** Signed. */
  credits: bigint;
  balanceAfter: bigint;
  usage?: {
    requestId: string;
    model: string;
    inputTokens: number;
    cacheReadTokens: number;
    cacheWriteTokens: number;
    outputTokens: number;
    reasoningTokens: number;
    webSearches: number | null;
    inputUnits: number | null;
    outputUnits: number | null;
    providerCost: bigint;
    charge: bigint;
    estimated: boolean;
  };
  purchase?: { sessionId: string; amountMinor: number; currency: string };
  allowanceSaved?: bigint;
  /** Of an adjustment. */
  reason?: 'operator' | 'promotion' | 'correction';
  correction?: { requestId: string; reason: string };
  /** The run key that sent the request. */
  runKey?: { keyId: string; label: string | null };
};

export type HistoryPage = { entries: HistoryEntry[]; total: number };

type Row = {
  id: string;
  kind: HistoryEntry['type'] | 'promotion' | 'correction';
  created_at: Date;
  credits: bigint;
  balance_after: bigint;
  allowance_saved: bigint | null;
  request_id: string | null;
  model: string;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  web_searches: number | null;
  input_units: number | null;
  output_units: number | null;
  provider_cost: bigint;
  charge: bigint;
  estimated: boolean;
  session_id: string | null;
  amount_minor: number;
  currency: string;
  corrected_request: string;
  correction_reason: string | null;
  run_key_id: string | null;
  run_key_label: string | null;
};

type Owner = { userId: string; partnerId: string };
type Page = { limit: number; offset: number };

/**
 * The user's history with one partner, newest first. The daily counts locate the page in time, so that only those days are
 * read, however long the history is.
 */
export async function readHistory(
  owner: Owner,
  page: Page,
  keyIds: string[] | null = null,
): Promise<HistoryPage> {
  if (keyIds !== null) return readHistoryOfKeys(owner, page, keyIds);
  const counts = await countByDay(owner);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const window = findWindow(counts, page);
  if (window === null) return { entries: [], total };
  return { entries: await readEntries(owner, { ...page, ...window }), total };
}

/** The requests of these run keys, which live for a month at most. */
async function readHistoryOfKeys(owner: Owner, page: Page, keyIds: string[]): Promise<HistoryPage> {
  const { rows } = await pool().query<{ total: bigint; from: string; to: string }>(
    `SELECT (SELECT count(*) FROM ledger_transaction t WHERE t.user_id = $1 AND t.partner_id = $2 AND t.key_id = ANY ($3)
               AND ledger_slot(t.created_at) >= ledger_slot(k.since)) AS total,
       to_char(timezone('UTC', k.since), 'YYYY-MM-DD') AS from, to_char(timezone('UTC', ledger_clock()) + interval '1 day', 'YYYY-MM-DD') AS to
     FROM (SELECT coalesce(min(created_at), ledger_clock()) AS since FROM user_key WHERE id = ANY ($3)) k`,
    [owner.userId, owner.partnerId, keyIds],
  );
  const { total = 0n, from = '', to = '' } = rows[0] ?? {};
  return { entries: await readEntries(owner, { ...page, from, to }, keyIds), total: Number(total) };
}

/** Days begin with a slot, so slots alone select them, by the index that also has the order. */
async function readEntries(
  { userId, partnerId }: Owner,
  { limit, offset, from, to }: Page & { from: string; to: string },
  keyIds: string[] | null = null,
): Promise<HistoryEntry[]> {
  const { rows } = await pool().query<Row>(
    `SELECT t.id, t.kind, t.created_at, t.credits, t.balance_after, t.allowance_saved,
            CASE WHEN t.model IS NOT NULL THEN 'req_' || substr(t.id, 5) END AS request_id, t.model,
            t.input_tokens, t.cache_read_tokens,
            t.cache_write_tokens + t.cache_write_1h_tokens AS cache_write_tokens, t.output_tokens,
            t.reasoning_tokens, t.web_searches, t.input_units, t.output_units, t.provider_cost, -t.credits AS charge, t.estimated,
            p.session_id, p.amount_minor, p.currency,
            'req_' || substr(t.note, 5) AS corrected_request, b.reason AS correction_reason,
            k.id AS run_key_id, k.label AS run_key_label
     FROM ledger_transaction t
     LEFT JOIN purchase p ON t.kind = 'purchase' AND p.session_id = t.cause_id
     LEFT JOIN correction_batch b ON t.kind = 'correction' AND b.id = t.related_id
     LEFT JOIN user_key k ON k.id = t.key_id AND k.lineage <> '{}'
     WHERE t.user_id = $1 AND t.partner_id = $2 AND t.kind <> 'earnings_reversal'
       AND ledger_slot(t.created_at) >= $3::date::timestamp AT TIME ZONE 'UTC'
       AND ledger_slot(t.created_at) < $4::date::timestamp AT TIME ZONE 'UTC'
       AND ($7::text[] IS NULL OR t.key_id = ANY ($7))
     ORDER BY ledger_slot(t.created_at) DESC, t.created_at DESC, t.id DESC LIMIT $5 OFFSET $6`,
    [userId, partnerId, from, to, limit, offset, keyIds],
  );
  return rows.map(toEntry);
}

/**
 * Entries by day, newest first: requests from their daily sums, as counting them takes as long as reading them; those of
 * archived months one by one, as few are left.
 */
async function countByDay({ userId, partnerId }: Owner): Promise<DayCount[]> {
  const { rows } = await pool().query<DayCount>(
    `WITH archive AS (SELECT up_to FROM watermark WHERE name = 'archive'),
     part AS (
       SELECT d.day, d.requests FROM archive a
       CROSS JOIN ledger_usage_days($1, (a.up_to AT TIME ZONE 'UTC')::date, 'infinity', $2, NULL) d
       UNION ALL
       SELECT (t.created_at AT TIME ZONE 'UTC')::date, 1 FROM archive a JOIN ledger_transaction t
         ON t.kind = 'usage' AND t.created_at < a.up_to AND ledger_slot(t.created_at) <= ledger_slot(a.up_to)
       WHERE t.user_id = $1 AND t.partner_id = $2
       UNION ALL
       SELECT (created_at AT TIME ZONE 'UTC')::date, 1 FROM ledger_transaction
       WHERE user_id = $1 AND partner_id = $2 AND kind NOT IN ('usage', 'earnings_reversal'))
     SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(requests)::float8 AS count FROM part GROUP BY part.day ORDER BY part.day DESC`,
    [userId, partnerId],
  );
  return rows;
}

function toEntry(row: Row): HistoryEntry {
  return {
    id: row.id,
    ...(row.kind === 'promotion' || row.kind === 'correction'
      ? { type: 'adjustment', reason: row.kind }
      : { type: row.kind, ...(row.kind === 'adjustment' && { reason: 'operator' }) }),
    ...(row.correction_reason !== null && {
      correction: { requestId: row.corrected_request, reason: row.correction_reason },
    }),
    createdAt: row.created_at,
    credits: row.credits,
    balanceAfter: row.balance_after,
    ...(row.allowance_saved !== null && { allowanceSaved: row.allowance_saved }),
    ...(row.session_id !== null && {
      purchase: { sessionId: row.session_id, amountMinor: row.amount_minor, currency: row.currency },
    }),
    ...(row.request_id !== null && {
      usage: {
        requestId: row.request_id,
        model: row.model,
        inputTokens: row.input_tokens,
        cacheReadTokens: row.cache_read_tokens,
        cacheWriteTokens: row.cache_write_tokens,
        outputTokens: row.output_tokens,
        reasoningTokens: row.reasoning_tokens,
        webSearches: row.web_searches,
        inputUnits: row.input_units,
        outputUnits: row.output_units,
        providerCost: row.provider_cost,
        charge: row.charge,
        estimated: row.estimated,
      },
    }),
    ...(row.run_key_id !== null && { runKey: { keyId: row.run_key_id, label: row.run_key_label } }),
  };
}

/** Entries that are looked at, and requests among them that are compared. */
const RECENT = { entries: 200, requests: 20 };

/** The output tokens of the user's last complete requests to a model in an app, by these keys or by all. */
export async function readRecentOutputs(
  { userId, partnerId }: Owner,
  model: string,
  keyIds: string[] | null,
): Promise<number[]> {
  const { rows } = await pool().query<{ output_tokens: number }>({
    name: 'read_recent_outputs',
    text: `SELECT t.output_tokens FROM (
             SELECT t.kind, t.model, t.outcome, t.output_tokens, t.key_id FROM ledger_transaction t
             WHERE t.user_id = $1 AND t.partner_id = $2 ORDER BY ledger_slot(t.created_at) DESC LIMIT $4) t
           WHERE t.kind = 'usage' AND t.model = $3 AND t.outcome = 'completed'
             AND ($6::text[] IS NULL OR t.key_id = ANY ($6)) LIMIT $5`,
    values: [userId, partnerId, model, RECENT.entries, RECENT.requests, keyIds],
  });
  return rows.map((row) => row.output_tokens);
}

import { type DayCount, dayAfter, findWindow } from '../../base/days';
import { readLate } from '../../base/replica';

/**
 * Activity in one app. Users are identified only by their app-scoped id: no e-mail address and no user id
 * leaves this file. Every function takes the app's id; the caller has verified that the visitor owns the app.
 */

export type Days = {
  /** The first day and the day after the last one, in UTC, such as `2026-11-21`. */
  from: string;
  to: string;
};

/** An app's use of one model on one day. Amounts are in microcredits. */
export type AppDay = {
  day: string;
  model: string;
  requests: number;
  /** Requests that failed or were disconnected after output began. */
  unfinished: number;
  inputTokens: number;
  outputTokens: number;
  charge: bigint;
  partnerShare: bigint;
};

/** Up to and including now, oldest first. */
export async function readAppDays(partnerId: string, { from, to }: Days): Promise<AppDay[]> {
  const { rows } = await readLate<AppDay>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, model, sum(requests)::float8 AS requests,
            sum(unfinished)::float8 AS unfinished, sum(input_tokens)::float8 AS "inputTokens",
            sum(output_tokens)::float8 AS "outputTokens", sum(charge)::bigint AS charge,
            sum(partner_share)::bigint AS "partnerShare"
     FROM activity_by_partner WHERE partner_id = $1 AND day >= $2 AND day < $3
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [partnerId, from, to],
  );
  return rows;
}

export type EarningsDay = {
  day: string;
  /** Commission by model. */
  earned: { model: string; amount: bigint }[];
  /** Reversed by refunds and disputes, or not earned on granted credits; negative when a reversal was undone. */
  reversed: bigint;
  /** The change in earnings on this day. */
  net: bigint;
};

/** Days with earnings, oldest first. Earned and remaining amounts come from one snapshot. */
export async function readEarningsDays(partnerId: string, { from, to }: Days): Promise<EarningsDay[]> {
  const { rows } = await readLate<{ day: string; model: string; amount: bigint; net: bigint }>(
    `WITH net AS (
       SELECT (at AT TIME ZONE 'UTC')::date AS day, sum(amount) AS net FROM (
         SELECT hour AS at, earned AS amount FROM earnings_rollup WHERE partner_id = $1
         UNION ALL
         SELECT posted_at, amount FROM ledger_pending_earnings() WHERE partner_id = $1) every
       WHERE at >= $2::date::timestamp AT TIME ZONE 'UTC' AND at < $3::date::timestamp AT TIME ZONE 'UTC'
       GROUP BY 1
     ), gross AS (
       SELECT day, model, sum(partner_share)::bigint AS amount FROM activity_by_partner
       WHERE partner_id = $1 AND day >= $2 AND day < $3 GROUP BY 1, 2
     )
     SELECT to_char(day, 'YYYY-MM-DD') AS day, coalesce(model, '') AS model, coalesce(amount, 0) AS amount,
            coalesce(net, 0)::bigint AS net
     FROM gross FULL JOIN net USING (day) ORDER BY 1, 2`,
    [partnerId, from, to],
  );
  const days = new Map<string, EarningsDay>();
  for (const { day, model, amount, net } of rows) {
    const entry = days.get(day) ?? { day, earned: [], reversed: -net, net };
    if (model !== '') entry.earned.push({ model, amount });
    entry.reversed += amount;
    days.set(day, entry);
  }
  return [...days.values()];
}

/** The number of users with a request since the given day (UTC). */
export async function countActiveUsers(partnerId: string, { from }: Pick<Days, 'from'>): Promise<number> {
  const { rows } = await readLate<{ users: number }>(
    `SELECT count(*)::int AS users FROM (
       SELECT user_id FROM activity_app_user WHERE partner_id = $1 AND last_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       UNION
       SELECT user_id FROM activity_pending_app_users($1)) active`,
    [partnerId, from],
  );
  return rows[0]?.users ?? 0;
}

// ── Requests ──────────────────────────────────────────────────────────────────────────────────

export const REQUEST_STATUSES = ['completed', 'unfinished'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

export type RequestFilter = Days & {
  model?: string | undefined;
  /** `au_…` */
  appUserId?: string | undefined;
  status?: RequestStatus | undefined;
};

export type AppRequest = {
  requestId: string;
  createdAt: Date;
  appUserId: string;
  model: string;
  /** Includes tokens read from and written to the cache. */
  inputTokens: number;
  outputTokens: number;
  charge: bigint;
  providerCost: bigint;
  partnerShare: bigint;
  estimated: boolean;
  outcome: 'completed' | 'failed' | 'aborted' | 'refused';
};

/** A page of requests, newest first, and the total count. */
export async function listAppRequests(
  partnerId: string,
  filter: RequestFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ requests: AppRequest[]; total: number }> {
  const counts = await countRequests(partnerId, filter);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  // The daily counts locate the page in time, so that only those days are read, however long the list is.
  const window = findWindow(counts, { offset, limit });
  if (window === null) return { requests: [], total };
  const requests = await readRequests(partnerId, { ...filter, ...window }, { offset: window.offset, limit });
  return { requests, total };
}

const EXPORT_ROWS = 1_000;

/** All requests, newest first, in batches. */
export async function* streamAppRequests(
  partnerId: string,
  filter: RequestFilter,
): AsyncGenerator<AppRequest[]> {
  for (const { day } of await countRequests(partnerId, filter)) {
    const ofDay = { ...filter, from: day, to: dayAfter(day) };
    for (let offset = 0; ; offset += EXPORT_ROWS) {
      const requests = await readRequests(partnerId, ofDay, { offset, limit: EXPORT_ROWS });
      if (requests.length > 0) yield requests;
      if (requests.length < EXPORT_ROWS) break;
    }
  }
}

/** Counts by day, newest first. */
async function countRequests(partnerId: string, filter: RequestFilter): Promise<DayCount[]> {
  const { appUserId, status } = filter;
  const count =
    appUserId === undefined ? countOfAll : status === undefined ? countOfUser : countOfUserByStatus;
  const rows = await count(partnerId, filter);
  return rows.sort((a, b) => (a.day < b.day ? 1 : -1));
}

async function countOfAll(
  partnerId: string,
  { from, to, model, status }: RequestFilter,
): Promise<DayCount[]> {
  const counted =
    status === undefined ? 'requests' : status === 'completed' ? 'requests - unfinished' : 'unfinished';
  const { rows } = await readLate<DayCount>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(${counted})::float8 AS count FROM activity_by_partner
     WHERE partner_id = $1 AND day >= $2 AND day < $3 AND ($4::text IS NULL OR model = $4)
     GROUP BY 1 HAVING sum(${counted}) > 0`,
    [partnerId, from, to, model ?? null],
  );
  return rows;
}

async function countOfUser(
  partnerId: string,
  { from, to, model, appUserId }: RequestFilter,
): Promise<DayCount[]> {
  const { rows } = await readLate<DayCount>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(requests)::float8 AS count
     FROM ledger_usage_days((SELECT user_id FROM user_app WHERE app_user_id = $5 AND partner_id = $1), $2, $3, $1, $4)
     GROUP BY 1`,
    [partnerId, from, to, model ?? null, appUserId ?? null],
  );
  return rows;
}

/** There are no sums of a user's requests by status: they are counted row by row. */
async function countOfUserByStatus(
  partnerId: string,
  { from, to, model, appUserId, status }: RequestFilter,
): Promise<DayCount[]> {
  const { rows } = await readLate<DayCount>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*)::float8 AS count FROM usage
     WHERE user_id = (SELECT user_id FROM user_app WHERE app_user_id = $5 AND partner_id = $1) AND partner_id = $1
       AND created_at >= $2::date::timestamp AT TIME ZONE 'UTC' AND created_at < $3::date::timestamp AT TIME ZONE 'UTC'
       AND ledger_slot(created_at) >= ledger_slot($2::date::timestamp AT TIME ZONE 'UTC')
       AND ledger_slot(created_at) <= ledger_slot($3::date::timestamp AT TIME ZONE 'UTC')
       AND ($4::text IS NULL OR model = $4) AND (outcome = 'completed') = ($6 = 'completed')
     GROUP BY 1`,
    [partnerId, from, to, model ?? null, appUserId ?? null, status ?? null],
  );
  return rows;
}

/** `IS NOT DISTINCT FROM` uses no index: PostgreSQL would search the one that begins with the user once for each user. */
async function readRequests(
  partnerId: string,
  { from, to, model, appUserId, status }: RequestFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<AppRequest[]> {
  const { rows } = await readLate<AppRequest>(
    `SELECT u.request_id AS "requestId", u.created_at AS "createdAt", a.app_user_id AS "appUserId", u.model,
            u.input_tokens + u.cache_read_tokens + u.cache_write_tokens + u.cache_write_1h_tokens AS "inputTokens",
            u.output_tokens AS "outputTokens", u.charge, u.provider_cost AS "providerCost",
            u.partner_share AS "partnerShare", u.estimated, u.outcome
     FROM usage u
     JOIN user_app a ON a.user_id = u.user_id AND a.partner_id = $1
     WHERE u.partner_id IS NOT DISTINCT FROM $1
       AND u.created_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND u.created_at < $3::date::timestamp AT TIME ZONE 'UTC'
       AND ($4::text IS NULL OR u.model = $4)
       AND ($5::text IS NULL OR (u.user_id = (SELECT user_id FROM user_app WHERE app_user_id = $5 AND partner_id = $1)
         AND ledger_slot(u.created_at) >= ledger_slot($2::date::timestamp AT TIME ZONE 'UTC')
         AND ledger_slot(u.created_at) <= ledger_slot($3::date::timestamp AT TIME ZONE 'UTC')))
       AND ($6::text IS NULL OR (u.outcome = 'completed') = ($6 = 'completed'))
     ORDER BY u.created_at DESC, u.request_id DESC LIMIT $7 OFFSET $8`,
    [partnerId, from, to, model ?? null, appUserId ?? null, status ?? null, limit, offset],
  );
  return rows;
}

// ── Users ─────────────────────────────────────────────────────────────────────────────────────

export type AppUser = {
  appUserId: string;
  /** Metadata that the app attached to the user. */
  metadata: Record<string, string | number | boolean> | null;
  createdAt: Date;
  requests: number;
  charge: bigint;
  partnerShare: bigint;
  lastRequestAt: Date | null;
};

export const USER_ORDERS = ['newest', 'spent', 'last_request'] as const;
export type UserOrder = (typeof USER_ORDERS)[number];

type UserList = {
  /** An `au_…`, or the beginning of a value of the metadata. */
  search?: string | undefined;
  /** Orders by use, and then lists only users with a request. */
  order?: UserOrder | undefined;
  offset: number;
  limit: number;
};

const ORDERS: Record<UserOrder, string> = {
  newest: 'a.created_at DESC, a.user_id',
  spent: 'charge DESC, a.user_id DESC',
  last_request: '"lastRequestAt" DESC NULLS LAST, a.user_id DESC',
};

/** Each reads only the users of one page, by an index. */
const PAGES: Record<UserOrder | 'id' | 'metadata', string> = {
  newest: `SELECT user_id FROM user_app WHERE partner_id = $1 AND $2::text IS NULL
           ORDER BY created_at DESC, user_id LIMIT $3 OFFSET $4`,
  spent: `SELECT user_id FROM activity_app_user WHERE partner_id = $1 AND $2::text IS NULL
          ORDER BY charge DESC, user_id DESC LIMIT $3 OFFSET $4`,
  last_request: `SELECT user_id FROM activity_app_user WHERE partner_id = $1 AND $2::text IS NULL
                 ORDER BY last_at DESC, user_id DESC LIMIT $3 OFFSET $4`,
  id: 'SELECT user_id FROM user_app WHERE partner_id = $1 AND app_user_id = $2 LIMIT $3 OFFSET $4',
  // In the order in which they are found: sorting the users of a frequent value would read them all.
  metadata: `SELECT user_id FROM user_app
             WHERE metadata IS NOT NULL AND user_app_terms(partner_id, metadata) @@ $2::tsquery LIMIT $3 OFFSET $4`,
};

/** As `user_app_terms` writes values, quoted. */
function writeTermQuery(partnerId: string, search: string): string {
  const lower = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `'${`${partnerId} ${lower}`.replace(/[\\']/g, '$&$&')}':*`;
}

/** The app's users, newest first if no order is given. */
export async function listAppUsers(
  partnerId: string,
  { search, order = 'newest', offset, limit }: UserList,
): Promise<AppUser[]> {
  const page = search === undefined ? order : search.startsWith('au_') ? 'id' : 'metadata';
  const { rows } = await readLate<AppUser>(
    `WITH latest AS MATERIALIZED (SELECT * FROM activity_pending_app_users($1)),
     page AS MATERIALIZED (${PAGES[page]})
     SELECT a.app_user_id AS "appUserId", a.metadata, a.created_at AS "createdAt",
            coalesce(sum(u.requests), 0)::float8 AS requests, coalesce(sum(u.charge), 0)::bigint AS charge,
            coalesce(sum(u.partner_share), 0)::bigint AS "partnerShare", max(u.last_at) AS "lastRequestAt"
     FROM page
     JOIN user_app a ON a.user_id = page.user_id AND a.partner_id = $1
     LEFT JOIN LATERAL (
       SELECT * FROM activity_app_user WHERE partner_id = $1 AND user_id = a.user_id
       UNION ALL
       SELECT * FROM latest WHERE user_id = a.user_id) u ON true
     GROUP BY a.app_user_id, a.metadata, a.created_at, a.user_id
     ORDER BY ${ORDERS[order]}`,
    [
      partnerId,
      page === 'metadata' ? writeTermQuery(partnerId, search ?? '') : (search ?? null),
      limit,
      offset,
    ],
  );
  return rows;
}

/** The number of users that the list has in all; by use, of those with a request. */
export async function countAppUsers(partnerId: string, order: UserOrder = 'newest'): Promise<number> {
  const table = order === 'newest' ? 'user_app' : 'activity_app_user';
  const { rows } = await readLate<{ users: number }>(
    `SELECT count(*)::int AS users FROM ${table} WHERE partner_id = $1`,
    [partnerId],
  );
  return rows[0]?.users ?? 0;
}

export async function* streamAppUsers(partnerId: string): AsyncGenerator<AppUser[]> {
  for (let offset = 0; ; offset += EXPORT_ROWS) {
    const users = await listAppUsers(partnerId, { offset, limit: EXPORT_ROWS });
    if (users.length > 0) yield users;
    if (users.length < EXPORT_ROWS) break;
  }
}

// ── Errors ────────────────────────────────────────────────────────────────────────────────────

export type ErrorCount = {
  day: string;
  code: string;
  count: number;
  /** The id of the first request that failed in this way on this day; null if unknown. */
  firstRequestId: string | null;
};

/** Generation requests that failed with an error response, by day and code. */
export async function readErrorDays(partnerId: string, { from, to }: Days): Promise<ErrorCount[]> {
  const { rows } = await readLate<ErrorCount>(
    `SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, code, sum(count)::float8 AS count,
            (array_agg(first_request_id ORDER BY hour) FILTER (WHERE first_request_id IS NOT NULL))[1] AS "firstRequestId"
     FROM refusal_hour
     WHERE partner_id = $1
       AND hour >= $2::date::timestamp AT TIME ZONE 'UTC' AND hour < $3::date::timestamp AT TIME ZONE 'UTC'
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [partnerId, from, to],
  );
  return rows;
}

import { nowDate } from '../../base/clock';
import { readLate } from '../../base/replica';

/**
 * The buyers of an app by the month (UTC) of their first purchase in it, and how many of them came back: bought or
 * spent credits there in a later month. Nobody can be singled out: cohorts with few buyers have no details.
 */

const MONTHS = 12;
export const LEAST_BUYERS = 5;

export type CohortMonth = {
  /** Such as `2026-11`. */
  month: string;
  /** Buyers of the cohort who bought or spent credits in this month. */
  active: number;
  /** Microcredits that they bought in this month. */
  bought: bigint;
};

export type Cohort = {
  month: string;
  /** Null if there are fewer than five buyers. */
  details: {
    buyers: number;
    /** Microcredits that they have bought since. */
    bought: bigint;
    /** From the month after the first purchase to the current one. */
    later: CohortMonth[];
  } | null;
};

/** Those of the last twelve months, the latest first, without months in which nobody bought for the first time. */
export async function readCohorts(partnerId: string): Promise<Cohort[]> {
  const today = nowDate();
  const months = monthsUntil(today, MONTHS);
  const { rows } = await readLate<CohortMonth & { cohort: string }>(
    `WITH bought AS MATERIALIZED (
       SELECT user_id, date_trunc('month', created_at AT TIME ZONE 'UTC')::date AS month, sum(credits) AS credits
       FROM purchase WHERE partner_id = $1 GROUP BY 1, 2
     ), buyers AS MATERIALIZED (
       SELECT user_id, min(month) AS cohort FROM bought GROUP BY 1 HAVING min(month) >= $2::date
     ), months AS (
       SELECT start::date AS month, (start + interval '1 month')::date AS next
       FROM generate_series($2::date::timestamp, $3::date::timestamp, interval '1 month') AS start
     )
     SELECT to_char(b.cohort, 'YYYY-MM') AS cohort, to_char(m.month, 'YYYY-MM') AS month, count(*)::int AS active,
            coalesce(sum(p.credits), 0)::bigint AS bought
     FROM buyers b JOIN months m ON m.month >= b.cohort
     LEFT JOIN bought p ON (p.user_id, p.month) = (b.user_id, m.month)
     -- One look into the index per month: reading every day of active users takes five times as long.
     WHERE p.user_id IS NOT NULL OR EXISTS (
       SELECT FROM usage_day u
       WHERE u.user_id = b.user_id AND u.day >= m.month AND u.day < m.next AND u.partner_id = $1)
     GROUP BY b.cohort, m.month`,
    [partnerId, `${months.at(-1)}-01`, `${months[0]}-01`],
  );
  return months.flatMap((month) => {
    const own = rows.filter(({ cohort }) => cohort === month);
    return own.length === 0 ? [] : [describeCohort(month, own, months)];
  });
}

function describeCohort(month: string, rows: CohortMonth[], months: string[]): Cohort {
  const find = (of: string) => rows.find((row) => row.month === of);
  const buyers = find(month)?.active ?? 0;
  if (buyers < LEAST_BUYERS) return { month, details: null };
  const later = months
    .filter((each) => each > month)
    .reverse()
    .map((each) => ({ month: each, active: find(each)?.active ?? 0, bought: find(each)?.bought ?? 0n }));
  return { month, details: { buyers, bought: rows.reduce((sum, { bought }) => sum + bought, 0n), later } };
}

/** The latest first. */
const monthsUntil = (today: Date, count: number): string[] =>
  Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  );

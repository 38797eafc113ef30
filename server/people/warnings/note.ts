import { DAY_MS, now, nowDate } from '../../base/clock';
import { querySlowly } from '../../base/db';
import { OR_NOW } from '../../base/due-mails';
import { minimumBalance } from '../../ledger';
import { findUnusual, HISTORY_DAYS, LEAST_UNUSUAL } from './unusual';

/**
 * Makes warnings due. Each statement decides and claims at once, so that several instances note a cause once; the mail
 * is sent afterwards.
 */

export type LimitDetail = {
  /** `''` for all apps. */
  partnerId: string;
  period: 'day' | 'week' | 'month';
  most: string;
  spent: string;
  resetsAt: string;
  /** Set by the app instead of the user. */
  isOfApp?: true;
};

export type BoughtDetail = { boughtAt: string; spent: string; left: string };
export type UnusualDetail = { day: string; today: string; usualFrom: string; usualTo: string };
export type WeeklyDetail = { before: string; from: string; to: string; day: string };

/** The end of a statement that records warnings or alerts and makes their mails due. */
export const warned = (insert: string): string => `warned AS (${insert} RETURNING user_id, cause, noted_at)
     INSERT INTO due_mail (kind, ref, due_at)
     SELECT 'warning', jsonb_build_object('userId', user_id, 'cause', cause), noted_at FROM warned
     ORDER BY user_id, cause ${OR_NOW}`;

/**
 * Limits that users set, and those that apps set for them: the lowest that applies. A changed limit is a new cause, so
 * raising one leads to warnings about the new amount. In order, so that two instances cannot deadlock.
 */
export async function noteLimits(users: string[]): Promise<void> {
  await querySlowly(
    `WITH ${warned(`INSERT INTO warning_mail AS m (user_id, cause, kind, percent, detail, noted_at)
     SELECT c.user_id, concat_ws(' ', CASE WHEN p.of_app THEN 'limit of' ELSE 'limit' END, p.partner_id, p.period, p.most,
         extract(epoch FROM p.ends)::bigint), 'limit',
       r.percent, jsonb_strip_nulls(jsonb_build_object('partnerId', p.partner_id, 'period', p.period, 'most', p.most::text,
         'spent', p.spent::text, 'resetsAt', p.ends, 'isOfApp', nullif(p.of_app, false))), $2
     FROM warning_choice c
     CROSS JOIN LATERAL (
       SELECT l.partner_id, p.period, p.most, p.spent, p.ends, false AS of_app
       FROM spending_limit l
       CROSS JOIN LATERAL (VALUES ('day', l.per_day, l.day_spent, l.day_ends), ('week', l.per_week, l.week_spent, l.week_ends),
         ('month', l.per_month, l.month_spent, l.month_ends)) AS p (period, most, spent, ends)
       WHERE l.user_id = c.user_id AND ledger_clock() < p.ends
       UNION ALL
       SELECT u.partner_id, p.period, min(p.most), p.spent, p.ends, true
       FROM user_app u
       JOIN partner a ON a.id = u.partner_id AND a.limits_users
       CROSS JOIN LATERAL ledger_partner_limits(u.partner_id, u.app_user_id) l
       CROSS JOIN LATERAL ledger_spent_in_app(u, ledger_today()) s
       CROSS JOIN LATERAL (VALUES ('day', l.per_day, s.day, s.day_ends), ('month', l.per_month, s.month, s.month_ends))
         AS p (period, most, spent, ends)
       WHERE u.user_id = c.user_id
       GROUP BY u.partner_id, p.period, p.spent, p.ends
     ) p
     CROSS JOIN LATERAL (SELECT ledger_reached_percent(p.spent, p.most, $3) AS percent) r
     WHERE c.user_id = ANY ($1) AND c.limits AND p.most IS NOT NULL AND r.percent IS NOT NULL
     ORDER BY 1, 2
     ON CONFLICT (user_id, cause) DO UPDATE SET percent = excluded.percent, detail = excluded.detail,
       noted_at = excluded.noted_at
     WHERE m.percent < excluded.percent`)}`,
    [users, nowDate(), minimumBalance()],
  );
}

/**
 * What was spent since the last purchase, as a share of what the user had right after it: whole days from the daily
 * sums, and the day of the purchase from its receipts.
 */
export async function noteBought(users: string[]): Promise<void> {
  await querySlowly(
    `WITH ${warned(`INSERT INTO warning_mail AS m (user_id, cause, kind, percent, detail, noted_at)
     SELECT w.user_id, 'bought ' || bought.id, 'bought', r.percent, jsonb_build_object('boughtAt', bought.at,
       'spent', spent.amount::text, 'left', had.left::text), $2
     FROM warning_choice c
     JOIN wallet w ON w.user_id = c.user_id
     CROSS JOIN LATERAL (
       SELECT t.id, t.created_at AS at, (t.created_at AT TIME ZONE 'UTC')::date AS day
       FROM purchase p JOIN ledger_transaction t ON t.user_id = p.user_id AND t.id = p.id
       WHERE p.user_id = c.user_id ORDER BY p.created_at DESC LIMIT 1) bought
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(s.amount), 0)::bigint AS amount FROM (
         SELECT d.charge AS amount FROM ledger_usage_days(c.user_id, bought.day + 1, 'infinity', NULL, NULL) d
         UNION ALL
         SELECT -t.credits FROM user_app a JOIN ledger_transaction t ON t.user_id = a.user_id AND t.partner_id = a.partner_id
         WHERE a.user_id = c.user_id AND t.kind = 'usage' AND t.created_at >= bought.at
           AND t.created_at < (bought.day + 1)::timestamp AT TIME ZONE 'UTC'
           AND ledger_slot(t.created_at) >= ledger_slot(bought.at)) s) spent
     CROSS JOIN LATERAL (SELECT greatest(w.money, 0) AS left, spent.amount + greatest(w.money, 0) AS whole) had
     CROSS JOIN LATERAL (SELECT ledger_reached_percent(spent.amount, had.whole, $3) AS percent) r
     WHERE c.user_id = ANY ($1) AND c.limits AND r.percent IS NOT NULL
     ORDER BY 1, 2
     ON CONFLICT (user_id, cause) DO UPDATE SET percent = excluded.percent, detail = excluded.detail,
       noted_at = excluded.noted_at
     WHERE m.percent < excluded.percent`)}`,
    [users, nowDate(), minimumBalance()],
  );
}

type Days = { user_id: string; today: string; past: string[] };

/** Compares today (UTC) with the user's last 28 days, once a day. */
export async function noteUnusual(users: string[]): Promise<void> {
  const day = dayOf(now());
  const rows = await querySlowly<Days>(
    `SELECT c.user_id, today.amount::text AS today, past.amounts AS past
     FROM warning_choice c
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(charge), 0) AS amount FROM ledger_usage_days(c.user_id, $2, $2::date + 1, NULL, NULL)) today
     CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(d.amount::text), '{}') AS amounts FROM (
         SELECT sum(charge) AS amount FROM ledger_usage_days(c.user_id, $3, $2, NULL, NULL)
         GROUP BY day HAVING sum(charge) > 0) d) past
     WHERE c.user_id = ANY ($1) AND c.unusual AND today.amount >= $4
       AND NOT EXISTS (SELECT FROM warning_mail m WHERE m.user_id = c.user_id AND m.cause = 'unusual ' || $2::text)`,
    [users, day, dayOf(now() - HISTORY_DAYS * DAY_MS), LEAST_UNUSUAL],
  );
  const found = rows.flatMap(({ user_id, today, past }) => {
    const unusual = findUnusual(BigInt(today), past.map(BigInt));
    if (unusual === null) return [];
    const { from, to } = unusual.usual;
    const detail: UnusualDetail = { day, today, usualFrom: from.toString(), usualTo: to.toString() };
    return [{ user_id, detail }];
  });
  if (found.length === 0) return;
  await querySlowly(
    `WITH ${warned(`INSERT INTO warning_mail (user_id, cause, kind, detail, noted_at)
     SELECT user_id, 'unusual ' || $2, 'unusual', detail, $3
     FROM json_to_recordset($1::json) AS f (user_id text, detail jsonb)
     ORDER BY 1 ON CONFLICT DO NOTHING`)}`,
    [JSON.stringify(found), day, nowDate()],
  );
}

const WEEKLY_PER_RUN = 500;

/** The last whole week of everyone for whom Monday morning has come. */
export async function noteWeekly(): Promise<void> {
  await querySlowly(
    `WITH due AS (
       SELECT c.user_id, coalesce(w.limits_zone, c.zone) AS zone
       FROM warning_choice c LEFT JOIN wallet w ON w.user_id = c.user_id
       WHERE c.weekly_at <= $1 ORDER BY c.weekly_at LIMIT $2 FOR UPDATE OF c SKIP LOCKED
     ), noted AS (
       UPDATE warning_choice c
       SET weekly_at = ledger_instant(due.zone, date_trunc('week', timezone(due.zone, $1)) + interval '1 week 8 hours')
       FROM due WHERE c.user_id = due.user_id RETURNING c.user_id, due.zone
     ), ${warned(`
     INSERT INTO warning_mail (user_id, cause, kind, detail, noted_at)
     SELECT n.user_id, 'weekly ' || (ends - interval '1 week')::date, 'weekly', jsonb_build_object(
       'before', ledger_instant(zone, ends - interval '2 weeks'), 'from', ledger_instant(zone, ends - interval '1 week'),
       'to', ledger_instant(zone, ends), 'day', (ends - interval '1 week')::date), $1
     FROM noted n CROSS JOIN LATERAL (SELECT date_trunc('week', timezone(n.zone, $1::timestamptz)) AS ends) w
     ORDER BY 1 ON CONFLICT DO NOTHING`)}`,
    [nowDate(), WEEKLY_PER_RUN],
  );
}

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

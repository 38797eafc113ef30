import { DAY_MS, HOUR_MS, now, nowDate } from '../../base/clock';
import { querySlowly } from '../../base/db';
import { warned } from './note';
import { isRising, LEAST_ERRORS, type Outcomes } from './rising';

/**
 * Makes alerts due to the members of a team who asked for them: owners and developers. Each statement claims what it
 * finds, so that several instances note a cause once.
 */

const FAILING_MS = HOUR_MS;
/** The history that a rise of errors is compared with. */
const WEEK_MS = 7 * DAY_MS;
/** More make no difference to the share of errors. */
const MOST_COUNTED = 100_000;
/** What users cause and resolve themselves. */
const OF_USERS = ['insufficient_credits', 'partner_not_permitted', 'partner_limit_reached'];

export type OutageDetail = { partnerId: string; teamId: string; since: string };
export type ErrorsDetail = Outcomes & {
  partnerId: string;
  teamId: string;
  hour: string;
  usual: Outcomes;
  /** Most frequent first. */
  codes: { code: string; count: number; firstRequestId: string | null }[];
};

/** The members of the team of partner `p` who get its alerts, as users `u`. */
const RECIPIENTS = `JOIN team_member m ON m.team_id = p.team_id AND m.alerts AND m.role IN ('owner', 'developer')
     JOIN "user" u ON u.email = m.email AND u.deleted_at IS NULL`;

export async function noteAlerts(): Promise<void> {
  await noteOutages();
  await noteRecoveries();
  await noteErrors();
}

/** An endpoint to which no delivery has succeeded for an hour since one failed. */
async function noteOutages(): Promise<void> {
  await querySlowly(
    `WITH ${warned(`INSERT INTO warning_mail (user_id, cause, kind, detail, noted_at)
     SELECT u.id, concat_ws(' ', 'webhook_failing', p.id, p.webhook_failing_since), 'webhook_failing',
       jsonb_build_object('partnerId', p.id, 'teamId', p.team_id, 'since', p.webhook_failing_since), $1
     FROM partner p ${RECIPIENTS}
     WHERE p.webhook_failing_since <= $2 AND p.webhook_url IS NOT NULL AND p.disabled_at IS NULL
     ORDER BY 1, 2 ON CONFLICT DO NOTHING`)}`,
    [nowDate(), new Date(now() - FAILING_MS)],
  );
}

/** To those who were notified of the outage. Without an endpoint, or with a new one, the first success decides. */
async function noteRecoveries(): Promise<void> {
  await querySlowly(
    `WITH ${warned(`INSERT INTO warning_mail (user_id, cause, kind, detail, noted_at)
     SELECT a.user_id, replace(a.cause, 'webhook_failing', 'webhook_recovered'), 'webhook_recovered', a.detail, $1
     FROM warning_mail a JOIN partner p ON p.id = a.detail ->> 'partnerId'
     WHERE a.kind = 'webhook_failing' AND p.webhook_failing_since IS DISTINCT FROM (a.detail ->> 'since')::timestamptz
       AND NOT EXISTS (SELECT FROM warning_mail r WHERE r.user_id = a.user_id
         AND r.cause = replace(a.cause, 'webhook_failing', 'webhook_recovered'))
       AND EXISTS (SELECT FROM delivery d WHERE d.status = 'delivered' AND d.partner_id = p.id
         AND d.due_at >= (a.detail ->> 'since')::timestamptz)
     ORDER BY 1, 2 ON CONFLICT DO NOTHING`)}`,
    [nowDate()],
  );
}

type Candidate = { partner_id: string; team_id: string; codes: ErrorsDetail['codes'] };

/** Once a day (UTC) for each app. */
async function noteErrors(): Promise<void> {
  const hour = new Date(Math.floor(now() / HOUR_MS) * HOUR_MS);
  const day = hour.toISOString().slice(0, 10);
  const candidates = await querySlowly<Candidate>(
    `SELECT p.id AS partner_id, p.team_id, jsonb_agg(jsonb_build_object('code', r.code, 'count', r.count,
       'firstRequestId', r.first_request_id) ORDER BY r.count DESC, r.code) AS codes
     FROM refusal_hour r JOIN partner p ON p.id = r.partner_id
     WHERE r.hour = $1 AND r.code <> ALL ($2)
       AND EXISTS (SELECT FROM partner o ${RECIPIENTS.replaceAll('p.', 'o.')} WHERE o.id = p.id
         AND NOT EXISTS (SELECT FROM warning_mail w WHERE w.user_id = u.id AND w.cause = concat_ws(' ', 'errors', p.id, $3::text)))
     GROUP BY p.id HAVING sum(r.count) >= $4`,
    [hour, OF_USERS, day, LEAST_ERRORS],
  );
  for (const { partner_id: partnerId, team_id: teamId, codes } of candidates) {
    const errors = codes.reduce((sum, { count }) => sum + count, 0);
    const found = { errors, served: await countServed(partnerId, hour) };
    const usual = await readWeekBefore(partnerId, hour);
    if (!isRising(found, usual)) continue;
    const detail: ErrorsDetail = { ...found, partnerId, teamId, hour: hour.toISOString(), usual, codes };
    await querySlowly(
      `WITH ${warned(`INSERT INTO warning_mail (user_id, cause, kind, detail, noted_at)
       SELECT u.id, concat_ws(' ', 'errors', p.id, $2::text), 'errors', $3, $4 FROM partner p ${RECIPIENTS}
       WHERE p.id = $1 ORDER BY 1 ON CONFLICT DO NOTHING`)}`,
      [partnerId, day, JSON.stringify(detail), nowDate()],
    );
  }
}

/** Requests of the hour with a receipt, up to a number. */
async function countServed(partnerId: string, hour: Date): Promise<number> {
  const [row] = await querySlowly<{ served: number }>(
    `SELECT count(*)::int AS served FROM (
       SELECT FROM usage WHERE partner_id = $1 AND created_at >= $2 LIMIT $3) s`,
    [partnerId, hour, MOST_COUNTED],
  );
  return row?.served ?? 0;
}

/** Whole days, as requests are summed by day. */
async function readWeekBefore(partnerId: string, hour: Date): Promise<Outcomes> {
  const to = hour.toISOString().slice(0, 10);
  const from = new Date(hour.getTime() - WEEK_MS).toISOString().slice(0, 10);
  const [row] = await querySlowly<Outcomes>(
    `SELECT (SELECT coalesce(sum(count), 0)::float8 FROM refusal_hour
         WHERE partner_id = $1 AND hour >= $2::date AND hour < $3::date AND code <> ALL ($4)) AS errors,
       (SELECT coalesce(sum(requests), 0)::float8 FROM activity_partner_day
         WHERE partner_id = $1 AND day >= $2::date AND day < $3::date) AS served`,
    [partnerId, from, to, OF_USERS],
  );
  return row ?? { errors: 0, served: 0 };
}

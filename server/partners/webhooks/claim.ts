import { now, SECOND_MS } from '../../base/clock';
import { pool } from '../../base/db';
import type { EventType } from './events';

/**
 * Claims deliveries for this process in one statement, for the duration of a lease. A process that
 * dies loses its lease; the first such attempt of an event is not counted, the next one is.
 */

export const SCHEDULE_MS = [0, 2 * SECOND_MS, 8 * SECOND_MS];
/** Longer than any attempt, which ends after five seconds. */
export const LEASE_MS = 15 * SECOND_MS;

export type Claim = {
  eventId: string;
  partnerId: string;
  /** The team of the app, or the id of the app without one. */
  team: string;
  leaseToken: string;
  /** Counts all attempts of the event. */
  number: number;
  type: EventType;
  /** Sealed. */
  body: Uint8Array;
  url: string;
  /** Sealed. */
  secret: Uint8Array;
  isManual: boolean;
  /** On the monotonic clock. */
  claimedAtMs: number;
};

export type Room = {
  /** How many more deliveries this process can take. */
  free: number;
  /** How many of these may go to slow endpoints. */
  freeForSlow: number;
  perTeam: number;
  /** Teams with fewer free slots than others, and how many they have. */
  teams: ReadonlyMap<string, number>;
  perEndpoint: number;
  /** Endpoints with fewer free slots than others, and how many they have. */
  limited: ReadonlyMap<string, { free: number; isSlow: boolean }>;
};

/** Claims due deliveries round-robin: the first of each endpoint, then the second of each. Slow endpoints come last. */
export function claimDue({
  free,
  freeForSlow,
  perTeam,
  teams,
  perEndpoint,
  limited,
}: Room): Promise<Claim[]> {
  const slow = [...limited];
  return claim(false, {
    name: 'claim_due',
    text: CLAIM_DUE,
    values: [
      new Date(now()),
      LEASE_MS,
      perEndpoint,
      slow.map(([id]) => id),
      slow.map(([, room]) => room.free),
      slow.map(([, room]) => room.isSlow),
      SCHEDULE_MS.length,
      freeForSlow,
      free,
      perTeam,
      [...teams.keys()],
      [...teams.values()],
    ],
  });
}

/**
 * Claims one event of the partner, due or not, unless an attempt is running. An attempt with `isManual` does
 * not count in the schedule.
 */
export async function claimOne(
  partnerId: string,
  eventId: string,
  { isManual }: { isManual: boolean },
): Promise<Claim | null> {
  const [claimed] = await claim(isManual, {
    name: 'claim_one',
    text: CLAIM_ONE,
    values: [new Date(now()), LEASE_MS, isManual, partnerId, eventId],
  });
  return claimed ?? null;
}

/** Each connection plans it once, because planning takes four times as long as finding that nothing is due. */
async function claim(isManual: boolean, statement: Statement): Promise<Claim[]> {
  const claimedAtMs = performance.now();
  const { rows } = await pool().query<Omit<Claim, 'isManual' | 'claimedAtMs'>>(statement);
  return rows.map((row) => ({ ...row, isManual, claimedAtMs }));
}

type Statement = { name: string; text: string; values: unknown[] };

/** $1 is the time, $2 the lease, $3 to $12 the free slots. */
const CLAIM_DUE = `WITH RECURSIVE waiting AS (
    -- Endpoints with pending deliveries, found by skipping through the index.
    (SELECT partner_id FROM delivery WHERE status = 'pending' ORDER BY partner_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.partner_id FROM delivery d WHERE d.status = 'pending' AND d.partner_id > w.partner_id
            ORDER BY d.partner_id LIMIT 1)
    FROM waiting w WHERE w.partner_id IS NOT NULL
  ), listening AS (
    SELECT p.id, coalesce(l.free, $3) AS free, coalesce(l.is_slow, false) AS is_slow,
           coalesce(p.team_id, p.id) AS team, coalesce(t.free, $10) AS free_of_team
    FROM waiting w
    JOIN partner p ON p.id = w.partner_id AND p.disabled_at IS NULL
      AND p.webhook_url IS NOT NULL AND p.webhook_secret IS NOT NULL
    LEFT JOIN unnest($4::text[], $5::int[], $6::bool[]) AS l(id, free, is_slow) ON l.id = p.id
    LEFT JOIN unnest($11::text[], $12::int[]) AS t(id, free) ON t.id = coalesce(p.team_id, p.id)
    WHERE coalesce(l.free, $3) > 0 AND coalesce(t.free, $10) > 0
  ), found AS MATERIALIZED (
    SELECT l.id AS partner_id, l.is_slow, l.team, l.free_of_team, d.*
    FROM listening l CROSS JOIN LATERAL (
      SELECT event_id, due_at, sends, lease_until, lease_token FROM delivery
      WHERE status = 'pending' AND partner_id = l.id AND due_at <= $1
        AND (lease_until IS NULL OR lease_until <= clock_timestamp())
        AND (attempts < $7 OR lease_token IS NOT NULL AND NOT forgiven)
      ORDER BY due_at LIMIT l.free FOR UPDATE SKIP LOCKED
    ) d
  ), in_turn AS (
    SELECT *, row_number() OVER (PARTITION BY partner_id ORDER BY due_at) AS turn FROM found
  ), of_teams AS (
    SELECT *, row_number() OVER (PARTITION BY team ORDER BY turn, due_at) AS place_in_team FROM in_turn
  ), placed AS (
    SELECT *, row_number() OVER (PARTITION BY is_slow ORDER BY turn, due_at) AS place
    FROM of_teams WHERE place_in_team <= free_of_team
  ), taken AS (
    SELECT event_id, sends, lease_until, lease_token FROM placed
    WHERE NOT is_slow OR place <= $8 ORDER BY is_slow, turn, due_at LIMIT $9
  ), lost AS (
    INSERT INTO delivery_attempt (event_id, number, began_at, error)
    SELECT event_id, sends, lease_until - $2 * interval '1 ms', 'lost' FROM taken WHERE lease_token IS NOT NULL
    ON CONFLICT DO NOTHING
  ), claimed AS (
    UPDATE delivery d
    SET lease_until = clock_timestamp() + $2 * interval '1 ms', lease_token = gen_random_uuid()::text,
        sends = d.sends + 1,
        attempts = d.attempts + (d.lease_token IS NULL OR d.forgiven)::integer,
        forgiven = d.forgiven OR d.lease_token IS NOT NULL,
        first_attempt_at = coalesce(d.first_attempt_at, $1)
    FROM taken WHERE d.event_id = taken.event_id
    RETURNING d.event_id, d.partner_id, d.lease_token, d.sends
  )
  SELECT c.event_id AS "eventId", c.partner_id AS "partnerId", coalesce(p.team_id, p.id) AS team,
         c.lease_token AS "leaseToken", c.sends AS number, e.type, e.body, p.webhook_url AS url, p.webhook_secret AS secret
  FROM claimed c JOIN event e ON e.id = c.event_id JOIN partner p ON p.id = c.partner_id`;

/** $1 is the time, $2 the lease, $3 whether it is manual, $4 the partner, $5 the event. */
const CLAIM_ONE = `WITH taken AS (
    SELECT d.event_id, d.sends, d.lease_until, d.lease_token
    FROM delivery d
    JOIN partner p ON p.id = d.partner_id AND p.disabled_at IS NULL
      AND p.webhook_url IS NOT NULL AND p.webhook_secret IS NOT NULL
    JOIN event e ON e.id = d.event_id AND e.body IS NOT NULL
    WHERE d.event_id = $5 AND d.partner_id = $4
      AND (d.lease_until IS NULL OR d.lease_until <= clock_timestamp())
    FOR UPDATE OF d
  ), lost AS (
    INSERT INTO delivery_attempt (event_id, number, began_at, error)
    SELECT event_id, sends, lease_until - $2 * interval '1 ms', 'lost' FROM taken WHERE lease_token IS NOT NULL
    ON CONFLICT DO NOTHING
  ), claimed AS (
    UPDATE delivery d
    SET lease_until = clock_timestamp() + $2 * interval '1 ms', lease_token = gen_random_uuid()::text,
        sends = d.sends + 1,
        attempts = d.attempts + (NOT $3 AND (d.lease_token IS NULL OR d.forgiven))::integer,
        forgiven = d.forgiven OR d.lease_token IS NOT NULL,
        first_attempt_at = CASE WHEN $3 THEN d.first_attempt_at ELSE coalesce(d.first_attempt_at, $1) END
    FROM taken WHERE d.event_id = taken.event_id
    RETURNING d.event_id, d.partner_id, d.lease_token, d.sends
  )
  SELECT c.event_id AS "eventId", c.partner_id AS "partnerId", coalesce(p.team_id, p.id) AS team,
         c.lease_token AS "leaseToken", c.sends AS number, e.type, e.body, p.webhook_url AS url, p.webhook_secret AS secret
  FROM claimed c JOIN event e ON e.id = c.event_id JOIN partner p ON p.id = c.partner_id`;

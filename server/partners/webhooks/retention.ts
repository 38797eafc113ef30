import { DAY_MS, now } from '../../base/clock';
import { deleteInSteps, pool } from '../../base/db';
import { LEASE_MS, SCHEDULE_MS } from './claim';

/** Deletes data that is no longer needed: user keys first, entire events later. */

const KEY_KEPT_MS = DAY_MS;
const KEY_KEPT_WHILE_PAUSED_MS = 7 * DAY_MS;
const EVENT_KEPT_MS = 30 * DAY_MS;

export async function sweepDeliveries(): Promise<void> {
  await failLost();
  // Recorded at the same time as the endpoint was cleared.
  await end('stopped', 'p.webhook_url IS NULL');
  await end(
    'expired',
    'e.shown_body IS NOT NULL AND (d.created_at < $2 OR p.disabled_at IS NULL AND d.due_at < $1)',
    [new Date(now() - KEY_KEPT_MS), new Date(now() - KEY_KEPT_WHILE_PAUSED_MS)],
  );
  await eraseUndelivered();
  await deleteInSteps(
    'DELETE FROM event WHERE id IN (SELECT id FROM event WHERE created_at < $1 LIMIT $2)',
    new Date(now() - EVENT_KEPT_MS),
  );
}

/** Fails deliveries whose last attempt was lost with its process, for the second time. */
async function failLost(): Promise<void> {
  await pool().query(
    `WITH lost AS (
       SELECT event_id, sends, lease_until FROM delivery
       WHERE status = 'pending' AND forgiven AND attempts >= $1 AND lease_until <= clock_timestamp() FOR UPDATE
     ), logged AS (
       INSERT INTO delivery_attempt (event_id, number, began_at, error)
       SELECT event_id, sends, lease_until - $2 * interval '1 ms', 'lost' FROM lost
     )
     UPDATE delivery d SET status = 'failed', lease_until = NULL, lease_token = NULL
     FROM lost WHERE d.event_id = lost.event_id`,
    [SCHEDULE_MS.length, LEASE_MS],
  );
}

/** Erases the user keys that no endpoint has received: the delivery failed, or there was no endpoint. */
async function eraseUndelivered(): Promise<void> {
  await pool().query(
    `UPDATE event e SET body = NULL
     WHERE e.shown_body IS NOT NULL AND e.body IS NOT NULL AND e.created_at < $1
       AND NOT EXISTS (SELECT FROM delivery d WHERE d.event_id = e.id AND d.status = 'pending')`,
    [new Date(now() - KEY_KEPT_MS)],
  );
}

type Ending = 'stopped' | 'expired';

/** Ends pending deliveries and erases their user keys. */
async function end(status: Ending, condition: string, parameters: Date[] = []): Promise<void> {
  await pool().query(
    `WITH ended AS (
       UPDATE delivery d SET status = '${status}'
       FROM event e, partner p
       WHERE d.status = 'pending' AND e.id = d.event_id AND p.id = d.partner_id AND (${condition})
       RETURNING d.event_id
     )
     UPDATE event e SET body = NULL FROM ended WHERE e.id = ended.event_id AND e.shown_body IS NOT NULL`,
    parameters,
  );
}

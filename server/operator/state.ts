import { pool } from '../base/db';
import { countPayoutsNeedingAttention } from '../payments/payouts/operator-list';
import { listPaused } from './overruns';

/** The service's current state, for the operator's overview. */
export type ServiceState = {
  holds: number;
  held: bigint;
  /** Holds whose lease has expired and that are not settled yet. */
  overdue: number;
  audit: { at: Date; users: number; differences: string[] } | null;
  /** Apps that signed up and are waiting for approval. */
  waitingApps: number;
  /** Apps with a name that waits for approval. */
  waitingNames: number;
  /** Users and apps whose overruns passed their limit. */
  paused: number;
  /** Payouts to approve or to pay, and those that wait, failed or came back. */
  payouts: number;
};

export async function readServiceState(): Promise<ServiceState> {
  const [holds, audits, waiting, paused, payouts] = await Promise.all([
    pool().query<Pick<ServiceState, 'holds' | 'held' | 'overdue'>>(
      `SELECT count(*)::int AS holds, coalesce(sum(amount), 0)::bigint AS held,
              (count(*) FILTER (WHERE lease_until < clock_timestamp()))::int AS overdue FROM hold`,
    ),
    pool().query<NonNullable<ServiceState['audit']>>(
      'SELECT at, users, differences FROM audit_run ORDER BY id DESC LIMIT 1',
    ),
    pool().query<Pick<ServiceState, 'waitingApps' | 'waitingNames'>>(
      `SELECT (count(*) FILTER (WHERE review = 'pending'))::int AS "waitingApps",
              (count(*) FILTER (WHERE review = 'approved' AND (pending_name IS NOT NULL OR name_approved_at IS NULL)))::int
                AS "waitingNames" FROM partner`,
    ),
    listPaused(),
    countPayoutsNeedingAttention(),
  ]);
  return {
    ...(holds.rows[0] ?? { holds: 0, held: 0n, overdue: 0 }),
    audit: audits.rows[0] ?? null,
    ...(waiting.rows[0] ?? { waitingApps: 0, waitingNames: 0 }),
    paused: paused.length,
    payouts: [...payouts.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** Webhook deliveries of the last day per app, failing apps first. */
export type WebhookHealth = {
  partnerId: string;
  name: string;
  hasEndpoint: boolean;
  delivered: number;
  pending: number;
  failed: number;
  oldestPendingAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
};

export async function readWebhookHealth(): Promise<WebhookHealth[]> {
  const { rows } = await pool().query<WebhookHealth>(
    `SELECT p.id AS "partnerId", p.name, p.webhook_url IS NOT NULL AS "hasEndpoint",
            coalesce(d.delivered, 0) AS delivered, coalesce(d.pending, 0) AS pending, coalesce(d.failed, 0) AS failed,
            d.oldest AS "oldestPendingAt", l.status AS "lastStatus", l.error AS "lastError"
     FROM partner p
     LEFT JOIN (
       SELECT partner_id, (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
              (count(*) FILTER (WHERE status = 'pending'))::int AS pending,
              (count(*) FILTER (WHERE status IN ('failed', 'expired')))::int AS failed,
              min(created_at) FILTER (WHERE status = 'pending') AS oldest
       FROM delivery WHERE created_at > clock_timestamp() - interval '1 day' OR status = 'pending' GROUP BY 1) d
       ON d.partner_id = p.id
     LEFT JOIN LATERAL (
       SELECT a.status, a.error FROM delivery f JOIN delivery_attempt a ON a.event_id = f.event_id
       WHERE d.failed > 0 AND f.partner_id = p.id AND f.status = 'failed' ORDER BY a.began_at DESC LIMIT 1) l ON true
     WHERE p.webhook_url IS NOT NULL OR d.partner_id IS NOT NULL
     ORDER BY coalesce(d.failed, 0) DESC, coalesce(d.pending, 0) DESC, p.name`,
  );
  return rows;
}

import { AggregatorRegistry, Counter, Gauge, type MetricObject, Registry } from 'prom-client';
import { now, SECOND_MS } from '../../base/clock';
import { creditsToJson } from '../../base/credits';
import { pool } from '../../base/db';
import { settings } from '../../base/env';
import { ApiError, invariant } from '../../base/errors';
import { hmacSha256, sameBytes } from '../../base/ids';
import { describeError, log } from '../../base/log';
import { askPrimary } from '../../base/primary';
import { type ReplicaState, readReplicaState } from '../../base/replica';
import { countBackgroundReads } from '../../gateway/run/background-reads';
import { countPayoutsNeedingAttention } from '../../payments/payouts/operator-list';
import { checkReadiness } from '../health/readiness';
import { standardMetrics, writeProcess, writeService } from './process-metrics';

/** Metrics in the Prometheus text format. */

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

const RECENT = '1 hour';

/** Prometheus waits ten seconds by default. */
const TIMEOUT_MS = 3 * SECOND_MS;

/** Responds with 404 unless a token is configured and the request carries it. */
export function requireMetricsToken(authorization: string | null): void {
  const { METRICS_TOKEN } = settings();
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  if (METRICS_TOKEN === undefined || given === undefined || !isSame(given, METRICS_TOKEN)) {
    throw new ApiError('not_found', 'This URL does not exist.');
  }
}

/**
 * What this process and those that share its port have counted, and what the database knows of the whole installation.
 * Without the database, the former is served alone: that is when it is needed.
 */
export async function readMetrics(): Promise<string> {
  const [instances, installation] = await Promise.all([
    askPrimary<MetricObject[]>('metrics'),
    collectInstallation(),
  ]);
  const counted = instances ? [AggregatorRegistry.aggregate([instances])] : collectProcess();
  const texts = [...counted, installation].map((registry) => registry.metrics());
  return (await Promise.all(texts)).join('\n');
}

/** The same as values, without those of other instances. */
export async function readMetricValues(): Promise<MetricObject[]> {
  return [await readProcessValues(), await (await collectInstallation()).getMetricsAsJSON()].flat();
}

/** What this process has counted. */
export async function readProcessValues(): Promise<MetricObject[]> {
  return (await Promise.all(collectProcess().map((registry) => registry.getMetricsAsJSON()))).flat();
}

function collectProcess(): Registry[] {
  const registry = new Registry();
  writeProcess(registry);
  writeBackgroundReads(registry);
  return [standardMetrics(), registry];
}

async function collectInstallation(): Promise<Registry> {
  const registry = new Registry();
  const [installation, readiness, replica] = await Promise.all([
    readInstallation(),
    checkReadiness(),
    readReplicaState(),
  ]);
  new Gauge({
    name: 'svc_database_up',
    help: 'Whether the database responded in time. Without it, the metrics of the installation are missing.',
    registers: [registry],
  }).set(installation === null ? 0 : 1);
  if (installation !== null) writeInstallation(registry, installation);
  writeService(registry, readiness);
  if (replica !== null) writeReplica(registry, replica);
  return registry;
}

type Installation = Awaited<ReturnType<typeof queryInstallation>>;

async function queryInstallation() {
  const [clockLead, state, outcomes, overruns, losses, payouts, webhooks, attempts] = await Promise.all([
    readClockLead(),
    readState(),
    countOutcomes(),
    readOverruns(),
    readLosses(),
    countPayoutsNeedingAttention(),
    readWebhooks(),
    countAttempts(),
  ]);
  return { clockLead, state, outcomes, overruns, losses, payouts, webhooks, attempts };
}

function writeReplica(registry: Registry, { isUsable, lagSeconds }: ReplicaState): void {
  new Gauge({
    name: 'svc_database_replica_used',
    help: 'Whether dashboards read from the replica: 0 while it is behind or does not respond.',
    registers: [registry],
  }).set(isUsable ? 1 : 0);
  if (lagSeconds === null) return;
  new Gauge({
    name: 'svc_database_replica_lag_seconds',
    help: 'How far the replica is behind. Missing while it does not respond.',
    registers: [registry],
  }).set(lagSeconds);
}

/** Null when the database does not respond. */
async function readInstallation(): Promise<Installation | null> {
  let timeout: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timeout = setTimeout(() => reject(new Error('the database did not respond in time')), TIMEOUT_MS);
  });
  try {
    return await Promise.race([queryInstallation(), tooLate]);
  } catch (error) {
    log().warn({ error: describeError(error) }, 'metrics of the database are missing');
    return null;
  } finally {
    clearTimeout(timeout);
  }
}

function writeInstallation(registry: Registry, read: Installation): void {
  const { clockLead, state, outcomes, overruns, losses, payouts, webhooks, attempts } = read;
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  gauge('svc_clock_lead_seconds', 'How far the clock of this instance is ahead of the database’s.').set(
    clockLead,
  );
  gauge('svc_ledger_differences', 'The most differences found by any audit in the last hour.').set(
    state.differences,
  );
  gauge('svc_ledger_audit_age_seconds', 'Time since the latest ledger audit.').set(state.auditAge);
  gauge('svc_holds_open', 'Open holds, kept ones included.').set(state.holds);
  gauge('svc_holds_overdue', 'Holds with an expired lease that are not yet settled.').set(state.overdue);
  const requests = new Gauge({
    name: 'svc_requests_last_hour',
    help: 'Requests settled in the last hour, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const { outcome, count } of outcomes) requests.set({ outcome }, count);
  const overrun = new Gauge({
    name: 'svc_overrun_credits_last_hour',
    help: 'Credits that providers billed beyond the hold in the last hour, by model. The service bears them.',
    labelNames: ['model'],
    registers: [registry],
  });
  for (const { model, overrun: credits } of overruns) overrun.set({ model }, creditsToJson(credits));
  const loss = new Gauge({
    name: 'svc_provider_loss_credits_last_hour',
    help: 'Credits that providers billed, or may have billed, in the last hour for calls without a charge, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const { reason, cost } of losses) loss.set({ reason }, creditsToJson(cost));
  const paused = new Gauge({
    name: 'svc_paused_for_review',
    help: 'Users and apps whose overruns passed their limit. Their requests are refused.',
    labelNames: ['kind'],
    registers: [registry],
  });
  paused.set({ kind: 'user' }, state.pausedUsers);
  paused.set({ kind: 'app' }, state.pausedApps);
  const waiting = new Gauge({
    name: 'svc_payouts_needing_attention',
    help: 'Payouts that wait for an operator, by what is due. Those that an operator holds are not among them.',
    labelNames: ['due'],
    registers: [registry],
  });
  for (const [due, count] of payouts) waiting.set({ due }, count);
  gauge('svc_webhooks_pending', 'Events waiting for delivery, including those of disabled apps.').set(
    webhooks.pending,
  );
  gauge('svc_webhooks_overdue_seconds', 'How long the oldest due event has been waiting.').set(
    webhooks.overdue,
  );
  const deliveries = new Gauge({
    name: 'svc_webhook_attempts_last_hour',
    help: 'Delivery attempts in the last hour by result: 2xx to 5xx, or the kind of failure.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const { outcome, count } of attempts) deliveries.set({ outcome }, count);
}

function writeBackgroundReads(registry: Registry): void {
  const { running, finished, cutOff } = countBackgroundReads();
  const help = 'Responses that this instance reads to their usage after a client disconnect.';
  new Gauge({ name: 'svc_background_reads', help, registers: [registry] }).set(running);
  const ended = new Counter({
    name: 'svc_background_reads_ended_total',
    help: 'Background reads of this instance that reached the usage (finished) or not (cut_off).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  ended.inc({ outcome: 'finished' }, finished);
  ended.inc({ outcome: 'cut_off' }, cutOff);
}

type State = {
  differences: number;
  auditAge: number;
  holds: number;
  overdue: number;
  pausedUsers: number;
  pausedApps: number;
};

/** In seconds; negative if the clock of this instance is behind. */
async function readClockLead(): Promise<number> {
  const askedAt = now();
  const { rows } = await pool().query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  invariant(rows[0], 'a query without a table returns a row');
  return ((askedAt + now()) / 2 - rows[0].ms) / SECOND_MS;
}

async function readState(): Promise<State> {
  const { rows } = await pool().query<State>(
    // Each booking is audited once: a difference appears in one audit and not in the next.
    `SELECT coalesce((SELECT max(cardinality(differences)) FROM audit_run
                      WHERE at > clock_timestamp() - $1::interval), 0) AS differences,
            coalesce((SELECT extract(epoch FROM clock_timestamp() - at) FROM audit_run ORDER BY id DESC LIMIT 1), 'NaN')::float8 AS "auditAge",
            count(*)::int AS holds,
            (count(*) FILTER (WHERE lease_until < clock_timestamp()))::int AS overdue,
            (SELECT count(*)::int FROM wallet WHERE paused_at IS NOT NULL) AS "pausedUsers",
            (SELECT count(*)::int FROM partner WHERE paused_at IS NOT NULL) AS "pausedApps"
     FROM hold`,
    [RECENT],
  );
  invariant(rows[0], 'an aggregate returns a row');
  return rows[0];
}

async function countOutcomes(): Promise<{ outcome: string; count: number }[]> {
  const { rows } = await pool().query<{ outcome: string; count: number }>(
    `SELECT outcome, count(*)::int AS count FROM usage
     WHERE created_at > statement_timestamp() - $1::interval GROUP BY 1 ORDER BY 1`,
    [RECENT],
  );
  return rows;
}

async function readOverruns(): Promise<{ model: string; overrun: bigint }[]> {
  const { rows } = await pool().query<{ model: string; overrun: bigint }>(
    `SELECT model, sum(provider_cost - charge)::bigint AS overrun FROM usage
     WHERE provider_cost > charge + 1 AND created_at > statement_timestamp() - $1::interval GROUP BY 1 ORDER BY 1`,
    [RECENT],
  );
  return rows;
}

async function readLosses(): Promise<{ reason: string; cost: bigint }[]> {
  const { rows } = await pool().query<{ reason: string; cost: bigint }>(
    `SELECT reason, sum(cost)::bigint AS cost FROM provider_loss
     WHERE at > statement_timestamp() - $1::interval GROUP BY 1 ORDER BY 1`,
    [RECENT],
  );
  return rows;
}

async function readWebhooks(): Promise<{ pending: number; overdue: number }> {
  const { rows } = await pool().query<{ pending: number; overdue: number }>(
    `SELECT count(*)::int AS pending,
            coalesce(extract(epoch FROM clock_timestamp() - min(d.due_at) FILTER
              (WHERE d.due_at < clock_timestamp() AND p.disabled_at IS NULL AND p.webhook_url IS NOT NULL)), 0)::float8 AS overdue
     FROM delivery d JOIN partner p ON p.id = d.partner_id WHERE d.status = 'pending'`,
  );
  return rows[0] ?? { pending: 0, overdue: 0 };
}

async function countAttempts(): Promise<{ outcome: string; count: number }[]> {
  const { rows } = await pool().query<{ outcome: string; count: number }>(
    `SELECT coalesce(error, status / 100 || 'xx') AS outcome, count(*)::int AS count FROM delivery_attempt
     WHERE began_at > clock_timestamp() - $1::interval GROUP BY 1 ORDER BY 1`,
    [RECENT],
  );
  return rows;
}

function isSame(given: string, wanted: string): boolean {
  return sameBytes(hmacSha256('compare', given), hmacSha256('compare', wanted));
}

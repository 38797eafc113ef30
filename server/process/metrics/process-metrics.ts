import { type Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import packageJson from '../../../package.json' with { type: 'json' };
import { SECOND_MS } from '../../base/clock';
import { countDatabaseConnections } from '../../base/db';
import { countConnections, jobSuccesses, MEASURES } from '../../base/measures';
import { runningGenerations } from '../../gateway/run/run';
import type { Readiness } from '../health/readiness';

/** The metrics of this process, which need no database. */

let standard: Registry | undefined;

/** Memory, processor time, garbage collection and the delay of the event loop. Measured from the first scrape on. */
export function standardMetrics(): Registry {
  if (standard === undefined) {
    standard = new Registry();
    collectDefaultMetrics({ register: standard });
  }
  return standard;
}

export function writeProcess(registry: Registry): void {
  // The registry only asks a metric for its values.
  for (const measure of MEASURES) registry.registerMetric(measure as unknown as Counter);
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const { open, running } = countConnections();
  gauge('svc_http_connections', 'Open connections of clients.').set(open);
  gauge('svc_http_requests_running', 'Requests whose response has not ended.').set(running);
  gauge('svc_generations_running', 'Generation requests that run in this process.').set(runningGenerations());
  const connections = gauge(
    'svc_database_connections',
    'Connections of the API thread by pool: open, idle among them, and callers that wait for one.',
    ...['pool', 'state'],
  );
  for (const { pool, ...counts } of countDatabaseConnections())
    for (const [state, count] of Object.entries(counts)) connections.set({ pool, state }, count);
  const succeeded = new Gauge({
    name: 'svc_background_job_success_timestamp_seconds',
    help: 'When a background job last succeeded.',
    labelNames: ['job'],
    registers: [registry],
    aggregator: 'max',
  });
  for (const [job, atMs] of jobSuccesses) succeeded.set({ job }, atMs / SECOND_MS);
}

/** What instances that share a port say together. */
export function writeService(registry: Registry, readiness: Readiness): void {
  const ready = new Gauge({
    name: 'svc_ready',
    help: 'The checks of /readyz: 1 if passed.',
    labelNames: ['check'],
    registers: [registry],
  });
  for (const [check, ok] of Object.entries(readiness)) ready.set({ check }, ok ? 1 : 0);
  new Gauge({
    name: 'svc_build_info',
    help: 'The running version.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: packageJson.version, node: process.version }, 1);
}

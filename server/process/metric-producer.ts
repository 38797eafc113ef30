import type { HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { DataPoint, Histogram, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import { now, SECOND_MS } from '../base/clock';
import { describeError, log, VERSION } from '../base/log';
import { readMetricValues } from './metrics/metrics';

/** The metrics of `/metrics` for OpenTelemetry, under the same names: they are counted once and read twice. */

type Sdk = typeof import('@opentelemetry/sdk-metrics');
type Value = { value: number; labels: Record<string, string | number>; metricName?: string };
type Metric = { name: string; help: string; type: unknown; values: Value[] };
type Times = { startTime: HrTime; endTime: HrTime };

export function metricProducer(sdk: Sdk, resource: Resource): MetricProducer {
  const startTime = toHrTime(now());
  return {
    async collect() {
      const errors: unknown[] = [];
      const metrics: MetricData[] = [];
      try {
        const times = { startTime, endTime: toHrTime(now()) };
        for (const metric of (await readMetricValues()) as unknown as Metric[])
          metrics.push(convert(sdk, metric, times));
      } catch (error) {
        log().warn({ error: describeError(error) }, 'metrics were not read for telemetry');
        errors.push(error);
      }
      const scope = { name: 'svc', version: VERSION };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors };
    },
  };
}

function convert(sdk: Sdk, { name, help, type, values }: Metric, times: Times): MetricData {
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: 1 },
    aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram') {
    const dataPoints = toHistograms(values, times);
    return { ...common, dataPointType: sdk.DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = values
    // Such as the age of an audit before the first one.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  return type === 'counter'
    ? { ...common, dataPointType: sdk.DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: sdk.DataPointType.GAUGE, dataPoints };
}

const unitOf = (name: string): string =>
  /_seconds(_total)?$/.test(name) ? 's' : /_bytes$/.test(name) ? 'By' : '';

/** Buckets of Prometheus include those before them, buckets of OpenTelemetry do not. */
function toHistograms(values: Value[], times: Times): DataPoint<Histogram>[] {
  const points = new Map<
    string,
    { labels: Value['labels']; upTo: number[]; bounds: number[]; sum: number }
  >();
  for (const { value, labels: given, metricName = '' } of values) {
    const { le, ...labels } = given;
    const id = JSON.stringify(labels);
    const point = points.get(id) ?? { labels, upTo: [], bounds: [], sum: 0 };
    points.set(id, point);
    if (metricName.endsWith('_sum')) point.sum = value;
    if (!metricName.endsWith('_bucket')) continue;
    point.upTo.push(value);
    if (le !== '+Inf') point.bounds.push(Number(le));
  }
  return [...points.values()].map(({ labels, upTo, bounds, sum }) => ({
    ...times,
    attributes: labels,
    value: {
      buckets: { boundaries: bounds, counts: upTo.map((count, i) => count - (upTo[i - 1] ?? 0)) },
      count: upTo.at(-1) ?? 0,
      sum,
    },
  }));
}

const toHrTime = (atMs: number): HrTime => [Math.floor(atMs / SECOND_MS), (atMs % SECOND_MS) * 1_000_000];

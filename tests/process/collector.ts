import { afterAll } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';

/** A real OTLP/HTTP collector in JSON, which keeps what it received. */

type AnyValue = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type KeyValue = { key: string; value: AnyValue };

export type ReceivedSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  durationMs: number;
  endNs: bigint;
  failed: boolean;
  attributes: Record<string, unknown>;
};

type Point = { attributes: KeyValue[]; asDouble?: number; asInt?: number; [field: string]: unknown };
export type ReceivedMetric = { name: string; sum?: Points; gauge?: Points; histogram?: Points };
type Points = { dataPoints: Point[]; isMonotonic?: boolean; aggregationTemporality?: number };

export type Collector = {
  url: string;
  spans: ReceivedSpan[];
  metrics: ReceivedMetric[];
  /** Attributes of the service, as sent last. */
  resource: Record<string, unknown>;
  /** All bodies, as received. */
  text: string;
};

export async function startCollector(): Promise<Collector> {
  const received: Collector = { url: '', spans: [], metrics: [], resource: {}, text: '' };
  const server = await listenOnLoopback(async (request, response) => {
    const text = await readBody(request);
    received.text += text;
    const body = JSON.parse(text);
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      received.resource = toRecord(resource.attributes);
      for (const { spans } of scopeSpans) received.spans.push(...spans.map(readSpan));
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const { metrics } of scopeMetrics) received.metrics.push(...metrics);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  afterAll(() => server.close());
  received.url = server.url;
  return received;
}

export const toRecord = (attributes: KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

// biome-ignore lint/suspicious/noExplicitAny: the JSON of the protocol
function readSpan(span: any): ReceivedSpan {
  const { name, kind, traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano, status } = span;
  const endNs = BigInt(endTimeUnixNano);
  return {
    name,
    kind,
    traceId,
    spanId,
    parentSpanId,
    endNs,
    durationMs: Number(endNs - BigInt(startTimeUnixNano)) / 1e6,
    failed: status?.code === 2,
    attributes: toRecord(span.attributes),
  };
}

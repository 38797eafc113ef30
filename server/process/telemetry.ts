import type { Context } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { now } from '../base/clock';
import { type Settings, settings } from '../base/env';
import { describeError, INSTANCE, log, VERSION } from '../base/log';
import { type Attributes, provideTracing, type Span } from '../base/tracing';
import type { Lifetime } from './lifetime';
import { metricProducer } from './metric-producer';

/**
 * Traces and metrics for an OpenTelemetry collector, if the operator named one. The packages are imported here and
 * at run time only: a static import would load them in every process, because the server is one bundle.
 */

/** A collector that does not respond must not delay the end of the process. */
const FLUSH_MS = 3_000;

type Stop = () => Promise<void>;

export async function startTelemetry(life: Lifetime): Promise<void> {
  const { traces, metrics } = findSignals(settings());
  if (!traces && !metrics) return;
  const { setGlobalErrorHandler } = await import('@opentelemetry/core');
  setGlobalErrorHandler((error) => log().warn({ error: describeError(error) }, 'telemetry not exported'));
  const resource = await describeService();
  const stops = [
    ...(traces ? [await startTraces(resource)] : []),
    ...(metrics ? [await startMetrics(resource)] : []),
  ];
  life.onStop('telemetry', async () => {
    provideTracing(undefined);
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([Promise.all(stops.map((stop) => stop())), timeout]);
  });
}

/** What the standard variables ask for: each signal needs an endpoint. */
function findSignals(given: Settings): { traces: boolean; metrics: boolean } {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: both, OTEL_SDK_DISABLED } = given;
  const isOn = (own: string | undefined, exporter: string) =>
    !OTEL_SDK_DISABLED && exporter !== 'none' && (own ?? both) !== undefined;
  return {
    traces: isOn(given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, given.OTEL_TRACES_EXPORTER),
    metrics: isOn(given.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, given.OTEL_METRICS_EXPORTER),
  };
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come last. */
async function describeService(): Promise<Resource> {
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  const own = resourceFromAttributes({
    'service.name': 'svc',
    'service.version': VERSION,
    'service.instance.id': INSTANCE,
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

async function startTraces(resource: Resource): Promise<Stop> {
  const [api, { W3CTraceContextPropagator }, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  // The sampler and the limits are those of the standard variables.
  const provider = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('svc', VERSION);
  const propagator = new W3CTraceContextPropagator();
  const toProviders = settings().TRACE_CONTEXT_TO_PROVIDERS;

  const begin = (name: string, kind: number, parent: Context, attributes: Attributes = {}): Span => {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    const context = trace.setSpan(parent, span);
    return {
      traceId: span.spanContext().traceId,
      beganAt: now(),
      set: (more) => void span.setAttributes(more),
      fail: (type) => {
        span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
      },
      end: () => span.end(),
      begin: (child, childKind, more) =>
        begin(child, childKind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, context, more),
      headersForProvider: () => {
        const headers: Record<string, string> = {};
        if (toProviders) propagator.inject(context, headers, defaultTextMapSetter);
        return headers;
      },
    };
  };
  provideTracing((name, headers, attributes) => {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    return begin(name, SpanKind.SERVER, parent, attributes);
  });
  return () => provider.shutdown();
}

async function startMetrics(resource: Resource): Promise<Stop> {
  const [sdk, { OTLPMetricExporter }] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
  ]);
  const reader = new sdk.PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    ...intervals(settings().OTEL_METRIC_EXPORT_INTERVAL),
    metricProducers: [metricProducer(sdk, resource)],
  });
  const provider = new sdk.MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

/** The SDK refuses a timeout longer than the interval. */
const intervals = (intervalMs: number) => ({
  exportIntervalMillis: intervalMs,
  exportTimeoutMillis: Math.min(intervalMs, 30_000),
});

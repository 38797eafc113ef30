import { beforeAll, expect, test, vi } from 'vitest';
import { Lifetime } from '@/server/process/lifetime';
import { startTelemetry } from '@/server/process/telemetry';
import { newDatabase } from '../harness';
import { startApi } from '../harness/api-server';
import { configureProviders, modelOf } from '../harness/custom-providers';
import { newPerson, type Person } from '../harness/people';
import { completion, completionStream } from '../harness/scripted-responses';
import { startScriptedUpstream } from '../harness/scripted-upstream';
import { type ReceivedSpan, startCollector, toRecord } from './collector';

/** What a collector receives of paid requests. Only the stop of the service sends it. */

const PROMPT = 'A prompt that no span contains';
const CLIENT_TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';

process.env.LOG_LEVEL = 'info';
const collector = await startCollector();
process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
process.env.OTEL_BSP_SCHEDULE_DELAY = '600000';
process.env.OTEL_METRIC_EXPORT_INTERVAL = '600000';
process.env.OTEL_RESOURCE_ATTRIBUTES = 'deployment.environment.name=test';
process.env.TRACE_CONTEXT_TO_PROVIDERS = 'true';
await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'whole', format: 'openai' },
  { provider: 'streamed', format: 'openai' },
  { provider: 'fails', format: 'openai' },
  { provider: 'breaks', format: 'openai' },
]);
const api = await startApi();
const FAILED = { status: 500, body: { error: { message: 'failed' } } };

let person: Person;
const ids: Record<string, string> = {};
let logged = '';

async function send(name: string, { provider = name, headers = {}, ...body }: Record<string, unknown> = {}) {
  const response = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, ...(headers as object) },
    body: JSON.stringify({
      model: modelOf(String(provider)),
      max_tokens: 50,
      messages: [{ role: 'user', content: PROMPT }],
      ...body,
    }),
  });
  ids[name] = response.headers.get('x-request-id') ?? '';
  await response.text();
}

beforeAll(async () => {
  person = await newPerson({ credits: 100 });
  const life = new Lifetime();
  await startTelemetry(life);
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    logged += text;
    return true;
  });
  upstream.script('whole', FAILED, completion({ content: 'Hello' }));
  await send('whole', { headers: { traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01` } });
  upstream.script('streamed', completionStream([{ content: 'Hel' }, { content: 'lo' }]));
  await send('streamed', { stream: true });
  const { events = [] } = completionStream([{ content: 'Hel' }]);
  upstream.script('breaks', { events: events.slice(0, 2), breaksOff: true });
  await send('breaks', { stream: true });
  upstream.script('fails', FAILED);
  await send('fails');
  await send('invalid', { provider: 'whole', max_tokens: 'many' });
  output.mockRestore();
  expect(collector.text).toBe('');
  expect(await life.close()).toBe(true);
});

const spansOf = (name: string): ReceivedSpan[] => {
  const root = collector.spans.find(({ attributes }) => attributes['svc.request.id'] === ids[name]);
  return collector.spans.filter(({ traceId }) => traceId === root?.traceId);
};
const rootOf = (name: string) => spansOf(name).find(({ kind }) => kind === 2);

test('a paid request has a span, with those of admission, each call to a provider and settlement in it', () => {
  const root = rootOf('whole');
  expect(root).toMatchObject({
    name: 'POST /v1/chat/completions',
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gen_ai.request.model': modelOf('whole'),
      'gen_ai.provider.name': 'whole',
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.output_tokens': 10,
      'svc.outcome': 'completed',
    },
  });
  const parts = spansOf('whole').filter(({ kind }) => kind !== 2);
  expect(parts.map(({ name }) => name)).toEqual(['admission', 'chat whole', 'chat whole', 'settlement']);
  for (const part of parts) {
    expect(part.parentSpanId).toBe(root?.spanId);
    // The SDK lets spans begin at whole milliseconds, and measures from there.
    expect(part.endNs - (root?.endNs ?? 0n)).toBeLessThan(1_000_000n);
  }
});

test('each attempt of a retried request has its own span', () => {
  const [failed, succeeded] = spansOf('whole').filter(({ kind }) => kind === 3);
  expect(failed).toMatchObject({
    failed: true,
    attributes: { 'http.response.status_code': 500, 'error.type': 'unavailable' },
  });
  expect(succeeded).toMatchObject({
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'whole',
      'gen_ai.request.model': 'whole',
      'gen_ai.request.stream': false,
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
    },
  });
});

test('the trace of the client continues, and that of svc at the provider', () => {
  expect(rootOf('whole')).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: CLIENT_SPAN });
  const calls = spansOf('whole').filter(({ kind }) => kind === 3);
  expect(upstream.seen('whole').map(({ headers }) => headers.traceparent)).toEqual(
    calls.map(({ spanId }) => `00-${CLIENT_TRACE}-${spanId}-01`),
  );
  expect(rootOf('streamed')?.parentSpanId).toBeUndefined();
});

test('the call of a stream ends after its first chunk, and its request after settlement', () => {
  const [call] = spansOf('streamed').filter(({ kind }) => kind === 3);
  const first = Number(call?.attributes['gen_ai.response.time_to_first_chunk']);
  expect(call?.attributes).toMatchObject({ 'gen_ai.request.stream': true });
  expect(first * 1000).toBeLessThanOrEqual((call?.durationMs ?? 0) + 1);
  expect(spansOf('streamed').map(({ name }) => name)).toEqual([
    'admission',
    'chat streamed',
    'settlement',
    'POST /v1/chat/completions',
  ]);
});

test.each([
  ['fails', 502, 'upstream_error', true],
  ['invalid', 400, 'invalid_request', false],
])('the span of the request "%s" has its status and its error', (name, status, code, failed) => {
  expect(rootOf(name)).toMatchObject({
    failed,
    attributes: { 'http.response.status_code': status, 'error.type': code },
  });
});

test('the call of a stream that breaks off fails, and its output is settled', () => {
  const [call] = spansOf('breaks').filter(({ kind }) => kind === 3);
  expect(call).toMatchObject({ failed: true, attributes: { 'http.response.status_code': 200 } });
  expect(rootOf('breaks')?.attributes).toMatchObject({ 'svc.outcome': 'failed' });
});

test('the log names the trace of a request', () => {
  const lines = logged.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const failure = lines.find(({ msg }) => msg === 'provider failed');
  expect(failure).toMatchObject({ request_id: ids.whole, trace_id: CLIENT_TRACE });
});

test('metrics have the names and values of /metrics', () => {
  const point = (name: string, labels: object) => {
    const metric = collector.metrics.find((given) => given.name === name);
    const { dataPoints = [], ...kind } = metric?.sum ?? metric?.gauge ?? metric?.histogram ?? {};
    const wanted = JSON.stringify(labels);
    return { kind, ...dataPoints.find(({ attributes }) => JSON.stringify(toRecord(attributes)) === wanted) };
  };
  expect(point('svc_provider_attempts_total', { provider: 'whole', outcome: 'ok' })).toMatchObject({
    kind: { isMonotonic: true, aggregationTemporality: 2 },
    asDouble: 1,
  });
  const calls = point('svc_provider_response_seconds', { provider: 'whole' }) as Record<string, unknown>;
  expect(calls).toMatchObject({ count: 2 });
  const counts = calls.bucketCounts as number[];
  expect(counts.reduce((all, count) => all + count, 0)).toBe(2);
  expect(counts).toHaveLength((calls.explicitBounds as number[]).length + 1);
  expect(point('svc_database_up', {})).toMatchObject({ asDouble: 1 });
});

test('the service is named, and the operator can add to it', () => {
  expect(collector.resource).toMatchObject({
    'service.name': 'svc',
    'service.version': expect.stringMatching(/^\d/),
    'deployment.environment.name': 'test',
  });
});

test('nothing that is sent contains a key, a user or a prompt', () => {
  for (const secret of [PROMPT, person.userKey, person.userId, person.keyId, 'usr_', '@example.com'])
    expect(collector.text).not.toContain(secret);
});

import { type Counter, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { httpDurations, httpRequests, ledgerBatches, MEASURES } from './measures';

async function write(): Promise<string[]> {
  const registry = new Registry();
  for (const measure of MEASURES) registry.registerMetric(measure as unknown as Counter);
  return (await registry.metrics()).split('\n');
}

test('requests are counted by route and status', async () => {
  httpRequests.add('/v1/models', 200);
  httpRequests.add('/v1/models', 200);
  httpRequests.add('/v1/models', 404);
  httpRequests.add('other', 404);
  expect((await write()).filter((line) => /^svc_http_requests_total/.test(line))).toEqual([
    'svc_http_requests_total{route="/v1/models",status="200"} 2',
    'svc_http_requests_total{route="/v1/models",status="404"} 1',
    'svc_http_requests_total{route="other",status="404"} 1',
  ]);
});

test('a duration counts in the first bucket that holds it and in all larger ones', async () => {
  for (const durationMs of [5, 6, 400, 999_000]) httpDurations.add('/livez', durationMs);
  const lines = (await write()).filter((line) => /^svc_http_request_duration/.test(line));
  const valueOfLine = (name: string) =>
    lines.find((line) => line.startsWith(`svc_http_request_duration_seconds_${name}`))?.split(' ')[1];
  expect(lines).toHaveLength(20);
  expect(
    ['0.0025', '0.005', '0.01', '0.25', '0.5', '300', '+Inf'].map((le) =>
      valueOfLine(`bucket{route="/livez",le="${le}"}`),
    ),
  ).toEqual(['0', '1', '2', '2', '3', '3', '4']);
  expect(Number(valueOfLine('sum'))).toBeCloseTo(999.411);
  expect(valueOfLine('count')).toBe('4');
});

test('a measure without a label is written without one', async () => {
  ledgerBatches.add('', 3);
  expect(await write()).toEqual(
    expect.arrayContaining([
      '# TYPE svc_ledger_batch_seconds histogram',
      'svc_ledger_batch_seconds_bucket{le="0.0025"} 0',
      'svc_ledger_batch_seconds_bucket{le="0.005"} 1',
      'svc_ledger_batch_seconds_count 1',
    ]),
  );
});

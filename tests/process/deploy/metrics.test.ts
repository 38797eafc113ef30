import { readdirSync, readFileSync } from 'node:fs';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { expect, test } from 'vitest';

test('every metric that the alerts and the dashboard query exists', () => {
  const sources = readdirSync('server', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`server/${file}`, 'utf8'));
  const standard = new Registry();
  collectDefaultMetrics({ register: standard });
  const known = new Set([
    ...sources.flatMap((text) => text.match(/(?<=')svc_[a-z_]+(?=')/g) ?? []),
    ...standard.getMetricsAsArray().map(({ name }) => name),
  ]);
  const files = ['deploy/prometheus/alerts.yml', 'deploy/grafana/dashboards/svc.json'];
  const queried = files.flatMap(
    (file) => readFileSync(file, 'utf8').match(/\b(svc|process|nodejs)_[a-z0-9_]+/g) ?? [],
  );
  expect(queried.length).toBeGreaterThan(20);
  expect(queried.filter((name) => !known.has(name.replace(/_bucket$/, '')))).toEqual([]);
});

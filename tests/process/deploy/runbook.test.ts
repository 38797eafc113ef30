import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const alerts = readFileSync('deploy/prometheus/alerts.yml', 'utf8');
const guide = readFileSync('deploy/prometheus/runbooks.md', 'utf8');

test('each alert names its runbook, and each runbook belongs to an alert', () => {
  const rules = alerts.split('- alert: ').slice(1);
  const named = rules.map((rule) => ({
    alert: rule.split('\n', 1)[0] ?? '',
    runbook: /^ +runbook: (\S+)$/m.exec(rule)?.[1],
  }));
  for (const { alert, runbook } of named)
    expect(runbook).toBe(`deploy/prometheus/runbooks.md#${alert.toLowerCase()}`);
  const runbooks = guide.split('\n## ').slice(1);
  expect(runbooks.map((text) => text.split('\n', 1)[0])).toEqual(named.map(({ alert }) => alert));
  for (const text of runbooks) expect(text.length).toBeGreaterThan(150);
});

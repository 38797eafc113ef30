import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildPages, bundleServer } from '../../scripts/steps.mjs';
import { type SimulationOptions, type SimulationReport, simulate } from './simulation';
import { total } from './tally';

beforeAll(async () => {
  await buildPages();
  await bundleServer();
}, 300_000);

/** Stops everything before the next test, also after a test that timed out. */
function run(options: SimulationOptions): Promise<SimulationReport> {
  const running = simulate(options);
  onTestFinished(async () => void (await Promise.allSettled([running])));
  return running;
}

test('two instances and their database are killed and restarted under load: nothing is lost, charged twice or below zero', {
  timeout: 180_000,
}, async ({ signal }) => {
  const { tally } = await run({ seed: 4, seconds: 12, signal });
  expect(tally.violations).toEqual([]);
  expect(tally.faults.get('kill -9 of an instance')).toBeGreaterThan(0);
  for (const fault of ['PostgreSQL restarted', 'PostgreSQL stalls', 'kill -9 of PostgreSQL'])
    expect(tally.faults.get(fault), fault).toBeGreaterThan(0);
  expect(tally.refundedMinor.size).toBeGreaterThan(0);
  expect(tally.operations.get('dispute')).toBeGreaterThan(0);
  expect(total(tally.operations)).toBeGreaterThan(100);
  expect(tally.charged.size).toBeGreaterThan(10);
});

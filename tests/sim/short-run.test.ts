import { beforeAll, expect, test } from 'vitest';
import { buildPages, bundleServer } from '../../scripts/steps.mjs';
import { simulate } from './simulation';
import { total } from './tally';

beforeAll(async () => {
  await buildPages();
  await bundleServer();
}, 300_000);

test('two instances and their database are killed and restarted under load: nothing is lost, charged twice or below zero', async () => {
  const { tally } = await simulate({ seed: 4, seconds: 12 });
  expect(tally.violations).toEqual([]);
  expect(tally.faults.get('kill -9 of an instance')).toBeGreaterThan(0);
  for (const fault of ['PostgreSQL restarted', 'PostgreSQL stalls', 'kill -9 of PostgreSQL'])
    expect(tally.faults.get(fault), fault).toBeGreaterThan(0);
  expect(tally.refundedMinor.size).toBeGreaterThan(0);
  expect(total(tally.operations)).toBeGreaterThan(100);
  expect(tally.charged.size).toBeGreaterThan(10);
}, 120_000);

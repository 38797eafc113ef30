import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FAULTS } from './list.mjs';
import { OVERLOADS } from './open-streams.mjs';

test('every fault that the script produces has a figure in the guide, which names no other', () => {
  const guide = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');
  const faults = [...Object.keys(FAULTS), ...Object.keys(OVERLOADS)].filter((name) => name !== 'none');
  const figures = [...guide.matchAll(/`([a-z0-9-]+)`: /g)].map(([, name]) => name);
  assert.deepEqual(figures.sort(), faults.sort());
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAULTS } from '../../../bench/faults/list.mjs';
import { OVERLOADS } from '../../../bench/faults/open-streams.mjs';
import { findMissingTests, readNamedTests } from './named-tests';

const text = readFileSync('docs/reliability.md', 'utf8');
const rows = text.split('\n').filter((line) => /^\| \d+ \|/.test(line));

test('the table numbers its faults in order, and each has a promise and a test', () => {
  expect(rows.map((row) => Number(row.split(' | ')[0]?.slice(2)))).toEqual(
    Array.from({ length: 19 }, (_, n) => n + 1),
  );
  expect(rows.filter((row) => readNamedTests([row]).length === 0)).toEqual([]);
});

test('every test in the table exists under that name', () => {
  expect(findMissingTests(readNamedTests(rows))).toEqual([]);
});

test('every fault that the script produces has a figure, and the page names no other', () => {
  const faults = [...Object.keys(FAULTS), ...Object.keys(OVERLOADS)].filter((name) => name !== 'none');
  const figures = [...text.matchAll(/`([a-z0-9-]+)`: /g)].map(([, name]) => name);
  expect(figures.sort()).toEqual(faults.sort());
});

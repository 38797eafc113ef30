import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findMissingTests, readNamedTests } from './named-tests';

const rows = readFileSync('docs/reliability.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line));

test('the table numbers its faults in order, and each has a promise and a test', () => {
  expect(rows.map((row) => Number(row.split(' | ')[0]?.slice(2)))).toEqual(
    Array.from({ length: 19 }, (_, n) => n + 1),
  );
  expect(rows.filter((row) => readNamedTests([row]).length === 0)).toEqual([]);
});

test('every test in the table exists under that name', () => {
  expect(findMissingTests(readNamedTests(rows))).toEqual([]);
});

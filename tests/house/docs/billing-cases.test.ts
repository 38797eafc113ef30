import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findMissingTests, readNamedTests } from './named-tests';

const rows = readFileSync('docs/billing-cases.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line));

test('the table numbers its cases in order, and each has a test', () => {
  const numbers = rows.map((row) => Number(row.split('|')[1]));
  expect(numbers).toEqual(rows.map((_, n) => n + 1));
  expect(readFileSync('docs/billing-cases.md', 'utf8')).toContain(`# ${rows.length} billing failures`);
  expect(rows.filter((row) => !row.includes('.test.ts`: “'))).toEqual([]);
});

test('every test in the table exists under that name', () => {
  expect(findMissingTests(readNamedTests(rows))).toEqual([]);
});

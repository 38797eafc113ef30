import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findMissingTests, readNamedTests } from './named-tests';

const [, tables = ''] = readFileSync('docs/security.md', 'utf8').split('## Attacks and their outcomes');
const rows = tables.split('\n').filter((line) => /^\| (?!Attack |---)/.test(line));

test('each attack in the tables has a test', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((row) => readNamedTests([row]).length === 0)).toEqual([]);
});

test('every test in the tables exists under that name', () => {
  expect(findMissingTests(readNamedTests(rows))).toEqual([]);
});

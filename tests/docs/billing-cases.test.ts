import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('docs/billing-cases.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line));
const named = rows.flatMap((row) =>
  [...row.matchAll(/`([\w./-]+\.test\.ts)`: “(.+?)”/g)].map(([, file = '', title = '']) => ({ file, title })),
);

test('the table numbers its cases in order, and each has a test', () => {
  const numbers = rows.map((row) => Number(row.split('|')[1]));
  expect(numbers).toEqual(rows.map((_, n) => n + 1));
  expect(readFileSync('docs/billing-cases.md', 'utf8')).toContain(`# ${rows.length} billing failures`);
  expect(rows.filter((row) => !row.includes('.test.ts`: “'))).toEqual([]);
});

test('every test in the table exists under that name', () => {
  const missing = named.filter(({ file, title }) => !existsSync(file) || !hasTitle(file, title));
  expect(missing).toEqual([]);
});

/** The title must be a complete string, so that part of a title does not match. */
function hasTitle(file: string, title: string): boolean {
  const source = readFileSync(file, 'utf8');
  return [`'${title}'`, `"${title}"`].some((quoted) => source.includes(quoted));
}

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('docs/billing-cases.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line));
const named = rows.flatMap((row) =>
  [...row.matchAll(/`([\w./-]+\.test\.ts)`: “(.+?)”/g)].map(([, file = '', title = '']) => ({ file, title })),
);

test('all 29 cases have an answer, in order, and a test', () => {
  expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(Array.from({ length: 29 }, (_, n) => n + 1));
  expect(rows.filter((row) => !row.includes('.test.ts`: “'))).toEqual([]);
});

test('every test that the table names exists under this name', () => {
  const missing = named.filter(({ file, title }) => !existsSync(file) || !hasTitle(file, title));
  expect(missing).toEqual([]);
});

/** As the whole text of a string, so that half a name does not count. */
function hasTitle(file: string, title: string): boolean {
  const source = readFileSync(file, 'utf8');
  return [`'${title}'`, `"${title}"`].some((quoted) => source.includes(quoted));
}

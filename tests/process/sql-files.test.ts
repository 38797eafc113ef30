import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRelease } from '@/server/process/sql-files';

const { files } = readRelease();

test('every SQL file is applied', () => {
  const found = readdirSync('server', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql') && name !== 'process/service-role.sql')
    .map((name) => `server/${name}`);
  expect(files.map(({ name }) => name).sort()).toEqual(found.sort());
});

test('a SQL file begins with a comment that states its promise, and so does each of its functions and views', () => {
  for (const { name, text } of files) {
    const lines = text.split('\n');
    expect(lines[0], name).toMatch(/^-- /);
    lines.forEach((line, n) => {
      if (/^CREATE OR REPLACE (FUNCTION|VIEW)/.test(line))
        expect(lines[n - 1], `${name}: ${line}`).toMatch(/^-- /);
    });
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** House rules that the linter cannot state. */

const sources = ['app', 'server', 'widget'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file}`),
);

function filesWith(pattern: RegExp, allowed: RegExp): string[] {
  return sources.filter((file) => !allowed.test(file) && pattern.test(readFileSync(file, 'utf8')));
}

test('the server reads the time in server/clock.ts only', () => {
  const inBrowser = /^(widget|app)\//;
  expect(
    filesWith(/\bDate\.now\(|\bnew Date\(\)/, new RegExp(`^server/clock\\.ts$|${inBrowser.source}`)),
  ).toEqual([]);
});

test('nothing is left to do in a comment', () => {
  expect(filesWith(/\b(TODO|FIXME|XXX)\b/, /^$/)).toEqual([]);
});

test('files are named by what they do', () => {
  const vague = /(^|\/)(utils?|helpers?|common|manager|service|misc)(\.|\/|s\.)/;
  expect(sources.filter((file) => vague.test(file))).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longFunctions } from './own-lines';

/** House rules that the linter cannot check. */

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

test('no comment leaves work for later', () => {
  expect(filesWith(/\b(TODO|FIXME|XXX)\b/, /^$/)).toEqual([]);
});

test('files are named after what they do', () => {
  const vague = /(^|\/)(utils?|helpers?|common|manager|service|misc)(\.|\/|s\.)/;
  expect(sources.filter((file) => vague.test(file))).toEqual([]);
});

const MAX_OWN_LINES = 70;
/** Longer functions, with their lines. The list may only shrink: shorten a function, lower its number. */
const LONG_FUNCTIONS: Record<string, number> = {};

test('no function has more than 70 lines of its own', () => {
  const found = sources.map((file) => longFunctions(file, MAX_OWN_LINES));
  expect(Object.assign({}, ...found)).toEqual(LONG_FUNCTIONS);
}, 60_000);

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Server actions can be called by anybody. Each one is made by a function that checks origin,
 * session and input (app/_session/action.ts), or by one that is built on those.
 */

const sources = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(`app/${file}`, 'utf8') }));
const actionFiles = sources.filter(({ text }) => /^['"]use server['"]/.test(text));

const GUARDS = ['sessionAction', 'recentAction', 'operatorAction'];
/** What may be asked without being signed in. */
const OPEN = ['(sign-in)/sign-in/actions.ts', '_session/sign-out.ts'];

/** Guards of an area, such as `ownerAction`: exported functions that return one of ours. */
const areaGuards = sources.flatMap(({ text }) =>
  [...text.matchAll(/export function (\w+Action)\b[\s\S]*?\n\) ?(?::[^{]*)?\{\n([\s\S]*?)\n\}/g)]
    .filter(([, , body = '']) =>
      GUARDS.some((guard) => new RegExp(`^ {2}return ${guard}\\(`, 'm').test(body)),
    )
    .map(([, name = '']) => name),
);

test('every server action is made by a guard', () => {
  expect(actionFiles.length).toBeGreaterThan(5);
  const unguarded = actionFiles.flatMap(({ file, text }) => {
    const guards = [...GUARDS, ...areaGuards, ...(OPEN.includes(file) ? ['openAction'] : [])];
    const exported = text.split('\n').filter((line) => /^export (?!type\b)/.test(line));
    const isGuarded = (line: string) =>
      guards.some((guard) => new RegExp(`^export const \\w+ = ${guard}\\(`).test(line));
    return exported.filter((line) => !isGuarded(line)).map((line) => `${file}: ${line}`);
  });
  expect(unguarded).toEqual([]);
});

test('no action hides inside a component', () => {
  const hidden = sources.filter(({ text }) => /^\s+['"]use server['"]/m.test(text)).map(({ file }) => file);
  expect(hidden).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countAction } from '@/server/base/rate-limit/actions';

/**
 * Anyone can call a server action. A function that checks origin, session and input creates each one
 * (app/_session/action.ts, or a function built on it).
 */

const sources = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(`app/${file}`, 'utf8') }));
const actionFiles = sources.filter(({ text }) => /^['"]use server['"]/.test(text));

const GUARDS = ['sessionAction', 'operatorAction'];
/** Actions that do not require a signed-in user. */
const OPEN = [
  '(sign-in)/revoke-key/actions.ts',
  '(sign-in)/sign-in/actions.ts',
  '(sign-in)/stop/actions.ts',
  '(sign-in)/undo-email/actions.ts',
  '(sign-in)/unsubscribe/actions.ts',
  '_session/passkey-actions.ts',
  '_session/sign-out.ts',
];

/** Guards of an area, such as `ownerAction`: exported functions that return one of ours. */
const areaGuards = sources.flatMap(({ text }) =>
  [...text.matchAll(/export function (\w+Action)\b[\s\S]*?\n\) ?(?::[^{]*)?\{\n([\s\S]*?)\n\}/g)]
    .filter(([, , body = '']) =>
      GUARDS.some((guard) => new RegExp(`^ {2}return ${guard}\\(`, 'm').test(body)),
    )
    .map(([, name = '']) => name),
);

test('a guard creates every server action @attack', () => {
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

test('no component contains an action', () => {
  const hidden = sources.filter(({ text }) => /^\s+['"]use server['"]/m.test(text)).map(({ file }) => file);
  expect(hidden).toEqual([]);
});

test('each page and file for operators asks for one who has used their passkey', () => {
  const pages = sources.filter(({ file }) => /^\(operator\)\/.*\/(page\.tsx|route\.ts)$/.test(file));
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter(({ text }) => !/await requireOperator\(\)/.test(text)).map(({ file }) => file)).toEqual(
    [],
  );
});

test('an action of a signed-in user counts before it does anything, and the 121st in a minute is refused', async () => {
  const guard = sources.find(({ file }) => file === '_session/action.ts')?.text ?? '';
  expect(guard).toMatch(
    /export function sessionAction[\s\S]*?await countAction\(session\.userId\);[\s\S]*?return work\(/,
  );
  for (let n = 0; n < 120; n++) await countAction('usr_busy');
  await expect(countAction('usr_busy')).rejects.toMatchObject({ code: 'rate_limited' });
  await countAction('usr_other');
});

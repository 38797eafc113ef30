import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longFunctions } from './own-lines';

/** House rules that the linter cannot check. */

const sources = ['app', 'server', 'sandbox', 'widget', 'texts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|^(loader|create)\/dist\//.test(file))
    .map((file) => `${folder}/${file}`),
);

function filesWith(pattern: RegExp, allowed: RegExp): string[] {
  return sources.filter((file) => !allowed.test(file) && pattern.test(readFileSync(file, 'utf8')));
}

test('the server reads the time in server/base/clock.ts only', () => {
  const inBrowser = /^(widget|app)\//;
  expect(
    filesWith(/\bDate\.now\(|\bnew Date\(\)/, new RegExp(`^server/base/clock\\.ts$|${inBrowser.source}`)),
  ).toEqual([]);
});

/** With one, Prisma reads before it writes, and one of two calls at once fails. */
test('no upsert has an empty update', () => {
  expect(filesWith(/update: \{\}/, /^$/)).toEqual([]);
});

test('no comment leaves work for later', () => {
  expect(filesWith(/\b(TODO|FIXME|XXX)\b/, /^$/)).toEqual([]);
});

test('files are named after what they do', () => {
  const vague = /(^|\/)(utils?|helpers?|common|manager|service|misc)(\.|\/|s\.)/;
  expect(sources.filter((file) => vague.test(file))).toEqual([]);
});

/** Literal translations, each with what to write instead. AGENTS.md gives examples. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bstands? (here|there|first|last|at|by|under|in (?!for\b))/i, 'appears, is in'],
  [
    /\b(is|are|was|were|be|been|being|not|gets?) told\b|\btold (the|us|you|to|in|of|by)\b/i,
    'is notified, receives',
  ],
  [/\btells? (whether|what|how|who|which)\b/i, 'reports, returns'],
  [/\bwho(m|se)?ever\b/i, 'anyone who, the user'],
  [/\bbeside\b/i, 'next to, with, in addition to'],
  [/\banew\b/i, 'again, new'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bjust now\b|\b(at|for) the moment\b(?! (of|when|that|it)\b)/i, 'now, currently'],
  [/\b(is|are) (t?here) already\b|\b(is|are) not there\b/i, 'already exists, does not exist'],
  [/\b(put|set)(s|ting)? aside\b/i, 'dismiss (an alert), hold (credits)'],
  [/\bleft alone\b/i, 'in cooldown, paused'],
  [/\bmade-up\b/i, 'generated, fictional'],
  [/\bone.s own\b|\bof your own\b(?! \w)/i, 'a custom, your own'],
  [/\bwhat (became|becomes) of\b/i, 'the outcome of'],
  [/\bplays? (in a|the part)\b/i, 'runs in, acts as'],
  [/\bleads? to nobody\b|\bhea(rs?|rd) of\b/i, 'is anonymous; is notified of'],
  [/\bfor ever\b/i, 'forever, indefinitely'],
  [/\b(too many|wrong|second|last) tr(y|ies)\b/i, 'attempts'],
  [/\bdays are days\b/i, 'dates are in UTC'],
];

const prose = [
  'README.md',
  'AGENTS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  '.env.example',
  'lab/README.md',
  'lab/bench/README.md',
  'widget/loader/README.md',
  ...readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
/** Without comments and inline code, and without line breaks, so that a phrase is found across lines. */
function readText(file: string): string {
  const text = readFileSync(file, 'utf8');
  const shown = file.endsWith('.md')
    ? text.replaceAll(/`[^`\n]+`/g, '')
    : text.replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, '');
  return shown.replaceAll(/\n\s*#?\s*/g, ' ');
}

const texts = [...sources, ...prose].map((file) => ({ file, text: readText(file) }));

test.each(BANNED.map(([pattern, better]) => [pattern.source, better, pattern] as const))(
  'no text contains %s (better: %s)',
  (_, __, pattern) => {
    const found = texts.flatMap(({ file, text }) =>
      [...text.matchAll(new RegExp(pattern, 'gi'))].map(
        ({ 0: phrase, index }) =>
          `${file}: ${text.slice(Math.max(0, index - 40), index + phrase.length + 20)}`,
      ),
    );
    expect(found).toEqual([]);
  },
);

test('the examples in AGENTS.md are rejected', () => {
  const style = readFileSync('AGENTS.md', 'utf8').split('| Instead of |')[1] ?? '';
  const phrases = [...style.matchAll(/`([^`]+)`/g)].map(([, phrase = '']) => phrase);
  expect(phrases.length).toBeGreaterThan(15);
  expect(phrases.filter((phrase) => !BANNED.some(([pattern]) => pattern.test(phrase)))).toEqual([]);
});

const MAX_OWN_LINES = 70;
/** Longer functions, with their lines. The list may only shrink: shorten a function, lower its number. */
const LONG_FUNCTIONS: Record<string, number> = {};

test('no function has more than 70 lines of its own', () => {
  const long = sources.filter((file) => readFileSync(file, 'utf8').split('\n').length > MAX_OWN_LINES);
  const found = long.map((file) => longFunctions(file, MAX_OWN_LINES));
  expect(Object.assign({}, ...found)).toEqual(LONG_FUNCTIONS);
}, 60_000);

/**
 * Packages that were locked without a checksum, because the mirror next to which they were locked does
 * not have other platforms' builds. The list may only shrink: `npm --prefix lab run lock-integrity` empties it
 * where the whole registry can be reached.
 */
const UNVERIFIED: Record<string, number> = {
  '@biomejs 2.6.8': 8,
  '@next 16.4.6': 4,
  '@oxc-parser 0.156.0': 15,
  '@tailwindcss 4.3.5': 8,
};

test('every locked package has a checksum, and comes from the registry that npm is set to @attack', () => {
  type Locked = { version: string; integrity?: string; resolved?: string; link?: boolean };
  const places = ['package-lock.json', 'lab/package-lock.json']
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> })
    .flatMap(({ packages }) => Object.entries(packages).filter(([place]) => place !== ''));
  expect(places.filter(([, { resolved, link }]) => resolved !== undefined || link)).toEqual([]);
  const unverified: Record<string, number> = {};
  for (const [place, { version, integrity = '' }] of places) {
    if (integrity.startsWith('sha512-')) continue;
    const name = `${place.split('node_modules/').at(-1)?.split('/')[0]} ${version}`;
    unverified[name] = (unverified[name] ?? 0) + 1;
  }
  expect(unverified).toEqual(UNVERIFIED);
});

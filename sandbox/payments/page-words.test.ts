import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TEST_ACCOUNTS } from './bank-debits';
import { TAX_COUNTRIES } from './buyer-details';
import { TEST_CARDS } from './cards';
import { choosePageLanguage, GERMAN } from './page-words';

test('every text of the payment page has a German translation', () => {
  const source = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
    .join('\n');
  const texts = [...source.matchAll(/\bsay\(\s*'([^']+)'/g)].map(([, text]) => text ?? '');
  const labels = [...TEST_ACCOUNTS, ...TEST_CARDS, ...TAX_COUNTRIES].map(({ label }) => label);
  const declines = TEST_CARDS.flatMap(({ outcome }) =>
    outcome.kind === 'declines' ? [outcome.decline.message] : [],
  );
  expect(texts.length).toBeGreaterThan(30);
  expect([...texts, ...labels, ...declines].filter((text) => GERMAN[text] === undefined)).toEqual([]);
});

test.each([
  ['de', 'en-US', 'de'],
  ['de-AT', '', 'de'],
  ['en', 'de-DE', 'en'],
  ['fr', 'de-DE', 'en'],
  ['auto', 'de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['auto', 'fr,en;q=0.9,de;q=0.8', 'en'],
  [null, '', 'en'],
])('a session in %s, seen by a browser in %j, is shown in %s', (locale, accepted, language) => {
  expect(choosePageLanguage(locale, accepted)).toBe(language);
});

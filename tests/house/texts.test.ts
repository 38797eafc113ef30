import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECKOUT_TEXTS } from '@/texts/checkout';
import { chooseLanguage, findFirstLanguage, LANGUAGE_NAMES, LANGUAGES } from '@/texts/languages';
import { MAIL_TEXTS } from '@/texts/mails';
import { PAGE_TEXTS } from '@/texts/pages';
import { joinSentences, speak, type Texts, writeDelay } from '@/texts/say';
import { WIDGET_TEXTS } from '@/texts/widget';

const AREAS = {
  checkout: CHECKOUT_TEXTS,
  pages: PAGE_TEXTS,
  mails: MAIL_TEXTS,
  widget: WIDGET_TEXTS,
} as const;

type Form = [path: string, text: string];

/** Every text under its path; `#few` after that of a plural form. */
function listTexts(texts: Texts, under = ''): Form[] {
  return Object.entries(texts).flatMap(([name, value]): Form[] => {
    if (typeof value === 'string') return [[under + name, value]];
    if (typeof value.other !== 'string') return listTexts(value as Texts, `${under}${name}.`);
    return Object.entries(value).map(([form, text]) => [`${under}${name}#${form}`, String(text)]);
  });
}

const pathOf = ([key]: Form): string => key.replace(/#.*/, '');
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();

const EVERY = Object.entries(AREAS).flatMap(([area, languages]) =>
  LANGUAGES.map((language) => ({
    area,
    language,
    english: languages.en as Texts,
    texts: languages[language] as Texts,
  })),
);

describe.each(EVERY)('the $area texts in $language', ({ language, english, texts }) => {
  const forms = listTexts(texts);
  const source = new Map(listTexts(english).map((form) => [pathOf(form), namesIn(form[1])]));

  test('have every key of the English ones, and no other', () => {
    expect([...new Set(forms.map(pathOf))].sort()).toEqual([...source.keys()].sort());
  });

  test('have the names of the English ones in each form', () => {
    for (const form of forms) {
      // "One of your requests" needs no number.
      const mayOmitCount = form[0].endsWith('#one');
      const names = (found: string[] = []) => found.filter((name) => !(mayOmitCount && name === 'count'));
      expect(names(namesIn(form[1])), form[0]).toEqual(names(source.get(pathOf(form))));
    }
  });

  test('have a form for each plural of the language', () => {
    const plurals = [...new Intl.PluralRules(language).resolvedOptions().pluralCategories].sort();
    for (const key of new Set(forms.filter(([name]) => name.includes('#')).map(pathOf))) {
      const written = forms.filter((form) => pathOf(form) === key).map(([name]) => name.split('#')[1]);
      expect(written.sort(), key).toEqual(plurals);
    }
  });

  test('have no empty text, and none that was left in English', () => {
    const words = new Map(listTexts(english));
    for (const [key, text] of forms) {
      expect(text.trim(), key).toBe(text);
      expect(text, key).not.toBe('');
      if (language !== 'en' && /[a-z]{3,} [a-z]{3,} [a-z]{3,}/.test(text))
        expect(text, key).not.toBe(words.get(key));
    }
  });
});

describe('every text is shown somewhere', () => {
  const root = path.join(import.meta.dirname, '../..');
  const code = ['app', 'server', 'widget']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(root, folder, file),
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && !/node_modules|dist|\.test\.ts$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');

  /** By its name, or in a group from which what happened chooses. */
  function isShown(key: string): boolean {
    const [name = '', group] = key.split('.').reverse();
    return (
      new RegExp(`\\b${name}\\b`).test(code) ||
      (group !== undefined && new RegExp(`\\b${group}(\\[|, |\\) )`).test(code))
    );
  }

  test.each(Object.entries(AREAS))('of %s', (_area, { en }) => {
    const unused = listTexts(en as Texts)
      .map(pathOf)
      .filter((key) => !isShown(key));
    expect(unused).toEqual([]);
  });
});

describe('a language', () => {
  test.each([
    ['de-CH', 'de'],
    ['pt', 'pt-BR'],
    ['pt-PT', 'pt-BR'],
    ['zh', 'zh-CN'],
    ['zh-Hans-HK', 'zh-CN'],
    ['EN-gb', 'en'],
    ['fr;q=0.8', 'fr'],
    ['sv, nl;q=0.9, en;q=0.8', 'nl'],
    ['zh-TW', null],
    ['zh-Hant', null],
    ['sv', null],
    ['*', null],
    ['', null],
    ['__proto__', null],
  ])('of the tag %j is %s', (tag, language) => {
    expect(findFirstLanguage(tag)).toBe(language);
  });

  test('is the first that is known, or else English', () => {
    expect(chooseLanguage(null, undefined, 'sv', 'ja,de')).toBe('ja');
    expect(chooseLanguage(null, 'sv')).toBe('en');
    expect(Object.keys(LANGUAGE_NAMES)).toEqual([...LANGUAGES]);
  });
});

describe('words', () => {
  const source = {
    plain: 'Send e-mail now',
    named: '{b} after {a}',
    counted: { one: '{count} credit in {app}', other: '{count} credits in {app}' },
    deep: { inner: '{x}!' },
  } as const;

  test('are functions of the names in a text, and strings without any', () => {
    const say = speak<typeof source>(source, 'en', (text) => text);
    expect(say.plain).toBe('Send e-mail now');
    expect(say.named({ a: '1', b: '{a}' })).toBe('{a} after 1');
    expect(say.deep.inner({ x: '$&' })).toBe('$&!');
  });

  test('choose the plural of a number and write it as the language does', () => {
    const polish = {
      ...source,
      counted: {
        one: '{count} kredyt',
        few: '{count} kredyty',
        many: '{count} kredytów',
        other: '{count} kredytu',
      },
    };
    const { counted } = speak<typeof source>(polish, 'pl');
    expect([1, 3, 12_345, 1.5].map((count) => counted({ count, app: '' }))).toEqual([
      '1 kredyt',
      '3 kredyty',
      '12\u00a0345 kredytów',
      '1,5 kredytu',
    ]);
    expect(counted({ count: { value: 3, shown: '< 4' }, app: '' })).toBe('< 4 kredyty');
  });

  test('join sentences and delays as their language does', () => {
    expect(joinSentences('de', ['Eins.', null, false, 'Zwei.'])).toBe('Eins. Zwei.');
    expect(joinSentences('ja', ['一。', '二。'])).toBe('一。二。');
    expect([30, 61, 4_000].map((seconds) => writeDelay(seconds, 'pl'))).toEqual([
      'za 30 sekund',
      'za 2 minuty',
      'za 2 godziny',
    ]);
  });
});

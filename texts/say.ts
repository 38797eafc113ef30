import type { Language } from './languages';

/**
 * Texts are data: strings with `{names}`, and plural forms that `{count}` selects. `speak` turns those of a language into
 * the words of a page: a string without a name stays one, any other becomes a function.
 */

type Forms = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };
export type Texts = { readonly [name: string]: string | Forms | Texts };

/** The same texts in another language, which may have other plural forms. */
export type Translation<Source> = {
  readonly [Name in keyof Source]: Source[Name] extends string
    ? string
    : Source[Name] extends { other: string }
      ? Forms
      : Translation<Source[Name]>;
};

/** How often, and how that is written: by default as the language writes a number. */
export type Count = number | { value: number; shown: string };

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Given<Name extends string> = { [Known in Name]: Known extends 'count' ? Count : string };
type Writer<Text> = (given: Given<Names<Text>>) => string;

/** The words that the source's texts become. */
export type Say<Source> = {
  readonly [Name in keyof Source]: Source[Name] extends string
    ? [Names<Source[Name]>] extends [never]
      ? string
      : Writer<Source[Name]>
    : Source[Name] extends { other: string }
      ? Writer<Source[Name][keyof Source[Name]]>
      : Say<Source[Name]>;
};

/** `finish` sees every text once it is complete. */
export function speak<Source>(
  texts: Translation<Source>,
  language: Language,
  finish: (text: string) => string = keepTogether,
): Say<Source> {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  const fill = (text: string, given: Record<string, Count | string>): string =>
    finish(text.replace(/\{(\w+)\}/g, (_, name: string) => show(given[name] ?? '')));
  const show = (value: Count | string): string =>
    typeof value === 'number' ? numbers.format(value) : typeof value === 'string' ? value : value.shown;

  function write(value: string | Forms | Texts): unknown {
    if (typeof value === 'string')
      return value.includes('{') ? (given: Record<string, string>) => fill(value, given) : finish(value);
    if (!isForms(value))
      return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, write(text)]));
    return (given: Record<string, string> & { count: Count }) => {
      const { count } = given;
      const form = rules.select(typeof count === 'number' ? count : count.value);
      return fill(value[form] ?? value.other, given);
    };
  }
  return write(texts as Texts) as Say<Source>;
}

const isForms = (value: Forms | Texts): value is Forms => typeof value.other === 'string';

/** No line of a sentence ends after the hyphen of "e-mail". */
const keepTogether = (text: string): string =>
  text.includes(' ') ? text.replace(/\b(e-)(?=mail)/gi, '$1\u2060') : text;

/** The text of a code that comes from elsewhere; undefined for one that has none. */
export const textOf = (
  texts: Readonly<Record<string, string>>,
  code: string | undefined,
): string | undefined => (code !== undefined && Object.hasOwn(texts, code) ? texts[code] : undefined);

/** Whole sentences, one after another. Chinese and Japanese put no space between them. */
export const joinSentences = (language: Language, sentences: (string | false | null | undefined)[]): string =>
  sentences.filter(Boolean).join(/^(ja|zh)/.test(language) ? '' : ' ');

const UNITS = [
  { unit: 'second', seconds: 1, most: 60 },
  { unit: 'minute', seconds: 60, most: 3_600 },
  { unit: 'hour', seconds: 3_600, most: Number.POSITIVE_INFINITY },
] as const;

/** "in 12 minutes", rounded up. */
export function writeDelay(seconds: number, language: Language): string {
  const { unit, seconds: each } = UNITS.find(({ most }) => seconds <= most) ?? UNITS[2];
  return new Intl.RelativeTimeFormat(language).format(Math.ceil(seconds / each), unit);
}

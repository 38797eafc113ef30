import { setImmediate as letOthersRun } from 'node:timers/promises';
import { DOCS_PAGES, pathOf } from './pages';

/** The search of the documentation. A query costs a few look-ups in an index that is built once. */

export const MAX_QUERY_CHARACTERS = 200;
const MAX_WORDS = 8;
const MAX_RESULTS = 20;
/** Say nothing about what is asked. */
const OF_QUESTIONS = new Set(
  'an and are can do does for from how if in is it my of on or the to user what when where which why with'.split(
    ' ',
  ),
);
const MAX_EXCERPT_CHARACTERS = 240;

export type Found = {
  /** Of the page, as `read_docs` and `/docs/` know it. */
  page: string;
  /** The address of the section, without the origin. */
  path: string;
  title: string;
  excerpt: string;
};

type Indexed = Omit<Found, 'excerpt'> & { text: string };

type Index = {
  sections: Indexed[];
  /** In order. */
  words: string[];
  /** How much a word says about each section that has it, by the place of the section. */
  weights: Map<string, Map<number, number>>;
};

let current: Promise<Index> | undefined;

/** The sections about which the words of the query say most, the best first. */
export async function searchDocs(query: string, limit = MAX_RESULTS): Promise<Found[]> {
  current ??= buildIndex();
  const index = await current;
  const words = [...new Set(wordsOf(query.slice(0, MAX_QUERY_CHARACTERS)))]
    .filter((word) => !OF_QUESTIONS.has(word))
    .slice(0, MAX_WORDS);
  const scores = new Map<number, number>();
  for (const word of words)
    for (const [place, weight] of weigh(index, word)) scores.set(place, (scores.get(place) ?? 0) + weight);
  return [...scores]
    .sort(([a, one], [b, other]) => other - one || a - b)
    .slice(0, Math.min(limit, MAX_RESULTS))
    .flatMap(([place]) => index.sections[place] ?? [])
    .map(({ text, ...found }) => ({ ...found, excerpt: cutExcerpt(text, words) }));
}

const IN_TITLE = 8;
const IN_PAGE_TITLE = 4;
const MAX_REPEATS = 4;

/** Page by page: together they take 0.1 seconds. */
async function buildIndex(): Promise<Index> {
  const sections: Indexed[] = [];
  const weights: Index['weights'] = new Map();
  const add = (word: string, weight: number, most: number): void => {
    const of = weights.get(word) ?? new Map<number, number>();
    const place = sections.length;
    weights.set(word, of.set(place, Math.min(most, (of.get(place) ?? 0) + weight)));
  };
  for (const page of DOCS_PAGES) {
    await letOthersRun();
    for (const { id, title, text } of page.read()) {
      for (const word of wordsOf(text)) add(word, 1, MAX_REPEATS);
      for (const word of new Set(wordsOf(page.title))) add(word, IN_PAGE_TITLE, Infinity);
      for (const word of new Set(wordsOf(title))) add(word, IN_TITLE, Infinity);
      const path = `${pathOf(page)}${id && `#${id}`}`;
      sections.push({ page: page.name, path, title: id ? `${page.title}: ${title}` : title, text });
    }
  }
  return { sections, words: [...weights.keys()].sort(), weights };
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9_]{2,}/g) ?? [];

const MIN_PREFIX = 3;
const MAX_ENDINGS = 20;

/** A rare word says more than a frequent one, and a whole word more than the beginning of one. */
function weigh({ sections, words, weights }: Index, word: string): Map<number, number> {
  const result = new Map<number, number>();
  const first = findPlace(words, word);
  const isPrefix = word.length >= MIN_PREFIX;
  for (const known of words.slice(first, first + (isPrefix ? MAX_ENDINGS : 1))) {
    if (!known.startsWith(word) || (!isPrefix && known !== word)) break;
    const of = weights.get(known) ?? new Map<number, number>();
    const rarity =
      Math.log(1 + sections.length / of.size) * (known === word ? 1 : word.length / known.length);
    for (const [place, weight] of of)
      result.set(place, Math.max(result.get(place) ?? 0, Math.sqrt(weight) * rarity));
  }
  return result;
}

/** The place of the first word that is not before the given one. */
function findPlace(words: readonly string[], word: string): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The lines from the one with most of the words, without the marks of Markdown. */
function cutExcerpt(text: string, words: readonly string[]): string {
  const lines = text.split('\n').filter((line) => !/^\s*(#|```|\|[\s|:-]*$|$)/.test(line));
  const counts = lines.map((line) => {
    const lower = line.toLowerCase();
    return words.filter((word) => lower.includes(word)).length;
  });
  const best = Math.max(0, counts.indexOf(Math.max(...counts)));
  const plain = lines
    .slice(best, best + 3)
    .join(' ')
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/[`*|]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (plain.length <= MAX_EXCERPT_CHARACTERS) return plain;
  return `${plain.slice(0, MAX_EXCERPT_CHARACTERS).replace(/\s\S*$/, '')} …`;
}

import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';

/** The public tokenizers: of current OpenAI models, and of older ones that others have built on. */

export type Tokenizer = (text: string) => number;

/** They count each word by itself, and so a word that comes again is counted once. */
function tokenizer({ bpe_ranks, pat_str }: typeof o200k): Tokenizer {
  const ranks = readRanks(bpe_ranks);
  const words = new RegExp(pat_str, 'gu');
  const counts = new Map<string, number>();
  const countWord = (word: string): number => {
    const count = counts.get(word) ?? countTokens(word, ranks);
    counts.set(word, count);
    return count;
  };
  return (text) => (text.match(words) ?? []).reduce((sum, word) => sum + countWord(word), 0);
}

/** Lines of a first rank and the tokens from it on. A character stands for a byte. */
function readRanks(lines: string): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const line of lines.split('\n')) {
    const [, first, ...tokens] = line.split(' ');
    tokens.forEach((token, place) => {
      ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(first) + place);
    });
  }
  return ranks;
}

/**
 * Joins the neighbours of the lowest rank until no two have one. Only pairs next to a join get a new rank:
 * js-tiktoken looks up all of them each time, which takes seconds for a long word.
 */
function countTokens(word: string, ranks: Map<string, number>): number {
  const parts = [...Buffer.from(word).toString('latin1')];
  const rankAt = (place: number): number =>
    ranks.get(`${parts[place]}${parts[place + 1] ?? ''}`) ?? Number.POSITIVE_INFINITY;
  const pairs = parts.slice(1).map((_, place) => rankAt(place));
  while (pairs.length > 0) {
    let best = 0;
    for (let place = 1; place < pairs.length; place++)
      if ((pairs[place] ?? 0) < (pairs[best] ?? 0)) best = place;
    if (pairs[best] === Number.POSITIVE_INFINITY) break;
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
    pairs.splice(best, 1);
    for (const place of [best - 1, best]) if (place in pairs) pairs[place] = rankAt(place);
  }
  return parts.length;
}

export const TOKENIZERS: Readonly<Record<string, Tokenizer>> = {
  o200k: tokenizer(o200k),
  cl100k: tokenizer(cl100k),
};

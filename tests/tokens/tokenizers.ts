import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';

/** The public tokenizers: of current OpenAI models, and of older ones that others have built on. */

export type Tokenizer = (text: string) => number;

/** They count each word by itself, and so a word that comes again is counted once. */
function tokenizer(ranks: typeof o200k): Tokenizer {
  const encoding = new Tiktoken(ranks);
  const words = new RegExp(ranks.pat_str, 'gu');
  const counts = new Map<string, number>();
  const countWord = (word: string): number => {
    const count = counts.get(word) ?? encoding.encode(word, [], []).length;
    counts.set(word, count);
    return count;
  };
  return (text) => (text.match(words) ?? []).reduce((sum, word) => sum + countWord(word), 0);
}

export const TOKENIZERS: Readonly<Record<string, Tokenizer>> = {
  o200k: tokenizer(o200k),
  cl100k: tokenizer(cl100k),
};

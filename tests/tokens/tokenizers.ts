import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';

/** The public tokenizers: of current OpenAI models, and of older ones that others have built on. */

export type Tokenizer = (text: string) => number;

function tokenizer(ranks: typeof o200k): Tokenizer {
  const encoding = new Tiktoken(ranks);
  return (text) => encoding.encode(text, [], []).length;
}

export const TOKENIZERS: Readonly<Record<string, Tokenizer>> = {
  o200k: tokenizer(o200k),
  cl100k: tokenizer(cl100k),
};

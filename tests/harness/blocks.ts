import { readFileSync } from 'node:fs';

/**
 * The code in the documents. Tests read what they run with `readBlock`, both arguments written out, so that
 * `tests/house/docs/blocks.test.ts` finds each block that no test reads.
 */

export type Block = { language: string; code: string };

export function listBlocks(document: string): Block[] {
  const text = readFileSync(document, 'utf8');
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', code = '']) => ({
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** The one block of a document that contains the text. */
export function readBlock(document: string, text: string): string {
  const [block, ...more] = listBlocks(document).filter(({ code }) => code.includes(text));
  if (block === undefined || more.length > 0)
    throw new Error(`${document}: expected one block with "${text}", found ${block ? more.length + 1 : 0}`);
  return block.code;
}

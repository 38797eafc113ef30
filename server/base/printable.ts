/**
 * The characters that the font of the documents has: Latin with all its extensions, Greek, Cyrillic, punctuation and
 * the signs of currencies. A test compares this with the font.
 */
const PRINTABLE =
  /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u0148\u014a-\u01c3\u01c5-\u0220\u0222-\u024f\u0384-\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u0479\u0480\u0481\u048a-\u049d\u04a0-\u04ff\u1e00-\u1e9b\u1e9d-\u1eff\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2116\u2122]$/u;

/** The first character of a composed text that a document cannot show; null if it can show all. */
export function findUnprintable(text: string): string | null {
  return [...text].find((character) => !PRINTABLE.test(character)) ?? null;
}

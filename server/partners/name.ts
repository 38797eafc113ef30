export type CheckedName = { ok: true; name: string } | { ok: false; reason: string };

const MAX_CHARACTERS = 60;
const MIN_LETTERS = 2;
/** Room for a year. A sign-in code has six digits, a telephone number more. */
const MAX_DIGITS = 5;

/**
 * Names appear in mails, including their subject, and in the checkout, so they contain nothing that reads as
 * a link, a code or another text than what is visible. Pure, so that pages can use the same check.
 */
export function checkName(text: string): CheckedName {
  const name = text
    .trim()
    .replace(/\p{Zs}+/gu, ' ')
    .normalize('NFC');
  for (const findFault of FAULTS) {
    const reason = findFault(name);
    if (reason !== null) return { ok: false, reason };
  }
  return { ok: true, name };
}

/** In this order, so that the first reason is the most specific one. */
const FAULTS: readonly ((name: string) => string | null)[] = [
  (name) => (name === '' ? 'Enter a name for the app' : null),
  (name) => (name.length > MAX_CHARACTERS ? `Use at most ${MAX_CHARACTERS} characters` : null),
  (name) => (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) ? 'Use a single line without control characters' : null),
  findInvisible,
  findOtherCharacter,
  findVariant,
  findLink,
  (name) =>
    /\p{M}{4}|[\u0300-\u036f]{2}|^\p{M}/u.test(name) ? 'Use fewer accents on a single letter' : null,
  (name) => (countOf(/\p{L}/gu, name) < MIN_LETTERS ? `Use at least ${MIN_LETTERS} letters` : null),
  (name) => (countOf(/\p{N}/gu, name) > MAX_DIGITS ? `Use at most ${MAX_DIGITS} digits` : null),
  findMixedWord,
];

/** U+2800 is a blank that Unicode counts as a symbol. */
function findInvisible(name: string): string | null {
  const found = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.exec(name)?.[0];
  return found === undefined ? null : `Remove the invisible character ${writeCodePoint(found)}`;
}

/** Signs such as ✅ or 🔒 would promise what nobody has checked. */
function findOtherCharacter(name: string): string | null {
  const found = /[^\p{L}\p{M}\p{N} &'’.,!?+\-–—_·・:/#()]/u.exec(name)?.[0];
  if (found === undefined) return null;
  const shown = /[\p{Cs}\p{Co}\p{Cn}]/u.test(found) ? writeCodePoint(found) : `"${found}"`;
  return `Leave out ${shown}: use letters, digits, spaces and & ' . , ! ? + - _ · : / # ( )`;
}

/** Letters that a compatibility mapping changes though they are the usual ones of their language. */
const USUAL = /[\u0587\u0e33\u0eb3]/;

/** Small capitals, which have no compatibility mapping. */
const SMALL_CAPITAL =
  /[\u1d00-\u1d2b\u0262\u026a\u0274\u0276\u0280\u0281\u028f\u0299\u029b\u029c\u029f\ua730\ua731\ua7af\ua7fa]/;

/** Letters in another typeface, width or position, such as 𝐀, Ａ or ① */
function findVariant(name: string): string | null {
  const found = [...name].find(
    (character) =>
      SMALL_CAPITAL.test(character) || (character.normalize('NFKC') !== character && !USUAL.test(character)),
  );
  return found === undefined ? null : `Write "${found}" as a plain letter or digit`;
}

/** Mail programs turn these into links. */
const LINK = /\/\/|\bwww\.|\bhttps?:|\bmailto:|\.\p{L}{2}|\d\.\d{1,9}\.\d{1,9}\.\d/iu;

function findLink(name: string): string | null {
  const found = name.split(' ').find((word) => LINK.test(word));
  return found === undefined ? null : `Names cannot contain web addresses: change "${found}"`;
}

/** The scripts in common use (UAX 31, table 5). */
const SCRIPTS = (
  'Arab Armn Beng Bopo Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Hira Kana Khmr Knda Laoo Latn Mlym Mymr Orya ' +
  'Sinh Taml Telu Thaa Thai Tibt'
).split(' ');
/** Scripts that are written together (UTS 39, "Highly Restrictive"). */
const TOGETHER = [
  ['Latn', 'Hani', 'Hira', 'Kana'],
  ['Latn', 'Hani', 'Bopo'],
  ['Latn', 'Hani', 'Hang'],
];
const OF_ONE_SCRIPT = [...SCRIPTS.map((script) => [script]), ...TOGETHER].map(
  (scripts) =>
    new RegExp(`^[${['Zyyy', 'Zinh', ...scripts].map((script) => `\\p{scx=${script}}`).join('')}]+$`, 'u'),
);

function findMixedWord(name: string): string | null {
  const words = name.match(/[\p{L}\p{M}]+/gu) ?? [];
  const mixed = words.find((word) => !OF_ONE_SCRIPT.some((pattern) => pattern.test(word)));
  return mixed === undefined ? null : `Write "${mixed}" in the letters of one script in common use`;
}

const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;

const writeCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

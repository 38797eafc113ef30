/** Spaces, dashes, and what is invisible: pasted text may contain marks of its direction or its width. */
const IGNORED = /[\s\p{Pd}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const DIGIT = /\p{Nd}/u;

/** A code of digits, however it was typed or pasted, in the digits of any script. */
export const readTypedCode = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replace(IGNORED, '')
    .replace(/\p{Nd}/gu, toAscii);

/** Unicode lists the digits of each script in a row, from zero to nine. */
function toAscii(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

import { randomInt } from 'node:crypto';

/**
 * The codes that users copy from a terminal into a browser. Consonants only, so that no code is a word, and none
 * looks like a digit.
 */

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CHARACTERS = 8;
const FORM = new RegExp(`^[${LETTERS}]{${CHARACTERS}}$`);

export function newUserCode(): string {
  return withDash(Array.from({ length: CHARACTERS }, () => LETTERS[randomInt(LETTERS.length)]).join(''));
}

/** The code as it was shown, however it was typed; null if it cannot be one. */
export function readUserCode(typed: string): string | null {
  const letters = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
  return FORM.test(letters) ? withDash(letters) : null;
}

const withDash = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`;

import { randomInt } from 'node:crypto';
import { sha256 } from '../../base/ids';

/** The codes of promotions, as people read, type and send them. */

/** Digits and capitals that no other one is mistaken for: no 0 and O, no 1, I and L. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
/** 16 characters carry 79 random bits. */
const GIFT_CHARACTERS = 16;
const GROUP = /.{4}(?=.)/g;

/** A new code for a gift link, in its normal form. */
export function newGiftCode(): string {
  return Array.from({ length: GIFT_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** The normal form: capitals, without spaces and hyphens. */
export const normaliseCode = (typed: string): string => typed.replace(/[\s-]/g, '').toUpperCase();

export const PROMOTION_CODE = /^[A-Z0-9]{4,32}$/;

/** A gift code in groups of four: `ABCD-EFGH-JKMN-PQRS`. */
export const groupGiftCode = (code: string): string => code.replace(GROUP, '$&-');

/** How a link is stored. The code is random enough that a plain hash keeps it secret. */
export const hashGiftCode = (typed: string): Buffer => sha256(normaliseCode(typed));

import { randomBytes } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type CutJson, restoreStrings } from '../../base/cut-json';
import { isTooDeep, replaceNumbers } from '../../base/json-text';
import type { Json } from './neutral';
import { asArray, asObject, parseJson } from './read-fields';

/**
 * Preserves whole numbers that JavaScript cannot represent, such as the ids of some services. JSON.parse
 * silently changes their last digits, so that a tool would be called with a wrong id. Here they are kept as
 * marked text and written with their original digits.
 */
const MARK = `\x7f${randomBytes(9).toString('base64url')}:`;
/** In the arguments of a call, which are JSON inside JSON, the quotes are escaped. */
const MARKED = new RegExp(`(\\\\?)"${MARK}(-?\\d+)\\1"`, 'g');

const LONG_NUMBER = /[:[,\s]-?\d{16}/;

/** Like `parseJson`; write the result with `writeExactly`. Null for what that could not write. */
export function parseExactly(json: string): unknown {
  if (isTooDeep(json)) return null;
  return parseJson(LONG_NUMBER.test(json) ? markNumbers(json) : json);
}

/** Only calls and tool schemas contain such numbers, so other requests are not searched. */
const mayHoldNumbers = ({ tools }: Json): boolean => asArray(tools).length > 0;

/** Returns the request that was parsed from this JSON with long numbers, with them as they were written. */
export async function keepNumbers(request: Json, { text, strings }: CutJson): Promise<Json> {
  if (!mayHoldNumbers(request)) return request;
  const marked = markNumbers(text);
  // Each of the two takes up to 30 ms.
  await letOthersRun();
  // A model that is a number is an error, which must not show the mark.
  return Object.assign(restoreStrings(asObject(parseJson(marked)), strings), { model: request.model });
}

/** Like `JSON.stringify`. */
export const writeExactly = (value: unknown): string => restoreNumbers(JSON.stringify(value));

/** Restores numbers in JSON, or in a string that contains JSON. */
export const restoreNumbers = (json: string): string =>
  json.includes(MARK) ? json.replace(MARKED, '$2') : json;

const markNumbers = (json: string): string =>
  replaceNumbers(json, (number) => (isAltered(number) ? `"${MARK}${number}"` : null));

/** JavaScript writes at most 21 digits without an exponent. */
const LONGEST_WRITTEN = 22;

const isAltered = (number: string): boolean =>
  /^-?\d{16,}$/.test(number) && (number.length > LONGEST_WRITTEN || String(Number(number)) !== number);

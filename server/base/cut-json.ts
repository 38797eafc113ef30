import { randomBytes } from 'node:crypto';
import { ApiError } from './errors';
import { endOfString } from './json-text';

/**
 * Parses large JSON without blocking other requests: `JSON.parse` of 32 MB takes some 70 ms. It sees a short mark
 * in place of each long string, which is read chunk by chunk as it arrives. What remains is small, because
 * `JsonScan` limits the number of values.
 */
const MARK = `\x7f${randomBytes(9).toString('base64url')}#`;
/** Longer than any number, so that the strings in between cost more than their marks. */
const LONG = 100;
/** The rest of a large body is numbers, short strings and indentation. */
const MAX_REST = 16_000_000;

/** JSON without its long strings. */
export type CutJson = { text: string; strings: readonly string[] };

/** Cuts the long strings out of JSON that arrives in chunks. Refuses a string that is not JSON. */
export class JsonCutter {
  readonly #strings: string[] = [];
  #text = '';
  /** The beginning of a string that the last chunk ended in. */
  #open: string | null = null;
  /** The beginning of an escape that the last chunk ended in. */
  #cut = '';

  add(chunk: string): void {
    const text = this.#cut + chunk;
    this.#cut = '';
    let copied = this.#open === null ? 0 : this.#continue(text, 0);
    let quote = text.indexOf('"', copied);
    while (quote !== -1) {
      const end = endOfString(text, quote);
      if (end - quote > LONG || end === text.length) {
        this.#text += text.slice(copied, quote);
        this.#open = '';
        copied = this.#continue(text, quote + 1, end);
      }
      quote = text.indexOf('"', end + 1);
    }
    this.#text += text.slice(copied);
    if (this.#text.length > MAX_REST) throw manyBlanks();
  }

  end(): CutJson {
    if (this.#open !== null) throw invalidJson();
    return { text: this.#text, strings: this.#strings };
  }

  /** Adds to the open string. Returns the index after it, or the end of the text. */
  #continue(text: string, from: number, end = endOfString(text, from - 1)): number {
    const isComplete = end < text.length;
    const until = isComplete ? end : startOfCutEscape(text, from);
    this.#open += readPiece(text.slice(from, until));
    if (!isComplete) {
      this.#cut = text.slice(until);
      return end;
    }
    this.#text += `"${MARK}${this.#strings.push(this.#open ?? '') - 1}"`;
    this.#open = null;
    return end + 1;
  }
}

const ESCAPE_LENGTH = '\\u0000'.length;

/** Where the escape begins that the text ends in, or the end of the text. */
function startOfCutEscape(text: string, from: number): number {
  const { length } = text;
  const last = text.lastIndexOf('\\');
  if (last < Math.max(from, length - ESCAPE_LENGTH + 1)) return length;
  let first = last;
  while (first > from && text[first - 1] === '\\') first--;
  const isEscaped = (last - first) % 2 === 1;
  const isComplete = last < length - 1 && text[last + 1] !== 'u';
  return isEscaped || isComplete ? length : last;
}

function readPiece(piece: string): string {
  try {
    return JSON.parse(`"${piece}"`);
  } catch {
    throw invalidJson();
  }
}

export const invalidJson = (): ApiError =>
  new ApiError('invalid_request', 'The request body is not valid JSON.');

const sameField = (): ApiError =>
  new ApiError('invalid_request', 'The request body contains an object with the same field twice.');

const manyBlanks = (): ApiError =>
  new ApiError(
    'invalid_request',
    `The request body contains more than ${MAX_REST} characters outside long strings.`,
  );

/** Puts the strings back into the value that was parsed from the rest. */
export function restoreStrings<Value>(parsed: Value, strings: readonly string[]): Value {
  return strings.length === 0 ? parsed : (restore(parsed) as Value);

  function restore(value: unknown): unknown {
    if (typeof value === 'string') return restoreString(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(restore);
    const object = value as Record<string, unknown>;
    const names = Object.keys(object);
    for (const name of names) object[name] = restore(object[name]);
    return names.some(isMark) ? restoreNames(object) : object;
  }

  function restoreNames(object: object): object {
    const entries = Object.entries(object).map(([name, value]) => [restoreString(name), value] as const);
    const restored = Object.fromEntries(entries);
    // The parser saw two names, so it is unknown which of the values came last.
    if (Object.keys(restored).length < entries.length) throw sameField();
    return restored;
  }

  function restoreString(string: string): string {
    return isMark(string) ? (strings[Number(string.slice(MARK.length))] ?? '') : string;
  }
}

const isMark = (string: string): boolean => string.startsWith(MARK);

import { ApiError } from './errors';

/**
 * What a body of JSON may contain. Checked over its bytes as they arrive, because `JSON.parse` and everything
 * after it takes time for each value and not for each byte: 1.5 million unknown fields took seconds.
 */
export const JSON_LIMITS = {
  /**
   * Values and field names; a long name counts once for every 64 bytes, and a long number five times. Long
   * conversations have some 40,000.
   */
  values: 100_000,
  /** V8 keeps an object of many fields as a hash table, which is ten times as slow. */
  fieldsPerObject: 5_000,
  /** More than the arguments of a call that a response contains (`isTooDeep`), which clients send back as objects. */
  depth: 1_024,
  /** Python writes each character outside ASCII as one escape: two for an emoji. */
  escapes: 8_000_000,
  numberLength: 64,
};

const LONG_NAME = 64;
/** Up to here, JavaScript represents every whole number; longer ones are kept as text (`exact-numbers.ts`). */
const LONG_NUMBER = 16;
const EXTRA_OF_LONG_NUMBER = 4;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const MINUS = 0x2d;

/** 1 for what ends a part of a string. */
const ENDS = new Uint8Array(256);
ENDS[QUOTE] = ENDS[BACKSLASH] = 1;

const OTHER = 0;
const OPEN = 1;
const CLOSE = 2;
const COMMA = 3;
const COLON = 4;
const STRING = 5;
const NUMBER = 6;
/** A part of a number, if more of it comes before: `true` ends with one, too. A sign may come first. */
const FRACTION = 7;
const KINDS = new Uint8Array(256);
for (const [kind, characters] of [
  [OPEN, '{['],
  [CLOSE, '}]'],
  [COMMA, ','],
  [COLON, ':'],
  [STRING, '"'],
  [NUMBER, '0123456789+'],
  [FRACTION, '.eE-'],
] as const) {
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;
}

/** A field of the outermost object: where its name begins, and where its value begins and ends. */
export type FieldPlace = {
  name: number;
  from: number;
  to: number;
  /** Where the items of a list begin and end: before the first one, at each comma, and after the last one. */
  items: number[] | null;
  /**
   * The items with a number that JavaScript may write with fewer characters: a long or negative one, or a fraction.
   * 1.0 becomes 1. Those of an object count as one item, 0.
   */
  oddItems: Set<number>;
};

/** Where the fields are in JSON, and what it contains. */
export type JsonOutline = {
  fields: readonly FieldPlace[];
  /** Field names at every depth, repeated ones included. */
  names: number;
  /** Whether it may contain numbers that JavaScript cannot represent. */
  hasLongNumbers: boolean;
};

/** Counts what JSON contains, chunk by chunk. Does not check that it is JSON. */
export class JsonScan {
  readonly #most: Pick<typeof JSON_LIMITS, 'depth' | 'values'>;
  readonly #places: FieldPlace[] = [];
  /** The bytes of the chunks before. */
  #before = 0;
  /** Where the last string of the outermost object begins. */
  #lastString = 0;
  #names = 0;
  #hasLongNumbers = false;
  #values = 0;
  #depth = 0;
  /** The fields of each open object, by depth. */
  readonly #fields = [0];
  #escapes = 0;
  #numberLength = 0;
  /** The bytes of the last string, or of the one that a chunk ended in. */
  #stringLength = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(most: Partial<Pick<typeof JSON_LIMITS, 'depth' | 'values'>> = {}) {
    this.#most = { ...JSON_LIMITS, ...most };
  }

  /** Of all chunks, if they are JSON. */
  outline(): JsonOutline {
    return { fields: this.#places, names: this.#names, hasLongNumbers: this.#hasLongNumbers };
  }

  /** Throws `invalid_request` naming the limit that the body exceeds. */
  add(bytes: Buffer): void {
    const { length } = bytes;
    const before = this.#before;
    const { values: maxValues, depth: maxDepth } = this.#most;
    let values = this.#values;
    let depth = this.#depth;
    let numberLength = this.#numberLength;
    for (let at = this.#isInString ? this.#skipString(bytes, 0) : 0; at < length; at++) {
      const kind = KINDS[bytes[at] as number] as number;
      if (kind >= NUMBER) {
        if (kind === FRACTION && (numberLength > 0 || bytes[at] === MINUS)) this.#noteOddNumber(depth);
        if (++numberLength < LONG_NUMBER) continue;
        this.#hasLongNumbers = true;
        if (numberLength === LONG_NUMBER) continue;
        if (numberLength > JSON_LIMITS.numberLength) throw longNumber();
        if (numberLength > LONG_NUMBER + 1) continue;
        this.#noteOddNumber(depth);
        values += EXTRA_OF_LONG_NUMBER;
        if (values > maxValues) throw manyValues(maxValues);
        continue;
      }
      numberLength = 0;
      if (kind === OTHER) continue;
      if (kind === STRING) {
        this.#stringLength = 0;
        if (depth === 1) this.#lastString = before + at;
        at = this.#skipString(bytes, at + 1) - 1;
      } else if (kind === CLOSE) {
        if (depth <= 2) this.#endPlace(before + at, depth);
        depth = Math.max(0, depth - 1);
      } else {
        values++;
        if (kind === OPEN) {
          if (++depth > maxDepth) throw deep();
          this.#fields[depth] = 0;
          if (depth === 2 && bytes[at] === BRACKET) this.#openList(before + at);
        } else if (kind === COMMA) {
          if (depth <= 2) this.#endPlace(before + at, depth);
        } else {
          this.#names++;
          if (depth === 1) this.#openField(before + at);
          values += Math.floor(this.#stringLength / LONG_NAME);
          const fields = (this.#fields[depth] ?? 0) + 1;
          if (fields > JSON_LIMITS.fieldsPerObject) throw manyFields();
          this.#fields[depth] = fields;
        }
        if (values > maxValues) throw manyValues(maxValues);
      }
    }
    this.#values = values;
    this.#depth = depth;
    this.#numberLength = numberLength;
    this.#before += length;
  }

  #openField(colon: number): void {
    const at = colon + 1;
    this.#places.push({ name: this.#lastString, from: at, to: at, items: null, oddItems: new Set() });
  }

  #openList(bracket: number): void {
    const field = this.#places.at(-1);
    if (field !== undefined) field.items = [bracket];
  }

  #noteOddNumber(depth: number): void {
    const field = this.#places.at(-1);
    if (depth > 1) field?.oddItems.add(Math.max(0, (field.items?.length ?? 0) - 1));
  }

  /** A comma or the end, at depth 1 of a field and at depth 2 of an item. */
  #endPlace(at: number, depth: number): void {
    const field = this.#places.at(-1);
    if (depth === 2) field?.items?.push(at);
    else if (depth === 1 && field !== undefined) field.to = at;
  }

  /** Returns the index after the string that contains the one given, or the end of the bytes. */
  #skipString(bytes: Buffer, from: number): number {
    const { length } = bytes;
    let escapes = 0;
    let at = this.#isEscaped && from < length ? from + 1 : from;
    this.#isEscaped &&= from >= length;
    while (at < length) {
      const searchAt = Math.min(length, at + WORTH_A_SEARCH);
      while (at < searchAt && ENDS[bytes[at] as number] === 0) at++;
      if (at === searchAt) at = findSpecial(bytes, at);
      else if (bytes[at] === QUOTE) break;
      else {
        escapes++;
        at += 2;
      }
    }
    this.#isInString = at >= length;
    this.#isEscaped ||= at > length;
    this.#stringLength += Math.min(at, length) - from;
    this.#escapes += escapes;
    if (this.#escapes > JSON_LIMITS.escapes) throw manyEscapes();
    return at + 1;
  }
}

/** Images are strings of megabytes, which a native search skips ten times as fast. Lines of code are too short for it. */
const WORTH_A_SEARCH = 256;
/** Keeps a search for a far quote from being repeated for each of many escapes before it. */
const SEARCH_BYTES = 4_096;

/** The index of the next quote or backslash, or where the search ended. */
function findSpecial(bytes: Buffer, from: number): number {
  const part = bytes.subarray(from, from + SEARCH_BYTES);
  const quote = part.indexOf(QUOTE);
  const backslash = part.indexOf(BACKSLASH);
  return from + Math.min(quote === -1 ? part.length : quote, backslash === -1 ? part.length : backslash);
}

const deep = () => refuseBody(`is nested deeper than ${JSON_LIMITS.depth} levels`);
const manyValues = (most: number) => refuseBody(`contains more than ${most} values and field names`);
const manyFields = () => refuseBody(`contains an object of more than ${JSON_LIMITS.fieldsPerObject} fields`);
const manyEscapes = () =>
  refuseBody(`contains more than ${JSON_LIMITS.escapes} escapes such as \\n or \\u00e9`);
const longNumber = () => refuseBody(`contains a number of more than ${JSON_LIMITS.numberLength} characters`);

const refuseBody = (reason: string): ApiError =>
  new ApiError('invalid_request', `The request body ${reason}.`);

import { setImmediate as letOthersRun } from 'node:timers/promises';
import { restoreNumbers } from './exact-numbers';

/**
 * Writes large JSON without blocking other requests: `JSON.stringify` of 32 MB takes some 100 ms. Values are
 * written in slices, and a string or a list of more than a slice in several.
 */

/** Characters that are written at once; takes a millisecond. */
const SLICE = 256 * 1024;
/** What a value costs in addition to its characters: an empty object takes as long to write as a short text. */
const VALUE = 16;
/** Sent at once. */
const PIECE_LENGTH = 256 * 1024;

/** Returns the bytes of `writeExactly(value)`. */
export async function writeLargeJson(value: unknown): Promise<Buffer[]> {
  const buffers: Buffer[] = [];
  let text = '';
  for (const slice of writeSlices(value)) {
    text += slice;
    if (text.length >= PIECE_LENGTH) {
      buffers.push(Buffer.from(text));
      text = '';
    }
    await letOthersRun();
  }
  buffers.push(Buffer.from(text));
  return buffers;
}

function* writeSlices(value: unknown): Generator<string> {
  if (weigh(value) <= SLICE) yield writeAtOnce(value);
  else if (typeof value === 'string') yield* writeString(restoreNumbers(value));
  else if (Array.isArray(value)) yield* writeItems(value);
  else yield* writeFields(Object.entries(value as object));
}

const writeAtOnce = (value: unknown): string => restoreNumbers(JSON.stringify(value));

function* writeItems(items: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const [from, to] of sliceList(items.length, (index) => weigh(items[index]))) {
    if (to === from) {
      yield before;
      yield* writeSlices(items[from]);
    } else yield before + writeAtOnce(items.slice(from, to)).slice(1, -1);
    before = ',';
  }
  yield ']';
}

function* writeFields(fields: readonly [string, unknown][]): Generator<string> {
  let before = '{';
  for (const [from, to] of sliceList(fields.length, (index) => weigh(fields[index]))) {
    const [name, value] = fields[from] as [string, unknown];
    if (to === from) {
      yield `${before + JSON.stringify(name)}:`;
      yield* writeSlices(value);
    } else {
      const written = writeAtOnce(Object.fromEntries(fields.slice(from, to))).slice(1, -1);
      // An undefined field is not written.
      if (written === '') continue;
      yield before + written;
    }
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Cuts a list into ranges that are written at once. A range without an end is one entry of more than a slice. */
function* sliceList(length: number, weighEntry: (index: number) => number): Generator<[number, number]> {
  for (let from = 0; from < length; ) {
    let to = from;
    for (let weight = 0; to < length; to++) {
      weight += weighEntry(to);
      if (weight > SLICE) break;
    }
    yield [from, to];
    from = Math.max(to, from + 1);
  }
}

function* writeString(string: string): Generator<string> {
  let before = '"';
  for (let from = 0; from < string.length; ) {
    const to = endOfPiece(string, from + SLICE);
    yield before + JSON.stringify(string.slice(from, to)).slice(1, -1);
    before = '';
    from = to;
  }
  yield `${before}"`;
}

/** A character of two units is not cut: either half alone is written as an escape. */
function endOfPiece(string: string, at: number): number {
  const isHigh = at < string.length && (string.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return isHigh ? at - 1 : at;
}

/** About the characters that a value is written in, or any number above a slice. */
function weigh(value: unknown): number {
  if (typeof value === 'string') return VALUE + value.length;
  if (typeof value !== 'object' || value === null) return VALUE;
  let weight = VALUE;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight <= SLICE; index++) weight += weigh(value[index]);
    return weight;
  }
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    weight += name.length + weigh(fields[name]);
    if (weight > SLICE) break;
  }
  return weight;
}

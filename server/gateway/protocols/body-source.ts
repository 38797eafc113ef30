import { ApiError } from '../../base/errors';
import type { JsonSource } from '../../base/http/read-body';
import type { FieldPlace } from '../../base/scan-json';
import { writeExactly } from './exact-numbers';
import type { Json } from './neutral';
import { isObject } from './read-fields';
import { writeLargeJson } from './write-large-json';

/**
 * Forwards the bytes of a client's JSON wherever the provider receives the same values: serialising an agent's request
 * again takes longer than parsing it.
 */

/** The JSON of a request, and what was parsed from it. */
export type BodySource = {
  bytes: Buffer;
  json: Json;
  fields: ReadonlyMap<string, Place>;
};

type Place = Pick<FieldPlace, 'from' | 'to' | 'items' | 'oddItems'>;

/**
 * Null for JSON with a name that an object contains twice: only one of the values was parsed and metered, and a
 * provider may read the other.
 */
export function readSource(json: Json, names: number, { bytes, outline }: JsonSource): BodySource | null {
  if (names !== outline.names) return null;
  const nameAt = (from: number, to: number): string => JSON.parse(bytes.toString('utf8', from, to));
  const fields = outline.fields.map((place): [string, Place] => [nameAt(place.name, place.from - 1), place]);
  return { bytes, json, fields: new Map(fields) };
}

/**
 * The field names in a request, at every depth. Refuses one that would become the prototype of a copy, which then
 * seems to have fields that nobody has validated or measured.
 */
export function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) {
    for (const item of value) names += countNames(item);
    return names;
  }
  const object = value as Json;
  for (const name of Object.keys(object)) {
    if (name === '__proto__')
      throw new ApiError('invalid_request', 'The request body contains a field named "__proto__".');
    names += 1 + countNames(object[name]);
  }
  return names;
}

/** Shorter JSON is written with its neighbours. */
const WORTH_A_PART = 256;

/** Writes a body: what is in the source as it was written there, and the rest like `writeExactly`. */
export async function writeFrom(source: BodySource, body: Json, isLarge: boolean): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  let text = '';
  const add = (bytes: Buffer): void => {
    if (bytes.length < WORTH_A_PART) {
      text += bytes;
      return;
    }
    if (text !== '') parts.push(Buffer.from(text));
    text = '';
    parts.push(bytes);
  };
  const write = async (value: unknown): Promise<void> => {
    if (isLarge) for (const bytes of await writeLargeJson(value)) add(bytes);
    else text += writeExactly(value);
  };

  let before = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${before}${JSON.stringify(name)}:`;
    before = ',';
    const place = source.fields.get(name);
    const given = source.json[name];
    if (place?.oddItems.size === 0 && given === value) add(source.bytes.subarray(place.from, place.to));
    else {
      const { items, oddItems } = place ?? {};
      const isList = items && oddItems && Array.isArray(given) && Array.isArray(value);
      const runs = isList ? findRuns(given, value, oddItems) : [];
      if (!items || runs.every(({ to }) => to === 0)) await write(value);
      else {
        for (const [index, { item, from, to }] of runs.entries()) {
          text += index === 0 ? '[' : ',';
          if (to === 0) await write(item);
          else add(source.bytes.subarray((items[from] ?? 0) + 1, items[to]));
        }
        text += ']';
      }
    }
  }
  parts.push(Buffer.from(`${text}${before === '{' ? '{}' : '}'}`));
  return parts;
}

/**
 * Consecutive items of a list: those from `from` to before `to` of another, or one that is written, where `to` is 0.
 * An item with odd numbers is written, as it is measured.
 */
type Run = { item: unknown; from: number; to: number };

function findRuns(given: readonly unknown[], items: readonly unknown[], odd: ReadonlySet<number>): Run[] {
  const places = new Map(given.map((item, index) => [item, index]));
  const runs: Run[] = [];
  for (const item of items) {
    const at = isObject(item) ? places.get(item) : undefined;
    const last = runs.at(-1);
    if (at === undefined || odd.has(at)) runs.push({ item, from: 0, to: 0 });
    else if (last !== undefined && last.to === at && last.to > 0) last.to++;
    else runs.push({ item, from: at, to: at + 1 });
  }
  return runs;
}

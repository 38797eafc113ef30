import { ApiError } from '../../base/errors';
import { measureNesting } from '../../base/json-text';

/** Choices, calls, blocks or citations of one response. */
const MAX_PARTS = 4_000;
/** Objects and lists in one text of JSON: 16,000 tokens with 20 alternatives each have some 700,000. */
const MAX_CONTAINERS = 2_000_000;
/** Less than what can be written again (`isTooDeep`), as what contains a part of a response is deeper. */
const MAX_DEPTH = 500;
/** Shorter texts exceed neither. */
const SMALL_CHARACTERS = 2 * MAX_DEPTH;

/** By the index or id that the provider chose. */
export class PartMap<Key, Value> extends Map<Key, Value> {
  override set(key: Key, value: Value): this {
    if (this.size >= MAX_PARTS && !this.has(key)) throw tooMuch(`has more than ${MAX_PARTS} parts`);
    return super.set(key, value);
  }
}

export function addParts<Part>(parts: Part[], more: readonly Part[]): void {
  if (parts.length + more.length > MAX_PARTS) throw tooMuch(`has more than ${MAX_PARTS} parts`);
  parts.push(...more);
}

/** Returns JSON that is safe to parse: empty objects take twenty times the memory of their two characters. */
export function requireParsable(json: string): string {
  if (json.length <= SMALL_CHARACTERS) return json;
  const { containers, depth } = measureNesting(json, { containers: MAX_CONTAINERS, depth: MAX_DEPTH });
  if (containers > MAX_CONTAINERS) throw tooMuch(`has more than ${MAX_CONTAINERS} objects and lists`);
  if (depth > MAX_DEPTH) throw tooMuch(`is nested deeper than ${MAX_DEPTH} levels`);
  return json;
}

const tooMuch = (reason: string): ApiError =>
  new ApiError('upstream_error', 'The response of the provider for this model is too large', {
    cause: new Error(`the response ${reason}`),
  });

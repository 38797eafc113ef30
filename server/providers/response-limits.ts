import { ApiError } from '../errors';

/** Choices, calls, blocks or citations of one response. */
const MAX_PARTS = 4_000;
/** Objects and lists in one text of JSON: 16,000 tokens with 20 alternatives each have some 700,000. */
const MAX_CONTAINERS = 2_000_000;
/** Shorter texts cannot hold so many that it matters. */
const SMALL_CHARACTERS = 1024 * 1024;

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
  if (json.length > SMALL_CHARACTERS && countContainers(json) > MAX_CONTAINERS)
    throw tooMuch(`has more than ${MAX_CONTAINERS} objects and lists`);
  return json;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

function countContainers(json: string): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < json.length && count <= MAX_CONTAINERS; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (code === BACKSLASH) at++;
    else if (!isInString && (code === BRACKET || code === BRACE)) count++;
  }
  return count;
}

const tooMuch = (reason: string): ApiError =>
  new ApiError('upstream_error', 'The response of the provider for this model is too large', {
    cause: new Error(`the response ${reason}`),
  });

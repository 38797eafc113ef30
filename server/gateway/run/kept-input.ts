import { createHash } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { keyedHash } from '../../base/keyed-hash';
import { countCharacters } from '../protocols/count-characters';
import { writeExactly } from '../protocols/exact-numbers';
import type { Json } from '../protocols/neutral';
import { asArray, asObject, asText } from '../protocols/read-fields';
import {
  type Entry,
  findParent,
  type NewResponse,
  type OutputPosition,
  type Owner,
  type Parent,
} from './kept-store';

/** What is kept of an input: only what no other row contains. */

/** The input of a request: its items as sent, and the same with places instead of references. */
export type SentInput = {
  items: readonly Json[];
  entries: readonly Entry[];
  /** The response that it continues by `previous_response_id`, with the places of its output. */
  previous: { no: number; threadNo: number | null; output: readonly OutputPosition[] } | null;
};

/** A longer one is not kept: hashing and writing more at once would hold up other requests. */
const MAX_CHARACTERS = 4_000_000;
/** Characters that are hashed at once; takes a millisecond. */
const CHARACTERS_AT_ONCE = 256 * 1024;
/** How many items a request may add for its parent to be found. */
const MAX_ADDED = 256;
const HASH_BYTES = 24;

export type KeptInput = Pick<NewResponse, 'parent' | 'inputHash' | 'input'>;

/**
 * Clients either name the response before, or send its whole input again with more items. Then the longest beginning
 * that is the input of a kept response is found by its hash, and only the rest is kept.
 */
export async function linkInput(owner: Owner, { items, entries, previous }: SentInput): Promise<KeptInput> {
  if (countCharacters(items) > MAX_CHARACTERS) return { parent: null, inputHash: null, input: null };
  if (previous !== null)
    return { parent: previous, inputHash: null, input: [...previous.output, ...entries] };
  const hashes = await hashBeginnings(owner, items);
  const parent = await findParent(owner, hashes);
  const inputHash = hashes[0] ?? null;
  if (parent === null) return { parent, inputHash, input: entries };
  const shared = items.length - hashes.findIndex((hash) => hash.equals(parent.hash));
  return { parent, inputHash, input: linkOutput(entries.slice(shared), parent) };
}

/** The hashes of all items, of all but the last, and so on. */
async function hashBeginnings({ userId, partnerId }: Owner, items: readonly Json[]): Promise<Buffer[]> {
  // Of a text that begins with a secret, and shortened: nobody can compute one from another.
  const hash = createHash('sha512').update(keyedHash('kept input', `${userId} ${partnerId}`));
  const hashes: Buffer[] = [];
  let characters = 0;
  for (const [index, item] of items.entries()) {
    const json = writeExactly(item);
    hash.update(json).update('\n');
    if (items.length - index <= MAX_ADDED) hashes.push(hash.copy().digest().subarray(0, HASH_BYTES));
    characters += json.length;
    if (characters < CHARACTERS_AT_ONCE) continue;
    characters = 0;
    await letOthersRun();
  }
  return hashes.reverse();
}

/** Most clients send the output back: it is kept already. */
function linkOutput(entries: readonly Entry[], { no, output }: Parent): Entry[] {
  const places = new Map(output.map((item, at) => [describe(item), at]));
  return entries.map((entry) => {
    const at = isPosition(entry) ? undefined : places.get(describe(entry));
    return at === undefined ? entry : [no, at];
  });
}

/** The same for an item and for what clients send back of it: without its id and its state. Empty if there is no content. */
function describe({ type, role, call_id, name, namespace, ...item }: Json): string {
  const texts = asArray(item.content).map((part) => asText(asObject(part).text));
  const content = [asText(item.arguments), asText(item.input), asText(item.encrypted_content), ...texts];
  if (content.every((text) => text === '')) return writeExactly(item);
  return JSON.stringify([
    type ?? 'message',
    role ?? null,
    call_id ?? null,
    name ?? null,
    namespace ?? null,
    content,
  ]);
}

export const isPosition = (entry: Entry): entry is OutputPosition => Array.isArray(entry);

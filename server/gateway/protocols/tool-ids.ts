import { createHash } from 'node:crypto';

/**
 * Makes tool names and ids conform to the rules of their next reader. The result is deterministic: the same
 * call gets the same id in every later request of the conversation.
 */

const HASH_CHARACTERS = 8;
const MAX_LENGTH = 64;
const FITTING = /^[a-zA-Z0-9_-]{1,64}$/;

function shortHash(text: string, characters = HASH_CHARACTERS): string {
  return createHash('sha256').update(text).digest('hex').slice(0, characters);
}

/** The text itself if it matches `[A-Za-z0-9_-]{1,64}`, otherwise a cleaned one that ends in a hash of the original. */
export function cleanIdentifier(text: string, maxLength = MAX_LENGTH): string {
  if (FITTING.test(text) && text.length <= maxLength) return text;
  const cleaned = text.slice(0, maxLength - HASH_CHARACTERS - 1).replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return `${cleaned}_${shortHash(text)}`;
}

/** OpenAI's chat endpoint refuses longer ids of calls. */
export const MAX_CHAT_ID = 40;

/**
 * Gives each call an id that no other call of the conversation has, also after it is cleaned. Some servers count from
 * 0 in each turn, or use one id for two calls, which would make their results ambiguous. `taken` are the ids so far.
 */
export function uniqueIds(taken: () => Iterable<string>, newId: () => string): (id: string) => string {
  let all: Set<string> | null = null;
  /** How often each id was given, so that many equal ones take linear time. */
  const counts = new Map<string, number>();
  return (given) => {
    all ??= new Set(Array.from(taken(), (id) => cleanIdentifier(id)));
    const id = given === '' ? `call_${newId()}` : given;
    let count = counts.get(id) ?? 1;
    let unique = count === 1 ? id : `${id}_${count}`;
    for (; all.has(cleanIdentifier(unique)); unique = `${id}_${count}`) count++;
    counts.set(id, count);
    all.add(cleanIdentifier(unique));
    return unique;
  };
}

const NINE_ALPHANUMERIC = /^[a-zA-Z0-9]{9}$/;

export function toNineAlphanumeric(id: string): string {
  return NINE_ALPHANUMERIC.test(id) ? id : shortHash(id, 9);
}

/**
 * Google requires a thought signature with its call. For clients without a field for it, the id carries it.
 */
const SIGNATURE_SEPARATOR = '__thought_';

export function packSignature(id: string, signature: string | undefined): string {
  const clean = cleanIdentifier(id);
  return signature === undefined
    ? clean
    : clean + SIGNATURE_SEPARATOR + Buffer.from(signature).toString('base64url');
}

export function unpackSignature(packed: string): { id: string; thoughtSignature?: string } {
  const at = packed.indexOf(SIGNATURE_SEPARATOR);
  if (at < 1) return { id: packed };
  const encoded = packed.slice(at + SIGNATURE_SEPARATOR.length);
  return { id: packed.slice(0, at), thoughtSignature: Buffer.from(encoded, 'base64url').toString() };
}

export type ToolNames = {
  /** The name as the provider accepts it. */
  toProvider(name: string): string;
  /** The name as the client wrote it. */
  toClient(name: string): string;
};

/** Shortened and cleaned names for one request, and the originals for its response. */
export function mapToolNames(names: Iterable<string>): ToolNames {
  const originals = new Map<string, string>();
  for (const name of names) originals.set(cleanIdentifier(name), name);
  return { toProvider: cleanIdentifier, toClient: (name) => originals.get(name) ?? name };
}

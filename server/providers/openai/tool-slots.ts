import type { Json } from '../../protocols/neutral';
import { asObject, asText, isObject } from '../../protocols/read-fields';
import { addParts } from '../response-limits';

/** One call, assembled from pieces. */
export type ToolSlot = {
  /** From 0 without gaps, in the order of appearance. */
  call: number;
  id: string;
  name: string;
  json: string;
  thoughtSignature: string | null;
  /** Reads each piece of the arguments once. Returns whether the object has ended. */
  endsWith: (piece: string) => boolean;
};

/**
 * Finds the call that a piece belongs to: by its index, or else by a known id, or else by its new values.
 * Providers omit any of index, id, type and name.
 */
export function collectToolSlots() {
  const slots: ToolSlot[] = [];
  const byIndex = new Map<number, ToolSlot>();
  const byId = new Map<string, ToolSlot>();

  /** `isNew` when the piece begins a call. */
  function find(piece: Json): { slot: ToolSlot; isNew: boolean } {
    const id = asText(piece.id);
    const name = asText(asObject(piece.function).name);
    const index = Number.isInteger(piece.index) ? (piece.index as number) : null;
    const known = index === null ? findWithoutIndex(id, name) : byIndex.get(index);
    const replaced = known !== undefined && id !== '' && known.id !== '' && id !== known.id && name !== '';
    if (known !== undefined && !replaced) return { slot: known, isNew: false };
    const slot: ToolSlot = {
      call: slots.length,
      id,
      name: '',
      json: '',
      thoughtSignature: null,
      endsWith: followObject(),
    };
    addParts(slots, [slot]);
    if (index !== null) byIndex.set(index, slot);
    return { slot, isNew: true };
  }

  function findWithoutIndex(id: string, name: string): ToolSlot | undefined {
    if (id !== '') return byId.get(id);
    return name === '' ? slots.at(-1) : undefined;
  }

  /** Adds a piece to its call; `json` is the piece of arguments that is new. */
  function add(piece: Json): { slot: ToolSlot; isNew: boolean; json: string } {
    const { slot, isNew } = find(piece);
    const called = asObject(piece.function);
    const json = readArguments(called.arguments);
    slot.name ||= asText(called.name);
    slot.id ||= asText(piece.id);
    if (!byId.has(slot.id)) byId.set(slot.id, slot);
    slot.json += json;
    slot.thoughtSignature ??= readThoughtSignature(piece);
    return { slot, isNew, json };
  }

  return { find, add, slots };
}

function followObject(): ToolSlot['endsWith'] {
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let hasEnded = false;
  return (piece) => {
    for (const character of piece) {
      if (isEscaped) isEscaped = false;
      else if (isString) {
        isEscaped = character === '\\';
        isString = character !== '"';
      } else if (character === '"') isString = true;
      else if (character === '{') depth++;
      else if (character === '}') hasEnded ||= --depth === 0;
    }
    return hasEnded;
  };
}

/** Arguments are a string; some providers send the object itself, or null. */
export function readArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}

/** Google's thought signature of a call. Without it, Google rejects the call later. */
export function readThoughtSignature(call: Json): string | null {
  const signature = asObject(asObject(call.extra_content).google).thought_signature;
  return typeof signature === 'string' && signature !== '' ? signature : null;
}

import { CallArguments } from '../../protocols/call-arguments';
import type { Json } from '../../protocols/neutral';
import { asObject, asText, isObject } from '../../protocols/read-fields';
import { addParts } from '../response-limits';

/** One call, assembled from pieces. */
type Slot = {
  /** From 0 without gaps, in the order in which they begin; -1 until the name is known. */
  call: number;
  id: string;
  name: string;
  arguments: CallArguments;
  thoughtSignature: string | null;
  /** What arrived before the name. */
  waiting: string;
  /** The name came again after the arguments were complete: the next ones are those of another call. */
  isRepeated: boolean;
};

type Piece = { id: string; name: string; json: string; index: number | null };

const readPiece = (piece: Json): Piece => {
  const called = asObject(piece.function);
  return {
    id: asText(piece.id),
    name: asText(called.name),
    json: readArguments(called.arguments),
    index: Number.isInteger(piece.index) ? (piece.index as number) : null,
  };
};

/**
 * Assembles the calls of a response from pieces. Providers omit any of index, id, type and name, repeat them, and use
 * one index or one id for several calls. A call begins once its name is known. `uniqueId` gives it its id.
 */
export function collectToolSlots(uniqueId: (id: string) => string) {
  const slots: Slot[] = [];
  const byIndex = new Map<number, Slot>();
  const byId = new Map<string, Slot>();
  const calls: Slot[] = [];

  function find(piece: Piece): Slot {
    const known = findKnown(piece);
    if (known !== undefined && !beginsAnother(known, piece)) return known;
    const { id, index } = piece;
    const slot: Slot = {
      call: -1,
      id,
      name: '',
      arguments: new CallArguments(),
      thoughtSignature: null,
      waiting: '',
      isRepeated: false,
    };
    if (known?.isRepeated && piece.name === '') slot.name = known.name;
    addParts(slots, [slot]);
    if (index !== null) byIndex.set(index, slot);
    if (id !== '') byId.set(id, slot);
    return slot;
  }

  function findKnown({ id, name, index }: Piece): Slot | undefined {
    const indexed = index === null ? undefined : byIndex.get(index);
    if (indexed !== undefined) return indexed;
    const identified = id === '' || (index !== null && name !== '') ? undefined : byId.get(id);
    return identified ?? (index === null ? slots.at(-1) : undefined);
  }

  /** Whether a piece cannot continue a call. Two whole objects, or two names, are never one call. */
  function beginsAnother(known: Slot, { id, name, json, index }: Piece): boolean {
    const isObjectBegun = json.trimStart().startsWith('{');
    const { isComplete, isEmpty, text } = known.arguments;
    if (name === '') return known.isRepeated && isObjectBegun;
    if (known.name === '') return false;
    if (name !== known.name) return true;
    const isOther = id !== '' && known.id !== '' && id !== known.id;
    if (isEmpty) return isOther || (id === '' && isPlaceholder(text) && isObjectBegun);
    if (!isComplete) return isOther && (isObjectBegun || index === null);
    if (isOther) return json !== '' || index === null;
    known.isRepeated ||= json === '';
    return isObjectBegun && json !== text;
  }

  /**
   * Returns what a client receives for a piece, in the same form: the piece itself if it needs no change. The first
   * piece of a call has its id, type and name.
   */
  function add(given: Json): Json[] {
    const piece = readPiece(given);
    const slot = find(piece);
    slot.id ||= piece.id;
    slot.thoughtSignature ??= readThoughtSignature(given);
    slot.name ||= piece.name;
    if (slot.name === '') {
      slot.waiting += piece.json;
      return [];
    }
    const json = slot.arguments.add(slot.waiting + piece.json);
    slot.waiting = '';
    return slot.call === -1 ? [begin(slot, given, json)] : proceed(slot, given, json);
  }

  function proceed({ call }: Slot, given: Json, json: string): Json[] {
    const { index, id, type, function: called, ...others } = given;
    const { name, arguments: sent } = asObject(called);
    const isSame = index === call && sent === json && !id && !name && (type == null || type === 'function');
    if (isSame) return [given];
    if (json === '' && Object.keys(others).length === 0) return [];
    return [Object.assign({ index: call, function: { arguments: json } }, others)];
  }

  function begin(slot: Slot, given: Json, json: string): Json {
    slot.call = calls.length;
    calls.push(slot);
    const id = uniqueId(slot.id);
    const called = asObject(given.function);
    const isSame = given.index === slot.call && given.id === id && called.name === slot.name;
    if (isSame && given.type === 'function' && called.arguments === json) return given;
    return Object.assign({}, given, {
      index: slot.call,
      id,
      type: 'function',
      function: Object.assign({}, called, { name: slot.name, arguments: json }),
      ...(slot.thoughtSignature !== null && {
        extra_content: { google: { thought_signature: slot.thoughtSignature } },
      }),
    });
  }

  /** Returns what a client receives of more arguments of a call. Null if they may be those of another one. */
  function proceedWith(call: number, json: string): string | null {
    const slot = calls[call];
    return slot === undefined || slot.isRepeated ? null : slot.arguments.add(json);
  }

  /** Returns what was held back, at the end of the response. */
  function end(): Json[] {
    return calls.flatMap(({ call, arguments: called }) => {
      const json = called.end();
      return json === '' ? [] : [{ index: call, function: { arguments: json } }];
    });
  }

  return {
    add,
    proceedWith,
    end,
    /** Some call has no name, so that it cannot be reported. */
    hasNameless: () => calls.length < slots.length,
    /** The arguments of a call are a whole object. */
    isComplete: (call: number) => calls[call]?.arguments.isComplete === true,
    count: () => calls.length,
  };
}

export type ToolSlots = ReturnType<typeof collectToolSlots>;

const isPlaceholder = (text: string): boolean => text.trim() === '{}';

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

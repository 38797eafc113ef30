import type { Envelope } from '../../protocols/chat/write';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import { PartMap } from '../response-limits';
import { readContent } from './content';
import { collectToolSlots, readArguments } from './tool-slots';
import { blankCosts } from './usage';

type Slots = ReturnType<typeof collectToolSlots>;

/**
 * Adds fields that some providers omit and without which the official clients crash: the index of the choice,
 * the role of the first delta, text as a string, the index (from 0 without gaps) and type of a call, and its
 * arguments as a string. Returns true when the chunk was changed, which is rare.
 */
export function repairChunks(): (chunk: Json) => boolean {
  const tools = new PartMap<unknown, Slots>();

  return (chunk) => {
    let isChanged = false;
    asArray(chunk.choices).forEach((given, place) => {
      const choice = asObject(given);
      if (!isObject(choice.delta)) return;
      if (choice.index === undefined) {
        choice.index = place;
        isChanged = true;
      }
      const known = tools.get(choice.index);
      const slots = known ?? collectToolSlots();
      tools.set(choice.index, slots);
      const repairs = [
        known === undefined && repairRole(choice.delta),
        repairContent(choice.delta),
        ...asArray(choice.delta.tool_calls).map((piece) => isObject(piece) && repairCall(piece, slots)),
      ];
      isChanged ||= repairs.includes(true);
    });
    return isChanged;
  };
}

/** What every chunk or response names, as far as this one does not. */
export function findMissing(json: Json, object: string, { id, created, model }: Envelope): Json {
  const missing: Json = {};
  if (asText(json.id) === '') missing.id = id;
  if (json.object !== object) missing.object = object;
  if (typeof json.created !== 'number') missing.created = created;
  if (asText(json.model) === '') missing.model = model;
  return missing;
}

/** The same as for chunks, for a whole response, which needs less. */
export function repairCompletion(completion: Json, envelope: Envelope): boolean {
  const repairs = asArray(completion.choices).flatMap((given) => {
    const choice = asObject(given);
    const message = asObject(choice.message);
    const calls = asArray(message.tool_calls).map(asObject);
    return [
      repairContent(message),
      repairFinish(choice, calls.length > 0),
      ...calls.flatMap((call) => [repairType(call), repairArguments(call)]),
    ];
  });
  const missing = findMissing(completion, 'chat.completion', envelope);
  Object.assign(completion, missing);
  return [Object.keys(missing).length > 0, blankCosts(completion), ...repairs].includes(true);
}

function repairFinish(choice: Json, hasCalls: boolean): boolean {
  if (typeof choice.finish_reason === 'string') return false;
  choice.finish_reason = hasCalls ? 'tool_calls' : 'stop';
  return true;
}

function repairRole(delta: Json): boolean {
  if (delta.role !== undefined) return false;
  delta.role = 'assistant';
  return true;
}

function repairContent(delta: Json): boolean {
  if (!Array.isArray(delta.content)) return false;
  const { text, reasoning } = readContent(delta);
  delta.content = text;
  if (reasoning !== '') delta.reasoning_content = reasoning;
  return true;
}

function repairCall(piece: Json, slots: Slots): boolean {
  const { slot, isNew } = slots.add(piece);
  const hasOddIndex = piece.index !== slot.call;
  if (hasOddIndex) piece.index = slot.call;
  return [hasOddIndex, isNew && repairType(piece), repairArguments(piece)].includes(true);
}

function repairType(call: Json): boolean {
  if (typeof call.type === 'string') return false;
  call.type = 'function';
  return true;
}

function repairArguments(call: Json): boolean {
  const called = asObject(call.function);
  if (called.arguments === undefined || typeof called.arguments === 'string') return false;
  called.arguments = readArguments(called.arguments);
  return true;
}

import { type Envelope, FINISH_REASONS } from '../../protocols/chat/write';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import {
  type Changes,
  type Fit,
  fitFields,
  isCount,
  isFilled,
  isNumber,
  isText,
  list,
  maybe,
  maybeList,
  maybeObject,
  nullable,
  objectWith,
} from '../fit';
import { addParts, PartMap } from '../response-limits';
import { readContent, readStopReason } from './content';
import { readArguments, type ToolSlots } from './tool-slots';
import { blankCosts } from './usage';

/** No request may ask for more. */
const MAX_CHOICES = 8;

/** Makes chunks and completions of the chat format fit the types of the official clients. */

const isProbable = ({ token, logprob, top_logprobs: others }: Json): boolean =>
  isText(token) &&
  isNumber(logprob) &&
  asArray(others).every((other) => isText(asObject(other).token) && isNumber(asObject(other).logprob)) &&
  Array.isArray(others);
export const PROBABILITIES: Fit = maybeList(objectWith(isProbable));

/** Other annotations than citations are extensions, and stay. */
const ANNOTATIONS: Fit = maybeList(
  objectWith(({ type, url_citation: cited }) => {
    const { start_index: start, end_index: end, url, title } = asObject(cited);
    if (type !== 'url_citation') return isFilled(type);
    return isNumber(start) && isNumber(end) && isText(url) && isText(title);
  }),
);

const OUTPUT: Record<string, Fit> = {
  reasoning_content: maybe(isText),
  reasoning: maybe(isText),
  reasoning_details: maybeList(objectWith(({ type }) => isText(type))),
  annotations: ANNOTATIONS,
  audio: maybe(isObject),
};

const DELTA: Record<string, Fit> = {
  role: maybe((role) => role === 'assistant'),
  content: maybe(isText),
  refusal: maybe(isText),
  tool_calls: maybe(Array.isArray),
  function_call: maybeObject({ name: maybe(isText), arguments: fitLegacy }),
  ...OUTPUT,
};

const KNOWN_REASONS = new Set([...Object.values(FINISH_REASONS), 'function_call']);

const CHOICE: Record<string, Fit> = {
  delta: (value) => (isObject(value) ? value : {}),
  // The text so far, which some send next to each delta.
  message: () => undefined,
  logprobs: maybeObject({ content: PROBABILITIES, refusal: PROBABILITIES }),
};

/** Reasons of providers that the format lacks are translated. */
const fitReason = (given: string, calls: { hasCalls: boolean }): string =>
  KNOWN_REASONS.has(given) ? given : FINISH_REASONS[readStopReason(given, calls)];

function fitLegacy(json: unknown): unknown {
  return json === undefined || isText(json) ? json : readArguments(json);
}

const HEAD: Record<string, Fit> = {
  choices: list((choice) => (isObject(choice) ? choice : undefined)),
  error: () => undefined,
  usage: maybe(isObject),
  service_tier: maybe(isText),
  system_fingerprint: maybe(isText),
};

export type ChoiceOptions = { choices: number; newSlots: () => ToolSlots };

/** What is known of a choice so far. */
type Choice = { slots: ToolSlots; isFinished: boolean };

/**
 * Makes the chunks of a stream fit: each choice has an index and a delta, the first delta its role, text is a string,
 * and the pieces of calls have their index and arguments. Returns the choices by their index.
 */
export function fitChunks({ choices: count, newSlots }: ChoiceOptions) {
  const choices = new PartMap<number, Choice>();
  const indexes = new PartMap<number, number>();

  function fit(chunk: Json, changes: Changes): void {
    fitFields(chunk, HEAD, changes);
    for (const [place, choice] of (chunk.choices as Json[]).entries()) fitChoice(choice, place, changes);
  }

  /** Those of several choices are their numbers. Without a request for several, they count from 0 without gaps. */
  function findIndex(given: unknown, place: number): number {
    const index = isCount(given) ? given : place;
    if (count > 1) return Math.min(index, count - 1);
    const dense = indexes.get(index) ?? Math.min(indexes.size, MAX_CHOICES - 1);
    indexes.set(index, dense);
    return dense;
  }

  function fitChoice(choice: Json, place: number, changes: Changes): void {
    const index = findIndex(choice.index, place);
    if (choice.index !== index) {
      choice.index = index;
      changes.any = true;
    }
    fitFields(choice, CHOICE, changes);
    const delta = choice.delta as Json;
    const known = choices.get(index);
    const state = known ?? { slots: newSlots(), isFinished: false };
    choices.set(index, state);
    if (readParts(delta)) changes.any = true;
    fitFields(delta, DELTA, changes);
    if (known === undefined && delta.role == null) {
      delta.role = 'assistant';
      changes.any = true;
    }
    if (isFilled(choice.finish_reason)) state.isFinished = true;
    fitCalls(delta, state, changes);
    const hasCalls = state.slots.count() > 0;
    const reason: Fit = (given) =>
      isFilled(given) ? fitReason(given, { hasCalls }) : given === undefined ? given : null;
    fitFields(choice, { finish_reason: reason }, changes);
  }

  return { fit, choices };
}

function fitCalls(delta: Json, { slots, isFinished }: Choice, changes: Changes): void {
  const given = asArray(delta.tool_calls);
  const pieces = given.filter(isObject).flatMap(slots.add);
  if (isFinished) pieces.push(...slots.end());
  if (pieces.length === given.length && pieces.every((piece, at) => piece === given[at])) return;
  delta.tool_calls = pieces.length === 0 ? undefined : pieces;
  changes.any = true;
}

/** Content in parts, as in requests, becomes text and reasoning. True if it did. */
function readParts(message: Json): boolean {
  if (!Array.isArray(message.content)) return false;
  const { text, reasoning } = readContent(message);
  message.content = text;
  if (reasoning !== '') message.reasoning_content = reasoning;
  return true;
}

/** What every chunk or response names, as far as this one does not. */
export function findMissing(json: Json, object: string, { id, created, model }: Envelope): Json {
  const missing: Json = {};
  if (asText(json.id) === '') missing.id = id;
  if (json.object !== object) missing.object = object;
  // Zero is what servers send that do not know the time.
  if (!isCount(json.created) || json.created === 0) missing.created = created;
  if (asText(json.model) === '') missing.model = model;
  return missing;
}

const MESSAGE: Record<string, Fit> = {
  role: () => 'assistant',
  content: nullable(isText),
  refusal: nullable(isText),
  function_call: (value, changes) =>
    isObject(value) && isFilled(value.name)
      ? fitFields(value, { arguments: (json) => readArguments(json) || '{}' }, changes)
      : undefined,
  ...OUTPUT,
};

/** The same as for chunks, for a whole response. */
export function fitCompletion(completion: Json, envelope: Envelope, newSlots: () => ToolSlots): boolean {
  const changes = { any: false };
  fitFields(completion, HEAD, changes);
  (completion.choices as Json[]).forEach((choice, place) => {
    if (!isCount(choice.index)) {
      choice.index = place;
      changes.any = true;
    }
    if (!isObject(choice.message)) choice.message = isObject(choice.delta) ? choice.delta : {};
    fitMessage(choice.message as Json, newSlots(), changes);
    const hasCalls = asArray((choice.message as Json).tool_calls).length > 0;
    const reason: Fit = (given) => fitReason(asText(given), { hasCalls });
    fitFields(choice, { ...COMPLETED, finish_reason: reason }, changes);
  });
  const missing = findMissing(completion, 'chat.completion', envelope);
  Object.assign(completion, missing);
  return [Object.keys(missing).length > 0, blankCosts(completion), changes.any].includes(true);
}

const COMPLETED: Record<string, Fit> = {
  delta: () => undefined,
  logprobs: maybeObject({ content: PROBABILITIES, refusal: PROBABILITIES }),
};

function fitMessage(message: Json, slots: ToolSlots, changes: Changes): void {
  if (readParts(message)) changes.any = true;
  fitFields(message, MESSAGE, changes);
  const given = message.tool_calls;
  if (given === undefined || given === null) return;
  const calls = wholeCalls(asArray(given), slots);
  if (JSON.stringify(calls) === JSON.stringify(given)) return;
  message.tool_calls = calls.length === 0 ? undefined : calls;
  changes.any = true;
}

/** The calls of a whole response, assembled like those of a stream. One without a name is left out. */
export function wholeCalls(given: readonly unknown[], slots: ToolSlots): Json[] {
  const calls: Json[] = [];
  const pieces = given.filter(isObject).map((call, index) => Object.assign({}, call, { index }));
  for (const piece of [...pieces.flatMap(slots.add), ...slots.end()]) {
    const { index, ...call } = piece;
    const begun = calls[index as number];
    if (begun === undefined) addParts(calls, [call]);
    else {
      const called = asObject(begun.function);
      called.arguments = asText(called.arguments) + asText(asObject(piece.function).arguments);
    }
  }
  for (const { function: called } of calls) {
    if (isObject(called)) called.arguments = asText(called.arguments) || '{}';
  }
  return calls;
}

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
const USAGE: Record<string, Fit> = {
  prompt_tokens_details: maybeObject({ cached_tokens: maybe(isCount), audio_tokens: maybe(isCount) }),
  completion_tokens_details: maybeObject({
    reasoning_tokens: maybe(isCount),
    audio_tokens: maybe(isCount),
    accepted_prediction_tokens: maybe(isCount),
    rejected_prediction_tokens: maybe(isCount),
  }),
};

/** Whether a report of usage has what clients read, after repairs of its details. */
export function isWholeUsage(usage: unknown, changes: Changes): usage is Json {
  if (!isObject(usage) || !COUNTS.every((name) => isCount(usage[name]))) return false;
  fitFields(usage, USAGE, changes);
  return true;
}

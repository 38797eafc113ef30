import type { Citation, Json, StreamEvent } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import type { Changes } from '../fit';
import type { ProviderProfile } from '../profiles';
import { readStreamEvent } from '../provider-event';
import { brokenResponse, type ProviderFailure, readEmbeddedFailure } from '../provider-failure';
import { deriveUsage, keepLarger } from '../reported-counts';
import { addParts } from '../response-limits';
import type { StreamFacts } from '../stream-relay';
import type { ResponseReader } from '../wire-format';
import { countOutputBytes, FAILED, readContent, readStopReason } from './content';
import { type ChoiceOptions, fitChunks } from './fit-chat';
import { findSearch, readAnnotations } from './router-search';
import { collectToolSlots, readThoughtSignature } from './tool-slots';
import { findCost, findUsages, largerCost, readCounts } from './usage';

const CUT_OFF = 'the provider ended its response without finishing it';

/** Whether a chunk contains a part of a response. */
const says = (chunk: Json): boolean => asArray(chunk.choices).some(isObject) || findUsages(chunk).length > 0;

export type ChunkOptions = ChoiceOptions & { profile: ProviderProfile; facts: StreamFacts };

/**
 * Reads the chunks of a stream, in all the shapes that providers send, as the official clients expect them. `read`
 * returns null for an event that is not for the client. The facts receive the metered values, such as the latest usage,
 * wherever it is in the chunk.
 */
export function readChunks({ profile, facts, ...options }: ChunkOptions) {
  const { fit: fitChunk, choices } = fitChunks(options);
  let isDone = false;
  /** The last event was none that is known: an end after it may not be that of the response. */
  let isDoubtful = false;
  const meter = (chunk: Json) => meterUsage(chunk, profile, facts);

  function read(data: string, name: string): { chunk: Json; changes: Changes } | null {
    const chunk = readStreamEvent(data, name, facts, { says, meter });
    if (chunk === 'done') {
      isDone ||= facts.started && !isDoubtful;
      facts.ended ||= isDone;
    }
    if (chunk === 'done' || chunk === null) return null;
    meter(chunk);
    const failure = facts.ended ? null : findChunkFailure(chunk);
    if (failure !== null) {
      facts.failure = failure;
      return null;
    }
    if (isDone) return null;
    isDoubtful = !says(chunk) && chunk.type !== 'ping' && Object.keys(chunk).length > 0 && !isPreamble(chunk);
    if (!says(chunk) && !isPreamble(chunk)) return null;
    const changes = { any: facts.started || !isWholeCompletion(chunk) ? false : toChunk(chunk) };
    meterOutput(chunk, profile, facts);
    fitChunk(chunk, changes);
    facts.started ||= choices.size > 0;
    facts.ended ||= facts.started && unfinished().length === 0;
    return { chunk, changes };
  }

  const unfinished = () => [...choices].filter(([, { isFinished }]) => !isFinished);

  /** Whether the response is complete: then the choices that have no finish reason, because only the end mark came. */
  function close(): { index: number; calls: number; rest: Json[] }[] | null {
    const isNameless = [...choices.values()].some(({ slots }) => slots.hasNameless());
    facts.finished = facts.ended && !isNameless;
    if (!facts.finished) {
      facts.failure = brokenResponse(CUT_OFF);
      return null;
    }
    return unfinished().map(([index, { slots }]) => ({ index, calls: slots.count(), rest: slots.end() }));
  }

  return { read, close, choiceOf: ({ index }: Json) => choices.get(index as number) };
}

/** A first chunk without choices, such as the results of a filter for the prompt. */
const isPreamble = ({ choices }: Json): boolean => Array.isArray(choices);

/** A whole response although a stream was requested. Some providers send the text so far next to each delta. */
function isWholeCompletion(chunk: Json): boolean {
  const { message, delta } = asObject(asArray(chunk.choices)[0]);
  return isObject(message) && !isObject(delta);
}

/** Turns a whole response into one chunk. */
function toChunk(completion: Json): true {
  for (const choice of asArray(completion.choices).filter(isObject)) {
    const message = asObject(choice.message);
    const hasCalls = asArray(message.tool_calls).length > 0;
    choice.delta = message;
    if (asText(choice.finish_reason) === '') choice.finish_reason = hasCalls ? 'tool_calls' : 'stop';
  }
  return true;
}

function findChunkFailure(chunk: Json): ProviderFailure | null {
  const failed = asArray(chunk.choices)
    .map(asObject)
    .find((choice) => choice.finish_reason === FAILED);
  const error = failed === undefined ? asObject(chunk.x_groq).error : (failed.error ?? FAILED);
  return error ? readEmbeddedFailure({ error }) : null;
}

/** Adds what a chunk reports to what earlier ones did. */
function meterUsage(chunk: Json, profile: ProviderProfile, facts: StreamFacts): void {
  const usages = findUsages(chunk);
  const counts = readCounts(usages, profile);
  if (counts === null) return;
  facts.counts = keepLarger(facts.counts, counts);
  Object.assign(facts, deriveUsage(facts.counts, profile.reasoningOutsideOutput));
  facts.providerCost = largerCost(facts.providerCost, findCost(usages, profile));
}

function meterOutput(chunk: Json, profile: ProviderProfile, facts: StreamFacts): void {
  for (const choice of asArray(chunk.choices).map(asObject)) {
    const delta = asObject(choice.delta);
    const bytes = countOutputBytes(delta);
    facts.outputBytes += bytes;
    if (bytes > 0) facts.outputDeltas++;
    // OpenRouter reports its searches with the usage; until then, there was at least one if there are sources.
    if (readAnnotations(delta, profile).length > 0) facts.searches = 1;
  }
}

/** Reads a chat-completions stream as neutral events. */
export function readChatEvents(
  profile: ProviderProfile,
  facts: StreamFacts,
  newId: () => string,
): ResponseReader {
  const tools = collectToolSlots(String);
  const chunks = readChunks({ profile, facts, choices: 1, newSlots: () => tools });
  /** Calls that have not ended, and of these the complete ones. */
  const open = new Set<number>();
  const complete = new Set<number>();
  let hasStarted = false;
  let isThinking = false;
  let finish = '';
  let refusal = '';
  /** Of the sources that the text cites. */
  const citations: Citation[] = [];

  function read(data: string, name: string): StreamEvent[] {
    const known = chunks.read(data, name);
    const choice = asArray(known?.chunk.choices)[0];
    if (!isObject(choice)) return [];
    const events = readDelta(asObject(choice.delta));
    finish = asText(choice.finish_reason) || finish;
    if (hasStarted) return events;
    hasStarted = true;
    return [{ type: 'start' }, ...events];
  }

  /** A chunk may contain everything: reasoning, text and calls, in this order. */
  function readDelta(delta: Json): StreamEvent[] {
    const { reasoning, text, refusal: refused } = readContent(delta);
    const events: StreamEvent[] = [];
    addParts(citations, readAnnotations(delta, profile));
    if (reasoning !== '') events.push(...endCalls(complete), { type: 'reasoning-delta', text: reasoning });
    isThinking ||= reasoning !== '';
    if (text !== '') events.push(...endThought(), ...endCalls(complete), { type: 'text-delta', text });
    if (refused !== '') events.push(...endThought(), { type: 'refusal-delta', text: refused });
    refusal += refused;
    const legacy = isObject(delta.function_call)
      ? tools.add({ index: 0, function: delta.function_call })
      : [];
    for (const piece of [...asArray(delta.tool_calls), ...legacy])
      events.push(...readCallPiece(asObject(piece)));
    return events;
  }

  /** The first piece of a call has its name. */
  function readCallPiece(piece: Json): StreamEvent[] {
    const call = piece.index as number;
    const { name, arguments: json } = asObject(piece.function);
    const delta: StreamEvent[] =
      asText(json) === '' ? [] : [{ type: 'tool-delta', call, json: asText(json) }];
    if (call < begun) {
      noteComplete(call);
      return delta;
    }
    const before = [...endThought(), ...endCalls(complete)];
    begun++;
    open.add(call);
    noteComplete(call);
    const thought = readThoughtSignature(piece);
    const signature = thought === null ? {} : { thoughtSignature: thought };
    return [
      ...before,
      { type: 'tool-start', call, id: asText(piece.id), name: asText(name), ...signature },
      ...delta,
    ];
  }
  let begun = 0;

  function endThought(): StreamEvent[] {
    const was = isThinking;
    isThinking = false;
    return was ? [{ type: 'reasoning-end', signature: null }] : [];
  }

  function noteComplete(call: number): void {
    if (open.has(call) && tools.isComplete(call)) complete.add(call);
  }

  function endCalls(ending: ReadonlySet<number>): StreamEvent[] {
    const over = [...ending];
    complete.clear();
    for (const call of over) open.delete(call);
    return over.map((call) => ({ type: 'tool-end', call }));
  }

  /** OpenRouter names the sources at any point of the stream. */
  function endText(): StreamEvent[] {
    if (citations.length === 0) return [];
    return [{ type: 'text-end', citations }, ...findSearch(citations, newId)];
  }

  function close(): StreamEvent[] {
    const ended = chunks.close();
    if (ended === null) return [];
    const rest = ended.flatMap((choice) => choice.rest.flatMap(readCallPiece));
    const reason = refusal === '' ? readStopReason(finish, { hasCalls: tools.count() > 0 }) : 'refusal';
    const explanation = refusal === '' ? null : refusal;
    return [
      ...rest,
      ...endThought(),
      ...endCalls(open),
      ...endText(),
      { type: 'finish', reason, stopSequence: null, explanation },
    ];
  }

  return { read, close };
}

import type { Citation, Json, StreamEvent } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, parseObject } from '../../protocols/read-fields';
import type { ProviderProfile } from '../profiles';
import { brokenResponse, readEmbeddedFailure } from '../provider-failure';
import { deriveUsage, keepLarger } from '../reported-counts';
import { responseEvents } from '../response-events';
import type { StreamFacts } from '../stream-relay';
import type { ResponseReader } from '../wire-format';
import { countOutputBytes, FAILED, readContent, readStopReason } from './content';
import { readResponse, uniqueId } from './response';
import { findSearch, readAnnotations } from './router-search';
import { collectToolSlots, type ToolSlot } from './tool-slots';
import { findCost, findUsages, largerCost, readCounts } from './usage';

export const DONE = '[DONE]';
const NOT_JSON = 'the provider sent an event that is not JSON';
const CUT_OFF = 'the provider ended its response without finishing it';

/**
 * Returns the chunk of an event, or null when it cannot be read; `facts` then contain the reason. The facts
 * also receive the metered values: all usage so far, wherever it is in a chunk.
 */
export function readChunk(data: string, profile: ProviderProfile, facts: StreamFacts): Json | null {
  const chunk = parseObject(data);
  if (chunk === null) {
    facts.failure = brokenResponse(NOT_JSON);
    return null;
  }
  noteUsage(chunk, profile, facts);
  const failedChoice = asArray(chunk.choices)
    .map(asObject)
    .find((choice) => choice.finish_reason === FAILED);
  if (chunk.error || failedChoice) {
    facts.failure = readEmbeddedFailure(chunk.error ? chunk : { error: failedChoice?.error });
    return null;
  }
  for (const choice of asArray(chunk.choices).map(asObject)) {
    const delta = asObject(choice.delta ?? choice.message);
    const bytes = countOutputBytes(delta);
    facts.outputBytes += bytes;
    if (bytes > 0) facts.outputDeltas++;
    // OpenRouter reports its searches with the usage; until then, there was at least one if there are sources.
    if (readAnnotations(delta, profile).length > 0) facts.searches = 1;
  }
  return chunk;
}

/** Adds what a chunk reports to what earlier ones did. */
function noteUsage(chunk: Json, profile: ProviderProfile, facts: StreamFacts): void {
  const usages = findUsages(chunk);
  const counts = readCounts(usages, profile);
  if (counts === null) return;
  facts.counts = keepLarger(facts.counts, counts);
  Object.assign(facts, deriveUsage(facts.counts, profile.reasoningOutsideOutput));
  facts.providerCost = largerCost(facts.providerCost, findCost(usages, profile));
}

/** A whole response although a stream was requested. Some providers send the text so far next to each delta. */
export function isWholeCompletion(chunk: Json): boolean {
  const { message, delta } = asObject(asArray(chunk.choices)[0]);
  return isObject(message) && !isObject(delta);
}

/** Reads a chat-completions stream, in all the shapes that providers send, as neutral events. */
export function readChatEvents(
  profile: ProviderProfile,
  facts: StreamFacts,
  newId: () => string,
): ResponseReader {
  const tools = collectToolSlots();
  const ids = new Set<string>();
  /** Calls that the client has seen, and those that have ended. */
  const started = new Set<ToolSlot>();
  const ended = new Set<ToolSlot>();
  let isThinking = false;
  let finish: string | null = null;
  let isDone = false;
  let refusal = '';
  /** Of the sources that the text cites. */
  const citations: Citation[] = [];
  let whole: StreamEvent[] | null = null;

  function read(data: string): StreamEvent[] {
    if (data === DONE) {
      isDone = true;
      return [];
    }
    const chunk = readChunk(data, profile, facts);
    if (chunk === null) return [];
    if (isWholeCompletion(chunk)) return readWhole(chunk);
    const choice = asObject(asArray(chunk.choices)[0]);
    const events = isObject(choice.delta) ? readDelta(choice.delta) : [];
    if (asText(choice.finish_reason) !== '') finish = asText(choice.finish_reason);
    const isResponse = asArray(chunk.choices).length > 0;
    if (!isResponse || facts.started) return events;
    facts.started = true;
    return [{ type: 'start' }, ...events];
  }

  function readWhole(completion: Json): StreamEvent[] {
    facts.started = true;
    whole = responseEvents(
      readResponse(completion, { provider: profile, newId, jsonTool: null, warnings: [] }),
    );
    return whole.filter(({ type }) => type !== 'finish');
  }

  /** A chunk may contain everything: reasoning, text and calls, in this order. */
  function readDelta(delta: Json): StreamEvent[] {
    const { reasoning, text, refusal: refused } = readContent(delta);
    const events: StreamEvent[] = [];
    citations.push(...readAnnotations(delta, profile));
    if (reasoning !== '') events.push(...endCompleteCalls(), { type: 'reasoning-delta', text: reasoning });
    isThinking ||= reasoning !== '';
    if (text !== '') events.push(...endThought(), ...endCompleteCalls(), { type: 'text-delta', text });
    if (refused !== '') events.push(...endThought(), { type: 'refusal-delta', text: refused });
    refusal += refused;
    const legacy = isObject(delta.function_call) ? [{ index: 0, function: delta.function_call }] : [];
    for (const piece of [...asArray(delta.tool_calls), ...legacy])
      events.push(...readCallPiece(asObject(piece)));
    return events;
  }

  /** A call starts once its name is known; earlier pieces wait in its slot. */
  function readCallPiece(piece: Json): StreamEvent[] {
    const { slot, json } = tools.add(piece);
    if (started.has(slot))
      return json === '' || ended.has(slot) ? [] : [{ type: 'tool-delta', call: callOf(slot), json }];
    if (slot.name === '') return [];
    const before = [...endThought(), ...endCompleteCalls()];
    started.add(slot);
    const id = uniqueId(slot.id || `call_${newId()}`, ids);
    const call = callOf(slot);
    const thought = slot.thoughtSignature === null ? {} : { thoughtSignature: slot.thoughtSignature };
    const first: StreamEvent[] = slot.json === '' ? [] : [{ type: 'tool-delta', call, json: slot.json }];
    return [...before, { type: 'tool-start', call, id, name: slot.name, ...thought }, ...first];
  }

  const callOf = (slot: ToolSlot): number => [...started].indexOf(slot);

  function endThought(): StreamEvent[] {
    const was = isThinking;
    isThinking = false;
    return was ? [{ type: 'reasoning-end', signature: null }] : [];
  }

  function endCompleteCalls(): StreamEvent[] {
    return endCalls((slot) => parseObject(slot.json) !== null);
  }

  function endCalls(isOver: (slot: ToolSlot) => boolean): StreamEvent[] {
    const over = [...started].filter((slot) => !ended.has(slot) && isOver(slot));
    for (const slot of over) ended.add(slot);
    return over.map((slot) => ({ type: 'tool-end', call: callOf(slot) }));
  }

  /** OpenRouter names the sources at any point of the stream. */
  function endText(): StreamEvent[] {
    if (citations.length === 0) return [];
    return [{ type: 'text-end', citations }, ...findSearch(citations, newId)];
  }

  function close(): StreamEvent[] {
    facts.finished = facts.started && (isDone || finish !== null || whole !== null);
    if (!facts.finished || started.size < tools.slots.length) {
      facts.finished = false;
      facts.failure = brokenResponse(CUT_OFF);
      return [];
    }
    if (whole !== null) return whole.filter(({ type }) => type === 'finish');
    const reason = refusal === '' ? readStopReason(finish ?? '', { hasCalls: started.size > 0 }) : 'refusal';
    const explanation = refusal === '' ? null : refusal;
    return [
      ...endThought(),
      ...endCalls(() => true),
      ...endText(),
      { type: 'finish', reason, stopSequence: null, explanation },
    ];
  }

  return { read, close };
}

import type { Citation, Json, StopReason, StreamEvent } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import { readStreamEvent } from '../provider-event';
import { brokenResponse, readEmbeddedFailure } from '../provider-failure';
import { deriveUsage, keepLarger } from '../reported-counts';
import { addParts, PartMap } from '../response-limits';
import type { StreamFacts } from '../stream-relay';
import type { ResponseReader } from '../wire-format';
import { readCitation, readEnd, readSearch } from './read-output';
import { isSearch, readCounts } from './usage';

/** Before these events, a failure can still become an error status: nothing was produced. */
const PREPARATION = new Set(['response.created', 'response.in_progress', 'response.queued']);
const ENDS = new Set(['response.completed', 'response.incomplete']);

const says = ({ type }: Json): boolean => asText(type).startsWith('response.');

type ReadEvent = { type: string; event: Json; response: Json | null };

/** Returns the event and meters its output. Returns null when the response ended early; `facts` contain why. */
export function readEvent(data: string, name: string, facts: StreamFacts): ReadEvent | null {
  const event = readStreamEvent(data, name, facts, {
    says,
    meter: ({ response }) => noteUsage(asObject(response), facts),
  });
  if (event === 'done' || event === null || facts.ended) return null;
  const type = asText(event.type);
  const response = isObject(event.response) ? event.response : null;
  if (response === null) meter(type, event, facts);
  else noteUsage(response, facts);
  const { status, error } = response ?? {};
  if (type === 'response.failed' || status === 'failed' || isObject(error)) {
    facts.failure = readEmbeddedFailure(response ?? event);
    return null;
  }
  facts.ended ||= response !== null && ENDS.has(type);
  facts.started ||= says(event) && !PREPARATION.has(type);
  return { type, event, response };
}

function noteUsage(response: Json, facts: StreamFacts): void {
  const counts = readCounts(response);
  // The end may not repeat the searches.
  counts.searches = Math.max(counts.searches ?? 0, facts.searches);
  facts.counts = keepLarger(facts.counts, counts);
  Object.assign(facts, deriveUsage(facts.counts, false));
}

function meter(type: string, event: Json, facts: StreamFacts): void {
  const added = type === 'response.output_item.added' ? asText(asObject(event.item).name) : '';
  const bytes = Buffer.byteLength(type.endsWith('.delta') ? asText(event.delta) : added);
  facts.outputBytes += bytes;
  if (bytes > 0) facts.outputDeltas++;
  if (type === 'response.output_item.done' && isSearch(asObject(event.item))) facts.searches++;
}

export const isEnd = ({ type, response }: ReadEvent): boolean => response !== null && ENDS.has(type);

/** The failure of a stream without its last event. */
export const unfinished = () => brokenResponse('the provider ended its response without finishing it');

/** Reads a responses stream as neutral events. */
export function readResponseEvents(facts: StreamFacts): ResponseReader {
  /** The calls by their output item. */
  const calls = new PartMap<unknown, { call: number; hasArguments: boolean }>();
  let citations: Citation[] = [];
  let hasThought = false;
  let hasBegun = false;
  let end: { reason: StopReason; explanation: string | null } | null = null;

  function read(data: string, name: string): StreamEvent[] {
    const known = readEvent(data, name, facts);
    if (known === null) return [];
    if (isEnd(known)) end = readEnd(known.response ?? {});
    const events = readAny(known.type, known.event);
    if (hasBegun || !facts.started) return events;
    hasBegun = true;
    return [{ type: 'start' }, ...events];
  }

  function readAny(type: string, event: Json): StreamEvent[] {
    const delta = asText(event.delta);
    switch (type) {
      case 'response.output_item.added':
        return startItem(asObject(event.item), event.output_index);
      case 'response.output_text.delta':
        return delta === '' ? [] : [{ type: 'text-delta', text: delta }];
      case 'response.output_text.annotation.added':
        addParts(citations, readCitation(event.annotation));
        return [];
      case 'response.content_part.done':
        return endPart(asObject(event.part));
      case 'response.refusal.delta':
        return delta === '' ? [] : [{ type: 'refusal-delta', text: delta }];
      case 'response.reasoning_summary_text.delta':
        hasThought ||= delta !== '';
        return delta === '' ? [] : [{ type: 'reasoning-delta', text: delta }];
      case 'response.function_call_arguments.delta':
        return addArguments(event.output_index, delta);
      case 'response.output_item.done':
        return endItem(asObject(event.item), event.output_index);
      default:
        return [];
    }
  }

  function startItem({ type, call_id: id, name }: Json, index: unknown): StreamEvent[] {
    if (type !== 'function_call') return [];
    const call = calls.size;
    calls.set(index, { call, hasArguments: false });
    return [{ type: 'tool-start', call, id: asText(id), name: asText(name) }];
  }

  function addArguments(index: unknown, json: string): StreamEvent[] {
    const open = calls.get(index);
    if (open === undefined || json === '') return [];
    open.hasArguments = true;
    return [{ type: 'tool-delta', call: open.call, json }];
  }

  function endPart({ type, annotations }: Json): StreamEvent[] {
    if (type !== 'output_text') return [];
    const cited = citations.length > 0 ? citations : asArray(annotations).flatMap(readCitation);
    citations = [];
    return [{ type: 'text-end', citations: cited }];
  }

  function endItem(item: Json, index: unknown): StreamEvent[] {
    if (item.type === 'web_search_call') return readSearch(item);
    if (item.type === 'reasoning' && hasThought) {
      hasThought = false;
      return [{ type: 'reasoning-end', signature: null }];
    }
    const open = calls.get(index);
    if (item.type !== 'function_call' || open === undefined) return [];
    const { call } = open;
    const json = asText(item.arguments) || '{}';
    const whole: StreamEvent[] = open.hasArguments ? [] : [{ type: 'tool-delta', call, json }];
    return [...whole, { type: 'tool-end', call }];
  }

  function close(): StreamEvent[] {
    facts.finished = end !== null;
    if (end !== null) return [{ type: 'finish', stopSequence: null, ...end }];
    facts.failure = unfinished();
    return [];
  }

  return { read, close };
}

import type { Citation, Json, StreamEvent } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, parseJson } from '../../protocols/read-fields';
import { readCount } from '../count';
import { type Changes, type Fit, fitFields, isFilled, isText, maybe, nullable } from '../fit';
import { readStreamEvent } from '../provider-event';
import { brokenResponse } from '../provider-failure';
import { addParts, PartMap } from '../response-limits';
import type { StreamFacts } from '../stream-relay';
import type { ResponseReader } from '../wire-format';
import { type EventOptions, fitEvents, messageEvents } from './fit-message';
import {
  isSearchCall,
  isSearchResult,
  readCitations,
  readFacts,
  readQuery,
  readSearch,
  readStopReason,
} from './response';
import { agreesWith, mergeUsage, readUsage } from './usage';

const KNOWN = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'ping',
  'message',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
]);

const says = ({ type }: Json): boolean => KNOWN.has(asText(type));

/**
 * Reads the events of a stream as the official clients expect them, and meters them. `read` returns none for an event
 * that is not for the client, and several for one that lacks what comes before or after it.
 */
export function readEvents(facts: StreamFacts, options: EventOptions) {
  const blocks = fitEvents(options);
  const { note: noteUsage, agrees } = collectUsage(facts);
  let isStopped = false;
  let hasCalls = false;
  let stopReason = '';

  const meter = ({ usage, message }: Json) => noteUsage(usage ?? asObject(message).usage, { isFinal: true });

  function read(data: string, name: string, changes: Changes): Json[] {
    const event = readStreamEvent(data, name, facts, { says, meter });
    if (event === 'done' || event === null || isStopped || !says(event)) return [];
    meterOutput(event, facts);
    if (event.type !== 'message') return fitEvent(event, changes);
    if (facts.started || !Array.isArray(event.content)) return [];
    changes.any = true;
    return messageEvents(event).flatMap((each) => fitEvent(each, changes));
  }

  function fitEvent(event: Json, changes: Changes): Json[] {
    if (event.type !== 'ping') facts.started = true;
    switch (event.type) {
      case 'message_start':
        fitFields(event, { message: (message) => asObject(message) }, changes);
        noteUsage(asObject(event.message).usage, { isFinal: false });
        return [...blocks.end(), event];
      case 'message_delta':
        return fitEnd(event, changes);
      case 'message_stop':
        isStopped = true;
        facts.ended = true;
        return blocks.end();
      default:
        return blocks.fit(event, changes).filter(isNamed);
    }
  }

  /** A call without a name cannot be reported. */
  function isNamed({ type, content_block: content }: Json): boolean {
    const block = asObject(content);
    if (type !== 'content_block_start' || block.type !== 'tool_use') return true;
    hasCalls = true;
    if (asText(block.name) !== '') return true;
    facts.failure = brokenResponse('the provider sent a call without a name');
    return false;
  }

  function fitEnd(event: Json, changes: Changes): Json[] {
    fitFields(event, { delta: (delta) => asObject(delta) }, changes);
    const delta = event.delta as Json;
    const reason: Fit = (given) => (isFilled(given) ? given : stopReason || null);
    fitFields(
      delta,
      { stop_reason: reason, stop_sequence: nullable(isText), stop_details: maybe(isObject) },
      changes,
    );
    stopReason = asText(delta.stop_reason);
    facts.ended ||= stopReason !== '';
    noteUsage(event.usage, { isFinal: true });
    return stopReason === '' ? [event] : [...blocks.end(), event];
  }

  /** Whether the response is complete: then the events and the reason that it lacks. */
  function close(): { events: Json[]; reason: string | null } | null {
    facts.finished = facts.started && facts.ended;
    if (!facts.finished) {
      facts.failure = brokenResponse('the provider ended its response without finishing it');
      return null;
    }
    const reason = hasCalls ? 'tool_use' : 'end_turn';
    return { events: blocks.end(), reason: stopReason === '' ? reason : null };
  }

  return { read, close, agrees, proceedWith: blocks.proceedWith };
}

function meterOutput(event: Json, facts: StreamFacts): void {
  const isWhole = event.type === 'message' && !facts.started;
  const bytes = isWhole ? readFacts(event).outputBytes : countOutputBytes(event);
  facts.outputBytes += bytes;
  if (bytes > 0) facts.outputDeltas++;
  const blocks = isWhole ? asArray(event.content).map(asObject) : [asObject(event.content_block)];
  facts.searches += blocks.filter(isSearchResult).length;
}

/** Bytes of output: the base of an estimate. */
function countOutputBytes(event: Json): number {
  const delta = asObject(event.delta);
  const block = asObject(event.content_block);
  const called = block.type === 'tool_use' ? asText(block.name) : '';
  const begun = asText(block.text) + asText(block.thinking);
  return Buffer.byteLength(
    called + begun + asText(delta.text) + asText(delta.thinking) + asText(delta.partial_json),
  );
}

type UsageNote = { isFinal: boolean };

/** Keeps the usage of a stream: reports are cumulative, and none adds to an earlier one. */
function collectUsage(facts: StreamFacts) {
  let merged: Json = {};
  const note = (usage: unknown, { isFinal }: UsageNote): void => {
    merged = mergeUsage(merged, usage);
    const reported = readUsage(merged, facts.searches);
    facts.usage = reported.usage;
    facts.inputReported = reported.inputReported;
    // The count at the start covers only the first token, and a zero after output reports nothing.
    const output = readCount(asObject(usage).output_tokens);
    if (isFinal && output !== null && (output > 0 || facts.outputBytes === 0)) facts.outputReported = true;
  };
  return { note, agrees: (usage: unknown) => agreesWith(merged, usage) };
}

const END_FIELDS = ['stop_reason', 'stop_sequence', 'stop_details'];

/** What is known of the end of a message. */
function mergeEnd(earlier: Json, given: unknown): Json {
  const merged: Json = {};
  for (const name of END_FIELDS) merged[name] = asObject(given)[name] ?? earlier[name];
  return merged;
}

type Block =
  | { kind: 'text'; citations: Citation[] }
  | { kind: 'thinking'; signature: string }
  | { kind: 'tool'; call: number; input: Json; hasArguments: boolean }
  /** Our own tool for JSON output: its arguments are text of the response. */
  | { kind: 'json'; input: Json; hasArguments: boolean }
  | { kind: 'search'; id: unknown; json: string }
  | { kind: 'other' };

/** Reads a messages stream as neutral events. */
export function readMessageEvents(
  facts: StreamFacts,
  { jsonTool }: { jsonTool: string | null },
): ResponseReader {
  const blocks = new PartMap<unknown, Block>();
  /** By the id of their search. */
  const queries = new PartMap<unknown, string>();
  const { read: readEach, close: closeEvents } = readEvents(facts, { uniqueId: String, isStrict: false });
  let calls = 0;
  let hasJson = false;
  let hasStarted = false;
  let delta: Json = {};

  function read(data: string, name: string): StreamEvent[] {
    const events = readEach(data, name, { any: false }).flatMap(readAny);
    if (hasStarted || !facts.started) return events;
    hasStarted = true;
    return [{ type: 'start' }, ...events];
  }

  function readAny(event: Json): StreamEvent[] {
    switch (event.type) {
      case 'content_block_start':
        return startBlock(event.index, asObject(event.content_block));
      case 'content_block_delta':
        return readDelta(blocks.get(event.index) ?? { kind: 'other' }, asObject(event.delta));
      case 'content_block_stop':
        return stopBlock(event.index);
      case 'message_delta':
        delta = mergeEnd(delta, event.delta);
        return [];
      case 'ping':
        return [{ type: 'ping' }];
      default:
        return [];
    }
  }

  function startBlock(index: unknown, content: Json): StreamEvent[] {
    const block = openBlock(content);
    blocks.set(index, block);
    if (block.kind === 'tool') {
      return [{ type: 'tool-start', call: block.call, id: asText(content.id), name: asText(content.name) }];
    }
    if (content.type === 'web_search_tool_result')
      return [readSearch(content, queries.get(content.tool_use_id) ?? '')];
    if (content.type === 'redacted_thinking')
      return [{ type: 'redacted-reasoning', data: asText(content.data) }];
    return [];
  }

  function openBlock(content: Json): Block {
    if (content.type === 'text') return { kind: 'text', citations: readCitations(content.citations) };
    if (content.type === 'thinking') return { kind: 'thinking', signature: asText(content.signature) };
    if (isSearchCall(content)) {
      queries.set(content.id, readQuery(content.input));
      return { kind: 'search', id: content.id, json: '' };
    }
    if (content.type !== 'tool_use') return { kind: 'other' };
    const start = { input: asObject(content.input), hasArguments: false };
    if (jsonTool === null || content.name !== jsonTool) return { kind: 'tool', call: calls++, ...start };
    hasJson = true;
    return { kind: 'json', ...start };
  }

  function stopBlock(index: unknown): StreamEvent[] {
    const block = blocks.get(index);
    blocks.delete(index);
    if (block?.kind === 'search' && block.json !== '')
      queries.set(block.id, readQuery(parseJson(block.json)));
    return block === undefined ? [] : endBlock(block);
  }

  function close(): StreamEvent[] {
    const ended = closeEvents();
    if (ended === null) return [];
    const open = ended.events.flatMap(readAny);
    const reason = readStopReason(ended.reason ?? asText(delta.stop_reason), {
      jsonTool: hasJson ? jsonTool : null,
      hasSearched: queries.size > 0,
    });
    const explanation = asText(asObject(delta.stop_details).explanation) || null;
    return [
      ...open,
      { type: 'finish', reason, stopSequence: asText(delta.stop_sequence) || null, explanation },
    ];
  }

  return { read, close };
}

function readDelta(block: Block, delta: Json): StreamEvent[] {
  switch (delta.type) {
    case 'text_delta':
      return textEvents(asText(delta.text));
    case 'thinking_delta':
      return asText(delta.thinking) === '' ? [] : [{ type: 'reasoning-delta', text: asText(delta.thinking) }];
    case 'signature_delta':
      if (block.kind === 'thinking') block.signature += asText(delta.signature);
      return [];
    case 'citations_delta':
      if (block.kind === 'text') addParts(block.citations, readCitations([delta.citation]));
      return [];
    case 'input_json_delta':
      return readArguments(block, asText(delta.partial_json));
    default:
      return [];
  }
}

function readArguments(block: Block, json: string): StreamEvent[] {
  if (block.kind === 'search') block.json += json;
  if (json === '' || (block.kind !== 'tool' && block.kind !== 'json')) return [];
  block.hasArguments = true;
  return block.kind === 'tool' ? [{ type: 'tool-delta', call: block.call, json }] : textEvents(json);
}

/** A call without arguments gets `{}`: clients would otherwise parse an empty text. */
function endBlock(block: Block): StreamEvent[] {
  switch (block.kind) {
    case 'text':
      return [{ type: 'text-end', citations: block.citations }];
    case 'thinking':
      return [{ type: 'reasoning-end', signature: block.signature || null }];
    case 'tool': {
      const { call } = block;
      const json: StreamEvent[] = block.hasArguments
        ? []
        : [{ type: 'tool-delta', call, json: JSON.stringify(block.input) }];
      return [...json, { type: 'tool-end', call }];
    }
    case 'json':
      return [
        ...(block.hasArguments ? [] : textEvents(JSON.stringify(block.input))),
        { type: 'text-end', citations: [] },
      ];
    case 'search':
    case 'other':
      return [];
  }
}

function textEvents(text: string): StreamEvent[] {
  return text === '' ? [] : [{ type: 'text-delta', text }];
}

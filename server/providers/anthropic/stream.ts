import type { Citation, Json, StreamEvent } from '../../protocols/neutral';
import { asObject, asText, isObject, parseJson, parseObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import { brokenResponse, readEmbeddedFailure } from '../provider-failure';
import { responseEvents } from '../response-events';
import type { StreamFacts } from '../stream-relay';
import type { ResponseReader } from '../wire-format';
import {
  isSearchCall,
  readCitations,
  readFacts,
  readQuery,
  readResponse,
  readSearch,
  readStopReason,
} from './response';
import { agreesWith, mergeUsage, readUsage } from './usage';

/**
 * Returns the event and meters its output. Returns null when the response ended early; `facts` then contain
 * the reason.
 */
export function readEvent(data: string, facts: StreamFacts): Json | null {
  const event = parseObject(data);
  if (event === null) facts.failure = brokenResponse('the provider sent an event that is not JSON');
  else if (event.type === 'error' || isObject(event.error)) facts.failure = readEmbeddedFailure(event);
  if (event === null || facts.failure !== null) return null;
  const bytes = isWholeMessage(event) ? readFacts(event).outputBytes : countOutputBytes(event);
  facts.outputBytes += bytes;
  if (bytes > 0) facts.outputDeltas++;
  if (isSearchResult(asObject(event.content_block))) facts.searches++;
  return event;
}

/** The results of a search; a failed one, which is not billed, has an error in their place. */
const isSearchResult = ({ type, content }: Json): boolean =>
  type === 'web_search_tool_result' && Array.isArray(content);

/** Bytes of output: the base of an estimate. */
function countOutputBytes(event: Json): number {
  const delta = asObject(event.delta);
  const block = asObject(event.content_block);
  const called = block.type === 'tool_use' ? asText(block.name) : '';
  return Buffer.byteLength(called + asText(delta.text) + asText(delta.thinking) + asText(delta.partial_json));
}

type UsageNote = { isFinal: boolean };

/**
 * Keeps the usage of a stream: reports are cumulative, and none adds to an earlier one. Returns whether a report agrees
 * with all of them.
 */
export function collectUsage(facts: StreamFacts): (usage: unknown, note: UsageNote) => boolean {
  let merged: Json = {};
  return (usage, { isFinal }) => {
    merged = mergeUsage(merged, usage);
    const reported = readUsage(merged);
    facts.usage = reported.usage;
    facts.inputReported = reported.inputReported;
    // The count at the start covers only the first token, and a zero after output reports nothing.
    const output = readCount(asObject(usage).output_tokens);
    if (isFinal && output !== null && (output > 0 || facts.outputBytes === 0)) facts.outputReported = true;
    return agreesWith(merged, usage);
  };
}

export const withoutNulls = (json: unknown): Json =>
  Object.fromEntries(Object.entries(asObject(json)).filter(([, value]) => value != null));

/** A whole response although a stream was requested. */
export function isWholeMessage(event: Json): boolean {
  return event.type === 'message' && Array.isArray(event.content);
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
  const blocks = new Map<unknown, Block>();
  /** By the id of their search. */
  const queries = new Map<unknown, string>();
  const noteUsage = collectUsage(facts);
  let calls = 0;
  let hasJson = false;
  let isStopped = false;
  let delta: Json = {};
  let whole: StreamEvent[] | null = null;

  function read(data: string): StreamEvent[] {
    const event = readEvent(data, facts);
    if (event === null) return [];
    if (isWholeMessage(event)) return readWhole(event);
    const events = readAny(event);
    const isResponse = event.type === 'message_start' || events.some(({ type }) => type !== 'ping');
    if (facts.started || !isResponse) return events;
    facts.started = true;
    return [{ type: 'start' }, ...events];
  }

  function readWhole(message: Json): StreamEvent[] {
    facts.started = true;
    noteUsage(message.usage, { isFinal: true });
    whole = responseEvents(readResponse(message, { jsonTool }));
    return whole.filter(({ type }) => type !== 'finish');
  }

  function readAny(event: Json): StreamEvent[] {
    switch (event.type) {
      case 'message_start':
        noteUsage(asObject(event.message).usage, { isFinal: false });
        return [];
      case 'content_block_start':
        return startBlock(event.index, asObject(event.content_block));
      case 'content_block_delta':
        return readDelta(blocks.get(event.index) ?? { kind: 'text', citations: [] }, asObject(event.delta));
      case 'content_block_stop':
        return stopBlock(event.index);
      case 'message_delta':
        delta = { ...delta, ...withoutNulls(event.delta) };
        noteUsage(event.usage, { isFinal: true });
        return [];
      case 'message_stop':
        isStopped = true;
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
    if (block.kind === 'text' && asText(content.text) !== '')
      return [{ type: 'text-delta', text: asText(content.text) }];
    if (block.kind !== 'thinking' || asText(content.thinking) === '') return [];
    return [{ type: 'reasoning-delta', text: asText(content.thinking) }];
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
    const reported = asText(delta.stop_reason);
    facts.finished = facts.started && (reported !== '' || isStopped || whole !== null);
    if (!facts.finished) {
      facts.failure = brokenResponse('the provider ended its response without finishing it');
      return [];
    }
    if (whole !== null) return whole.filter(({ type }) => type === 'finish');
    const open = [...blocks.values()].flatMap(endBlock);
    const known = reported || (calls > 0 ? 'tool_use' : 'end_turn');
    const reason = readStopReason(known, {
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
      if (block.kind === 'text') block.citations.push(...readCitations([delta.citation]));
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

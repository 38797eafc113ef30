import { CallArguments } from '../../protocols/call-arguments';
import { EMPTY_TEXT, EMPTY_THOUGHT } from '../../protocols/messages/stream';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import { readArguments } from '../../protocols/tool-arguments';
import {
  type Changes,
  type Fit,
  fitFields,
  isArray,
  isCount,
  isFilled,
  isText,
  list,
  maybe,
  maybeList,
  maybeObject,
  nullable,
  objectWith,
  required,
} from '../fit';
import { PartMap } from '../response-limits';

/** Makes messages and the events of their streams fit the types of the official clients. */

const CITATIONS: Fit = maybeList(objectWith(({ type }) => isFilled(type)));

/** What clients read of each type of block. Blocks of other types are extensions, and stay. */
const BLOCKS: Record<string, Record<string, Fit>> = {
  text: { text: required(isText, ''), citations: CITATIONS },
  thinking: { thinking: required(isText, ''), signature: required(isText, '') },
  redacted_thinking: { data: required(isText, '') },
  tool_use: { name: required(isText, ''), input: fitInput },
  server_tool_use: { id: required(isText, ''), name: required(isText, ''), input: fitInput },
  web_search_tool_result: {
    tool_use_id: required(isText, ''),
    content: (value) => (isArray(value) ? value : asObject(value)),
  },
};

function fitInput(value: unknown): unknown {
  if (isObject(value)) return value;
  return isText(value) ? readArguments(value) : {};
}

/** A type that is missing or no name of one follows from the content. Undefined for a block that has none. */
export const fitBlock: Fit = (value, changes) => {
  if (!isObject(value)) return undefined;
  if (!isBlockType(value.type)) {
    const type = findType(value);
    if (type === undefined) return undefined;
    value.type = type;
    changes.any = true;
  }
  return fitFields(value, BLOCKS[value.type as string] ?? {}, changes);
};

/** Content that is a text, as in requests, is a block. */
export const readBlocks = (content: unknown): unknown[] =>
  isText(content) ? [{ type: 'text', text: content }] : asArray(content);

/** Types of extensions, such as `mcp_tool_use`, have several words. */
const isBlockType = (type: unknown): boolean =>
  isText(type) && (Object.hasOwn(BLOCKS, type) || /^[a-z]+_[a-z_]+$/.test(type));

function findType({ text, thinking, name }: Json): string | undefined {
  if (isText(text)) return 'text';
  if (isText(thinking)) return 'thinking';
  return isText(name) ? 'tool_use' : undefined;
}

const COUNTS = required(isCount, 0);
const MAYBE_COUNT = maybe(isCount);
/** `message_start` and whole messages have all of it; a `message_delta` has what is known. */
const USAGE: Record<string, Fit> = {
  output_tokens: COUNTS,
  cache_creation: maybeObject({ ephemeral_5m_input_tokens: COUNTS, ephemeral_1h_input_tokens: COUNTS }),
  server_tool_use: maybeObject({ web_search_requests: COUNTS }),
  output_tokens_details: maybeObject({}),
  service_tier: maybe(isText),
};
export const DELTA_USAGE: Record<string, Fit> = {
  input_tokens: MAYBE_COUNT,
  cache_creation_input_tokens: MAYBE_COUNT,
  cache_read_input_tokens: MAYBE_COUNT,
  ...USAGE,
};
export const MESSAGE_USAGE: Record<string, Fit> = {
  input_tokens: COUNTS,
  cache_creation_input_tokens: COUNTS,
  cache_read_input_tokens: COUNTS,
  ...USAGE,
};

const HEAD: Record<string, Fit> = {
  type: () => 'message',
  role: () => 'assistant',
  stop_sequence: nullable(isText),
  stop_details: maybe(isObject),
  container: maybe(isObject),
  error: () => undefined,
};

type Envelope = { id: string; model: string };

/** The message of a `message_start`, which is empty. */
export function fitStart(message: Json, { id, model }: Envelope, changes: Changes): void {
  const own = { id: required(isFilled, id), model: required(isFilled, model) };
  const empty: Fit = (value) => (isArray(value) && value.length === 0 ? value : []);
  fitFields(message, { ...own, content: empty, stop_reason: () => null, ...HEAD }, changes);
}

/** A whole message. `uniqueId` gives each call its id. */
export function fitMessage(
  message: Json,
  { id, model }: Envelope,
  uniqueId: (id: string) => string,
): boolean {
  const changes = { any: false };
  const own = { id: required(isFilled, id), model: required(isFilled, model) };
  const content: Fit = (value, inner) => list(fitBlock)(isArray(value) ? value : readBlocks(value), inner);
  fitFields(message, { ...own, content, ...HEAD }, changes);
  const calls = asArray(message.content)
    .map(asObject)
    .filter(({ type }) => type === 'tool_use');
  for (const call of calls) fitFields(call, { id: (given) => uniqueId(asText(given)) }, changes);
  const reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  fitFields(message, { stop_reason: required(isFilled, reason) }, changes);
  if (isObject(message.usage)) fitFields(message.usage, MESSAGE_USAGE, changes);
  return changes.any;
}

type Block = { index: number; type: string; input: CallArguments };

const DELTAS: Record<string, { field: string; fits: (value: unknown) => boolean; blocks: RegExp }> = {
  text_delta: { field: 'text', fits: isText, blocks: /^text$/ },
  thinking_delta: { field: 'thinking', fits: isText, blocks: /^thinking$/ },
  signature_delta: { field: 'signature', fits: isText, blocks: /^thinking$/ },
  input_json_delta: { field: 'partial_json', fits: isText, blocks: /tool_use$/ },
  citations_delta: { field: 'citation', fits: isObject, blocks: /^text$/ },
};

export type EventOptions = {
  uniqueId: (id: string) => string;
  /** The client parses arguments as they arrive. */
  isStrict: boolean;
};

/**
 * Makes the events of blocks fit: each block is opened once, empty and with a number from 0 without gaps, receives only
 * deltas of its type, and is closed. Returns the events for the client: the given one itself if it needs no change.
 */
export function fitEvents({ uniqueId, isStrict }: EventOptions) {
  /** Open blocks by the provider's index. */
  const open = new PartMap<unknown, Block>();
  let blocks = 0;

  function fit(event: Json, changes: Changes): Json[] {
    switch (event.type) {
      case 'content_block_start':
        return start(event, changes);
      case 'content_block_delta':
        return extend(event, changes);
      case 'content_block_stop':
        return stop(event, changes);
      default:
        return [event];
    }
  }

  function start(event: Json, changes: Changes): Json[] {
    const content = fitBlock(event.content_block, changes);
    const before = stopBlock(event.index);
    if (!isObject(content)) return before;
    const given = Object.assign({}, content);
    const block = openBlock(event.index, asText(content.type));
    if (block.type === 'tool_use') fitFields(content, { id: (id) => uniqueId(asText(id)) }, changes);
    fitFields(content, EMPTY[block.type] ?? {}, changes);
    setIndex(event, block, changes);
    return [...before, event, ...contentOf(given).flatMap((delta) => add(block, delta))];
  }

  function openBlock(index: unknown, type: string): Block {
    const block = { index: blocks++, type, input: new CallArguments({ isStrict }) };
    open.set(index, block);
    return block;
  }

  function extend(event: Json, changes: Changes): Json[] {
    const delta = fitDelta(event.delta, changes);
    if (delta === null) return [];
    const { blocks: types } = DELTAS[asText(delta.type)] ?? { blocks: /./ };
    const known = open.get(event.index);
    const opened: Json[] = [];
    let block = known !== undefined && types.test(known.type) ? known : undefined;
    if (block === undefined && (delta.type === 'text_delta' || delta.type === 'thinking_delta')) {
      opened.push(...stopBlock(event.index));
      block = openBlock(event.index, delta.type === 'text_delta' ? 'text' : 'thinking');
      const empty = block.type === 'text' ? EMPTY_TEXT : EMPTY_THOUGHT;
      opened.push({ type: 'content_block_start', index: block.index, content_block: empty });
    }
    if (block === undefined) return opened;
    setIndex(event, block, changes);
    if (delta.type !== 'input_json_delta' || delta.partial_json === '') return [...opened, event];
    const json = block.input.add(asText(delta.partial_json));
    if (json === '') return opened;
    fitFields(delta, { partial_json: () => json }, changes);
    return [...opened, event];
  }

  function add(block: Block, delta: Json): Json[] {
    const { partial_json: json } = delta;
    const fitting = isText(json) ? Object.assign(delta, { partial_json: block.input.add(json) }) : delta;
    return fitting.partial_json === ''
      ? []
      : [{ type: 'content_block_delta', index: block.index, delta: fitting }];
  }

  function stop(event: Json, changes: Changes): Json[] {
    const block = open.get(event.index);
    if (block === undefined) return [];
    const rest = stopBlock(event.index).slice(0, -1);
    setIndex(event, block, changes);
    return [...rest, event];
  }

  function stopBlock(given: unknown): Json[] {
    const block = open.get(given);
    if (block === undefined) return [];
    open.delete(given);
    const { index } = block;
    const json = block.input.end();
    const delta = { type: 'input_json_delta', partial_json: json };
    const rest = json === '' ? [] : [{ type: 'content_block_delta', index, delta }];
    return [...rest, { type: 'content_block_stop', index }];
  }

  return {
    fit,
    /** Closes what is open. */
    end: (): Json[] => [...open.keys()].flatMap(stopBlock),
    /** What a client receives of more arguments of a block. */
    proceedWith: (index: unknown, json: string): string | null => open.get(index)?.input.add(json) ?? null,
  };
}

function setIndex(event: Json, { index }: Block, changes: Changes): void {
  fitFields(event, { index: () => index }, changes);
}

/** The content with which a block may begin follows in deltas, where all clients read it. */
const EMPTY: Record<string, Record<string, Fit>> = {
  text: { text: () => '' },
  thinking: { thinking: () => '', signature: () => '' },
  tool_use: { input: (value) => (Object.keys(asObject(value)).length === 0 ? value : {}) },
};

function contentOf({ type, text, thinking, signature, input }: Json): Json[] {
  if (type === 'text') return isFilled(text) ? [{ type: 'text_delta', text }] : [];
  if (type === 'tool_use')
    return Object.keys(asObject(input)).length === 0
      ? []
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }];
  if (type !== 'thinking') return [];
  return [
    ...(isFilled(thinking) ? [{ type: 'thinking_delta', thinking }] : []),
    ...(isFilled(signature) ? [{ type: 'signature_delta', signature }] : []),
  ];
}

/** A type that is missing or no name of one follows from the content. Null for a delta that has none. */
function fitDelta(value: unknown, changes: Changes): Json | null {
  if (!isObject(value)) return null;
  if (!/^[a-z_]+_delta$/.test(asText(value.type))) {
    const found = Object.entries(DELTAS).find(([, { field, fits }]) => fits(value[field]));
    if (found === undefined) return null;
    value.type = found[0];
    changes.any = true;
  }
  const known = DELTAS[value.type as string];
  return known === undefined || known.fits(value[known.field]) ? value : null;
}

/** A whole message as the events of a stream. */
export function messageEvents(message: Json): Json[] {
  const { content, stop_reason, stop_sequence, stop_details, usage } = message;
  const blocks = asArray(content).flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_stop', index },
  ]);
  const hasCalls = asArray(content).some((block) => asObject(block).type === 'tool_use');
  const reason = asText(stop_reason) || (hasCalls ? 'tool_use' : 'end_turn');
  const delta = { stop_reason: reason, stop_sequence: stop_sequence ?? null, stop_details };
  return [
    {
      type: 'message_start',
      message: Object.assign({}, message, { usage: isObject(usage) ? { ...usage } : usage }),
    },
    ...blocks,
    { type: 'message_delta', delta, usage },
    { type: 'message_stop' },
  ];
}

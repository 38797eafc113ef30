import { readCallArguments } from '../../protocols/call-arguments';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, lookUp } from '../../protocols/read-fields';
import {
  type Changes,
  type Fit,
  fitFields,
  isArray,
  isCount,
  isFilled,
  isFlag,
  isNumber,
  isText,
  list,
  maybe,
  maybeList,
  maybeObject,
  nullable,
  objectWith,
  required,
} from '../fit';
import { PROBABILITIES } from '../openai/fit-chat';
import { readArguments } from '../openai/tool-slots';
import { addParts, PartMap } from '../response-limits';

/** Makes responses and the events of their streams fit the types of the official clients. */

/** Of what a text may cite, only the results of a search are offered. */
const isCitation = ({ type, url, title, start_index: start, end_index: end }: Json): boolean =>
  type === 'url_citation' && isText(url) && isText(title) && isNumber(start) && isNumber(end);

const PARTS: Record<string, Record<string, Fit>> = {
  output_text: {
    text: required(isText, ''),
    annotations: list(objectWith(isCitation)),
    logprobs: PROBABILITIES,
  },
  refusal: { refusal: required(isText, '') },
  reasoning_text: { text: required(isText, '') },
  summary_text: { text: required(isText, '') },
};

const fitPart: Fit = (value, changes) => {
  if (!isObject(value)) return undefined;
  const fields = lookUp(PARTS, asText(value.type));
  return fields === undefined ? undefined : fitFields(value, fields, changes);
};

const ARGUMENTS: Fit = (value) => readArguments(value);
const isSource = ({ type, url, name }: Json): boolean =>
  (type === 'url' && isText(url)) || (type === 'api' && isText(name));
/** What a model does on the web. */
const ACTIONS: Record<string, Record<string, Fit>> = {
  search: {
    query: maybe(isText),
    queries: maybeList((query) => (isText(query) ? query : undefined)),
    sources: maybeList(objectWith(isSource)),
  },
  open_page: { url: maybe(isText) },
  find_in_page: { url: maybe(isText), pattern: maybe(isText) },
};

const fitAction: Fit = (value, changes) => {
  if (!isObject(value)) return undefined;
  const fields = lookUp(ACTIONS, asText(value.type));
  return fields && fitFields(value, fields, changes);
};

const CALL = { name: required(isText, '') };
/** Of the tools that run at the provider, only a search is offered. */
const ITEMS: Record<string, Record<string, Fit>> = {
  message: { role: () => 'assistant', content: list(fitPart), phase: maybe(isText) },
  reasoning: { summary: list(fitPart), content: maybeList(fitPart), encrypted_content: maybe(isText) },
  function_call: { ...CALL, arguments: ARGUMENTS, namespace: maybe(isText) },
  custom_tool_call: { ...CALL, input: required(isText, ''), namespace: maybe(isText) },
  web_search_call: { action: fitAction },
};
const STATUSES = new Set<unknown>([
  'in_progress',
  'completed',
  'incomplete',
  'searching',
  'failed',
  'interpreting',
  'generating',
  'calling',
]);
const CALLS = new Set(['function_call', 'custom_tool_call']);

const ERROR: Fit = (value) => (isText(asObject(value).message) ? value : null);
const TOKENS = required(isCount, 0);
const DETAILS =
  (name: string): Fit =>
  (value, changes) =>
    fitFields(isObject(value) ? value : {}, { [name]: TOKENS }, changes);

const RESPONSE: Record<string, Fit> = {
  object: () => 'response',
  error: ERROR,
  incomplete_details: (value) => (isText(asObject(value).reason) ? value : null),
  instructions: nullable((value) => isText(value) || isArray(value)),
  metadata: nullable(isObject),
  parallel_tool_calls: required(isFlag, true),
  temperature: nullable(isNumber),
  top_p: nullable(isNumber),
  tools: list(objectWith(({ type }) => isFilled(type))),
  tool_choice: required((value) => isText(value) || isObject(value), 'auto'),
  reasoning: maybeObject({ effort: maybe(isText), summary: maybe(isText), context: maybe(isText) }),
  service_tier: maybe(isText),
  text: maybe(isObject),
  truncation: maybe(isText),
  prompt_cache_diagnostics: maybe(isObject),
};

export type ResponseOptions = {
  newId: () => string;
  created: number;
  uniqueId: (id: string) => string;
};

/** The ids of the calls of one response, which occur in its events and at its end. */
export type CallIds = Map<unknown, string>;

/** A response at its beginning or end. Its usage is the caller's. */
export function fitResponse(response: Json, options: ResponseOptions, ids: CallIds, changes: Changes): void {
  const own = { id: (id: unknown) => (isFilled(id) ? id : `resp_${options.newId()}`) };
  const created = { created_at: required((time) => isCount(time) && time > 0, options.created) };
  const output: Fit = list((item, inner) => fitItem(item, options, ids, inner));
  fitFields(response, { ...own, ...created, ...RESPONSE, output }, changes);
}

/** Whether usage has what clients read, after repairs of its details. */
export function isWholeUsage(usage: unknown, changes: Changes): boolean {
  if (
    !isObject(usage) ||
    !['input_tokens', 'output_tokens', 'total_tokens'].every((name) => isCount(usage[name]))
  )
    return false;
  const details = {
    input_tokens_details: DETAILS('cached_tokens'),
    output_tokens_details: DETAILS('reasoning_tokens'),
  };
  fitFields(usage, details, changes);
  return true;
}

/** An item of the output. Undefined for one of another type. */
export function fitItem(
  item: unknown,
  { newId, uniqueId }: ResponseOptions,
  ids: CallIds,
  changes: Changes,
  status = 'completed',
): Json | undefined {
  if (!isObject(item)) return undefined;
  const type = asText(item.type);
  const fields = lookUp(ITEMS, type);
  if (fields === undefined) return undefined;
  fitFields(item, { id: (id) => (isFilled(id) ? id : `item_${newId()}`), ...fields }, changes);
  const isStatus = (given: unknown) => STATUSES.has(given);
  const fitting = type === 'reasoning' ? maybe(isStatus) : required(isStatus, status);
  fitFields(item, { status: fitting }, changes);
  if (type === 'function_call' && item.status !== 'in_progress')
    fitFields(item, { arguments: (json) => readCallArguments(asText(json), () => {}) }, changes);
  if (!CALLS.has(type)) return item;
  const callId = ids.get(item.id) ?? uniqueId(asText(item.call_id));
  ids.set(item.id, callId);
  return fitFields(item, { call_id: () => callId }, changes);
}

type Item = { index: number; id: string; type: string; parts: string[]; summaries: number; isDone: boolean };

/** The events of parts, by the type of their part. */
const TEXTS: Record<string, { part: string; item: string; field: string }> = {
  'response.output_text': { part: 'output_text', item: 'message', field: 'text' },
  'response.refusal': { part: 'refusal', item: 'message', field: 'refusal' },
  'response.reasoning_text': { part: 'reasoning_text', item: 'reasoning', field: 'text' },
  'response.reasoning_summary_text': { part: 'summary_text', item: 'reasoning', field: 'text' },
};
const CALL_TEXTS: Record<string, { item: string; field: string }> = {
  'response.function_call_arguments': { item: 'function_call', field: 'arguments' },
  'response.custom_tool_call_input': { item: 'custom_tool_call', field: 'input' },
};
const STEPS = /^response\.web_search_call\.(in_progress|searching|completed|failed)$/;

/**
 * Makes the events of a stream fit: an item and a part begin before their content, with numbers from 0 without gaps,
 * and events of other types than clients know are left out. Returns the events for the client: the given one itself
 * if it needs no change.
 */
export function fitResponseEvents(options: ResponseOptions, ids: CallIds) {
  const items: Item[] = [];
  /** By the provider's index, or else by their id. */
  const known = new PartMap<unknown, Item>();
  const done: Json[] = [];

  function fit(type: string, event: Json, changes: Changes): Json[] {
    if (type === 'response.output_item.added') return begin(event, changes);
    if (type === 'response.output_item.done') return end(event, changes);
    const at = type.lastIndexOf('.');
    const [group, step] = [type.slice(0, at), type.slice(at + 1)];
    const text = lookUp(TEXTS, group);
    if (step === 'delta' && text !== undefined) return addText(event, text, changes);
    if (step === 'done' && text !== undefined) return endText(event, text, changes);
    const item = find(event);
    if (item === undefined || item.isDone) return [];
    place(event, item, changes);
    const call = lookUp(CALL_TEXTS, group);
    if (call !== undefined)
      return item.type === call.item && isText(event[step === 'done' ? call.field : 'delta']) ? [event] : [];
    if (group === 'response.content_part') return fitPartEvent(event, item, step, changes);
    if (group === 'response.reasoning_summary_part') return fitSummaryEvent(event, item, step, changes);
    if (type === 'response.output_text.annotation.added') return annotate(event, item);
    return STEPS.test(type) && item.type === 'web_search_call' ? [event] : [];
  }

  const find = ({ output_index: index, item_id: id }: Json): Item | undefined =>
    (isCount(index) ? known.get(index) : undefined) ?? (isFilled(id) ? known.get(id) : undefined);

  function place(event: Json, { index, id }: Item, changes: Changes): void {
    fitFields(
      event,
      { output_index: () => index, ...('item' in event ? {} : { item_id: () => id }) },
      changes,
    );
  }

  function keep(event: Json, { id, type }: Json): Item {
    const parts: string[] = [];
    const item = {
      index: items.length,
      id: asText(id),
      type: asText(type),
      parts,
      summaries: 0,
      isDone: false,
    };
    addParts(items, [item]);
    if (isCount(event.output_index)) known.set(event.output_index, item);
    known.set(item.id, item);
    return item;
  }

  function begin(event: Json, changes: Changes): Json[] {
    if (find({ output_index: event.output_index, item_id: asObject(event.item).id }) !== undefined) return [];
    const fitting = fitItem(event.item, options, ids, changes, 'in_progress');
    if (fitting === undefined) return [];
    const item = keep(event, fitting);
    addParts(
      item.parts,
      asArray(fitting.content).map((part) => asText(asObject(part).type)),
    );
    item.summaries = asArray(fitting.summary).length;
    place(event, item, changes);
    return [event];
  }

  function end(event: Json, changes: Changes): Json[] {
    const earlier = find({ output_index: event.output_index, item_id: asObject(event.item).id });
    if (earlier?.isDone || !isObject(event.item)) return [];
    if (earlier !== undefined)
      fitFields(event.item, { id: () => earlier.id, type: () => earlier.type }, changes);
    const fitting = fitItem(event.item, options, ids, changes);
    if (fitting === undefined) return [];
    const item = earlier ?? keep(event, fitting);
    item.isDone = true;
    done[item.index] = fitting;
    place(event, item, changes);
    const added = { type: 'response.output_item.added', output_index: item.index, item: fitting };
    return earlier === undefined ? [added, event] : [event];
  }

  function addText(event: Json, text: (typeof TEXTS)[string], changes: Changes): Json[] {
    if (!isText(event.delta)) return [];
    const earlier = find(event);
    const isKnown = earlier !== undefined && earlier.type === text.item && !earlier.isDone;
    const before: Json[] = [];
    const item = isKnown ? earlier : open(event, text.item, before);
    place(event, item, changes);
    fitFields(event, { logprobs: PROBABILITIES }, changes);
    if (text.part === 'summary_text') return [...before, ...openSummary(event, item, changes), event];
    const index = isPart(event.content_index, item, text.part)
      ? event.content_index
      : item.parts.lastIndexOf(text.part);
    if (index === -1) before.push(openPart(item, text.part));
    fitFields(event, { content_index: () => (index === -1 ? item.parts.length - 1 : index) }, changes);
    return [...before, event];
  }

  const isPart = (index: unknown, { parts }: Item, type: string): boolean =>
    isCount(index) && parts[index] === type;

  function open(event: Json, type: string, before: Json[]): Item {
    const empty =
      type === 'message' ? { role: 'assistant', content: [], status: 'in_progress' } : { summary: [] };
    const item: Json = { id: `item_${options.newId()}`, type, ...empty };
    const kept = keep(event, item);
    before.push({ type: 'response.output_item.added', output_index: kept.index, item });
    return kept;
  }

  function openPart(item: Item, type: string): Json {
    const empty = type === 'refusal' ? { refusal: '' } : type === 'output_text' ? EMPTY_TEXT : { text: '' };
    const content_index = item.parts.push(type) - 1;
    const at = { item_id: item.id, output_index: item.index, content_index };
    return { type: 'response.content_part.added', ...at, part: { type, ...empty } };
  }

  function openSummary(event: Json, item: Item, changes: Changes): Json[] {
    const index = Math.max(0, item.summaries - 1);
    const isKnown = isCount(event.summary_index) && event.summary_index < item.summaries;
    fitFields(event, { summary_index: (given) => (isKnown ? given : index) }, changes);
    if (item.summaries > 0) return [];
    item.summaries = 1;
    const at = { item_id: item.id, output_index: item.index, summary_index: 0 };
    return [
      { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
    ];
  }

  function endText(event: Json, text: (typeof TEXTS)[string], changes: Changes): Json[] {
    const item = find(event);
    if (item === undefined || item.isDone || item.type !== text.item || !isText(event[text.field])) return [];
    place(event, item, changes);
    fitFields(event, { logprobs: PROBABILITIES }, changes);
    if (text.part !== 'summary_text') return isPart(event.content_index, item, text.part) ? [event] : [];
    return isCount(event.summary_index) && event.summary_index < item.summaries ? [event] : [];
  }

  function fitPartEvent(event: Json, item: Item, step: string, changes: Changes): Json[] {
    const part = fitPart(event.part, changes);
    const type = asText(asObject(part).type);
    if (type === '' || (item.type === 'message') === (type === 'reasoning_text')) return [];
    if (step === 'done') return isPart(event.content_index, item, type) ? [event] : [];
    if (isPart(event.content_index, item, type)) return [];
    item.parts.push(type);
    fitFields(event, { content_index: () => item.parts.length - 1 }, changes);
    return [event];
  }

  function fitSummaryEvent(event: Json, item: Item, step: string, changes: Changes): Json[] {
    const { summary_index: index } = event;
    if (item.type !== 'reasoning' || fitPart(event.part, changes) === undefined) return [];
    const isKnown = isCount(index) && index < item.summaries;
    if (step === 'done' || isKnown) return step === 'done' && isKnown ? [event] : [];
    item.summaries++;
    fitFields(event, { summary_index: () => item.summaries - 1 }, changes);
    return [event];
  }

  function annotate(event: Json, item: Item): Json[] {
    const isFitting = isCitation(asObject(event.annotation)) && isCount(event.annotation_index);
    return isFitting && isPart(event.content_index, item, 'output_text') ? [event] : [];
  }

  return {
    fit,
    /** The items that ended. */ items: (): Json[] => done.filter(isObject),
    /** Whether an item has begun. */ hasBegun: () => items.length > 0,
  };
}

const EMPTY_TEXT = { text: '', annotations: [], logprobs: [] };

import { CHAT_DONE, chatFrame, writeChatStream } from '../../protocols/chat/stream';
import { type Envelope, writeUsage } from '../../protocols/chat/write';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import { type Learnable, learnPattern, type VariableTexts } from '../event-pattern';
import { type EstimateMissing, meteredUsage } from '../metered-usage';
import { renameModel } from '../model-name';
import type { ProviderProfile } from '../profiles';
import { brokenResponse } from '../provider-failure';
import type { EventHandler, StreamFacts } from '../stream-relay';
import { findMissing, repairChunks } from './repair-chunks';
import { DONE, isWholeCompletion, readChatEvents, readChunk } from './stream';
import { blankCosts, reportCounts } from './usage';

export type PassThroughOptions = {
  profile: ProviderProfile;
  facts: StreamFacts;
  envelope: Envelope;
  /** The client requested a usage chunk. */
  includeUsage: boolean;
  newId: () => string;
  /** Reported when the provider reports nothing. */
  estimate: EstimateMissing;
};

type ChoiceState = { isFinished: boolean; hasCalls: boolean };

/**
 * Relays a chat-completions stream to a client of the same format. Chunks pass through unchanged, with four
 * exceptions: the model name, the closing `[DONE]`, usage that the client did not request or that is not in a
 * separate chunk, and fields without which common clients crash. Usage is sent last, after all additions.
 */
export function passChatStream(options: PassThroughOptions): EventHandler {
  const { profile, facts, envelope, includeUsage, estimate } = options;
  const choices = new Map<unknown, ChoiceState>();
  const repair = repairChunks();
  /** Id and time of the provider's chunks, for the chunks that we add. */
  let seen = envelope;
  let isDone = false;
  let usageChunk: { chunk: Json; frame: string } | null = null;
  let whole: EventHandler | null = null;
  /** The last event, if the client received it unchanged but for the name and missing fields. */
  let unchanged: Pick<Learnable, 'event' | 'data' | 'rewrite'> | null = null;
  const rename = (json: string) => renameModel(json, envelope.model);

  function event(data: string): string {
    unchanged = null;
    if (data === DONE) {
      isDone = true;
      return '';
    }
    const chunk = readChunk(data, profile, facts);
    if (chunk === null) return '';
    if (isWholeCompletion(chunk)) {
      // The reader of whole responses counts the bytes again.
      facts.outputBytes = 0;
      whole = streamWhole(options);
      return whole.event(data);
    }
    const { isReplaced, complete } = completeChunk(chunk, findMissing(chunk, 'chat.completion.chunk', seen));
    const isRepaired = repair(chunk);
    noteChoices(chunk);
    facts.started ||= choices.size > 0;
    const isUsageChunk = asArray(chunk.choices).length === 0 && isObject(chunk.usage);
    if (isUsageChunk && !includeUsage) return '';
    const repairs = [isReplaced, isRepaired, ...(isUsageChunk ? repairUsage(chunk) : [takeUsage(chunk)])];
    const isChanged = repairs.includes(true);
    const text = isChanged ? JSON.stringify(chunk) : complete(data.replaceAll('\n', ''));
    const frame = `data: ${rename(text)}\n\n`;
    if (!isChanged) unchanged = { event: chunk, data, rewrite: (json) => rename(complete(json)) };
    if (!isUsageChunk) return frame;
    usageChunk = { chunk, frame };
    return '';
  }

  const repairUsage = (chunk: Json): boolean[] => [blankCosts(chunk), reportCounts(chunk, facts.usage)];

  /** Usage is sent in a separate chunk or not at all: clients do not expect it next to a choice. */
  function takeUsage(chunk: Json): boolean {
    if (!isObject(chunk.usage)) return false;
    chunk.usage = includeUsage ? null : undefined;
    return true;
  }

  function noteChoices(chunk: Json): void {
    if (asText(chunk.id) !== '' && typeof chunk.created === 'number')
      seen = { id: asText(chunk.id), created: chunk.created, model: envelope.model };
    for (const choice of asArray(chunk.choices).map(asObject)) {
      const state = choices.get(choice.index) ?? { isFinished: false, hasCalls: false };
      choices.set(choice.index, state);
      if (choice.finish_reason) state.isFinished = true;
      if (asArray(asObject(choice.delta).tool_calls).length > 0) state.hasCalls = true;
    }
  }

  function close(): string {
    if (whole !== null) return whole.close();
    const unfinished = [...choices].filter(([, { isFinished }]) => !isFinished);
    facts.finished = facts.started && (isDone || unfinished.length === 0);
    if (!facts.finished) {
      facts.failure = brokenResponse('the provider ended its response without finishing it');
      return '';
    }
    return unfinished.map(finishChoice).join('');
  }

  function finish(cost: number | null): string {
    if (whole !== null) return whole.finish(cost);
    return (includeUsage ? closingUsage(cost) : '') + CHAT_DONE;
  }

  /** The provider finished without a reason. The official clients throw if it is missing. */
  function finishChoice([index, { hasCalls }]: [unknown, ChoiceState]): string {
    const choice = { index, delta: {}, finish_reason: hasCalls ? 'tool_calls' : 'stop' };
    return ownFrame({ choices: [choice], ...(includeUsage && { usage: null }) });
  }

  function closingUsage(cost: number | null): string {
    const { usage, estimated } = meteredUsage(facts, estimate);
    if (usageChunk === null || estimated) return ownFrame({ choices: [], usage: writeUsage(usage, cost) });
    const { chunk, frame } = usageChunk;
    if (cost === null) return frame;
    chunk.usage = Object.assign({}, chunk.usage, { cost });
    return `data: ${rename(JSON.stringify(chunk))}\n\n`;
  }

  function ownFrame(fields: Json): string {
    const { id, created } = seen;
    return chatFrame({ id, object: 'chat.completion.chunk', created, model: envelope.model, ...fields });
  }

  return {
    event,
    close,
    finish,
    learn: () => unchanged && learnPattern({ lead: '', textsOf: findVariableTexts, ...unchanged }),
  };
}

type Completion = { isReplaced: boolean; complete: (json: string) => string };

/** Adds missing fields to a chunk, and to its text: as text, so that the next one can be recognised. */
function completeChunk(chunk: Json, missing: Json): Completion {
  const names = Object.keys(missing);
  const isReplaced = names.some((name) => name in chunk) || Object.keys(chunk).length === 0;
  Object.assign(chunk, missing);
  if (names.length === 0) return { isReplaced: false, complete: (json) => json };
  const added = JSON.stringify(missing).slice(0, -1);
  return { isReplaced, complete: (json) => `${added},${json.slice(json.indexOf('{') + 1)}` };
}

const TEXTS = ['content', 'reasoning_content', 'reasoning'];

/** Of a chunk with a single piece of output. OpenAI adds a text of its own, which hides the length of the output. */
function findVariableTexts({ choices, obfuscation }: Json): VariableTexts | null {
  const [choice, ...others] = asArray(choices).map(asObject);
  const output = others.length === 0 ? findOutput(asObject(choice?.delta)) : null;
  if (output === null) return null;
  return typeof obfuscation === 'string' ? Object.assign(output, { obfuscation }) : output;
}

function findOutput(delta: Json): VariableTexts | null {
  const [filled, ...others] = Object.entries(delta).filter(
    ([name, value]) => name !== 'role' && value !== null && value !== '',
  );
  if (filled === undefined || others.length > 0) return null;
  const [name, value] = filled;
  if (name === 'tool_calls') return findArguments(asArray(value).map(asObject));
  return typeof value === 'string' && TEXTS.includes(name) ? { [name]: value } : null;
}

/** Of a piece that continues one call. */
function findArguments([piece, ...others]: Json[]): VariableTexts | null {
  const called = asObject(piece?.function);
  if (others.length > 0 || asText(called.name) !== '' || typeof called.arguments !== 'string') return null;
  return { arguments: called.arguments };
}

/** The provider responded with one object, so the client gets the stream that it requested. */
function streamWhole({
  profile,
  facts,
  envelope,
  includeUsage,
  newId,
  estimate,
}: PassThroughOptions): EventHandler {
  const reader = readChatEvents(profile, facts, newId);
  const writer = writeChatStream(envelope, { includeUsage });
  return {
    event: (data) => reader.read(data).map(writer.write).join(''),
    close: () => reader.close().map(writer.write).join(''),
    finish: (cost) => writer.close(meteredUsage(facts, estimate).usage, cost),
  };
}

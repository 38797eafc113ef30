import { CHAT_DONE, chatFrame } from '../../protocols/chat/stream';
import { type Envelope, writeUsage } from '../../protocols/chat/write';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import { type Learnable, learnPattern, type VariableTexts } from '../event-pattern';
import { type EstimateMissing, meteredUsage } from '../metered-usage';
import { renameModel } from '../model-name';
import type { EventHandler } from '../stream-relay';
import { findMissing, isWholeUsage } from './fit-chat';
import { type ChunkOptions, readChunks } from './stream';
import { blankCosts, reportCounts } from './usage';

export type PassThroughOptions = ChunkOptions & {
  envelope: Envelope;
  /** The client requested a usage chunk. */
  includeUsage: boolean;
  /** Reported when the provider reports nothing. */
  estimate: EstimateMissing;
};

/**
 * Relays a chat-completions stream to a client of the same format. Chunks pass through unchanged, with four
 * exceptions: the model name, the closing `[DONE]`, usage that the client did not request or that is not in a
 * separate chunk, and what does not fit the types of the official clients. Usage is sent last, after all additions.
 */
export function passChatStream(options: PassThroughOptions): EventHandler {
  const { facts, envelope, includeUsage, estimate } = options;
  const chunks = readChunks(options);
  /** Id and time of the provider's chunks, for the chunks that we add. */
  let seen = envelope;
  let usageChunk: { chunk: Json; frame: string } | null = null;
  /** The last event, if the client received it unchanged but for the name and missing fields. */
  let unchanged: Pick<Learnable, 'event' | 'data' | 'rewrite'> | null = null;
  const rename = (json: string) => renameModel(json, envelope.model);

  function event(data: string, name: string): string {
    unchanged = null;
    const known = chunks.read(data, name);
    if (known === null) return '';
    const { chunk } = known;
    const { isReplaced, complete } = completeChunk(chunk, findMissing(chunk, 'chat.completion.chunk', seen));
    seen = { id: asText(chunk.id), created: chunk.created as number, model: envelope.model };
    const isUsageChunk = asArray(chunk.choices).length === 0 && isObject(chunk.usage);
    if (isUsageChunk && !includeUsage) return '';
    const isWhole = isUsageChunk && isWholeUsage(chunk.usage, known.changes);
    const repairs = isUsageChunk ? repairUsage(chunk) : [takeUsage(chunk)];
    const isChanged = [known.changes.any, isReplaced, ...repairs].includes(true);
    const text = isChanged ? JSON.stringify(chunk) : complete(data.replaceAll('\n', ''));
    const frame = `data: ${rename(text)}\n\n`;
    if (!isChanged) unchanged = { event: chunk, data, rewrite: (json) => rename(complete(json)) };
    if (!isUsageChunk) return frame;
    usageChunk = isWhole ? { chunk, frame } : null;
    return '';
  }

  const repairUsage = (chunk: Json): boolean[] => [blankCosts(chunk), reportCounts(chunk, facts.usage)];

  /** Usage is sent in a separate chunk or not at all: clients do not expect it next to a choice. */
  function takeUsage(chunk: Json): boolean {
    if (!isObject(chunk.usage)) return false;
    chunk.usage = includeUsage ? null : undefined;
    return true;
  }

  /** A choice that ended without a reason gets one: the official clients throw if it is missing. */
  function close(): string {
    const unfinished = chunks.close() ?? [];
    return unfinished
      .map(({ index, calls, rest }) => {
        const delta = rest.length === 0 ? {} : { tool_calls: rest };
        const choice = { index, delta, finish_reason: calls > 0 ? 'tool_calls' : 'stop' };
        return ownFrame({ choices: [choice], ...(includeUsage && { usage: null }) });
      })
      .join('');
  }

  function finish(cost: number | null): string {
    return (includeUsage ? closingUsage(cost) : '') + CHAT_DONE;
  }

  /** For a piece of arguments, how the next ones of the same call reach the client. */
  function adaptArguments({ choices }: Json): Learnable['adapt'] {
    const choice = asObject(asArray(choices)[0]);
    const [piece] = asArray(asObject(choice.delta).tool_calls);
    const slots = chunks.choiceOf(choice)?.slots;
    return isObject(piece) ? (json) => slots?.proceedWith(piece.index as number, json) ?? null : undefined;
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
    learn: () =>
      unchanged &&
      learnPattern({
        lead: '',
        textsOf: findVariableTexts,
        adapt: adaptArguments(unchanged.event),
        ...unchanged,
      }),
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

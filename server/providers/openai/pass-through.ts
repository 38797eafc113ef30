import { CHAT_DONE, chatFrame, writeChatStream } from '../../protocols/chat/stream';
import { type Envelope, writeUsage } from '../../protocols/chat/write';
import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject } from '../../protocols/read-fields';
import { meteredUsage } from '../metered-usage';
import { renameModel } from '../model-name';
import type { ProviderProfile } from '../profiles';
import { brokenAnswer } from '../provider-failure';
import type { EventHandler, StreamFacts } from '../stream-relay';
import { repairChunks } from './repair-chunks';
import { DONE, isWholeAnswer, readChatEvents, readChunk } from './stream';

export type PassThroughOptions = {
  profile: ProviderProfile;
  facts: StreamFacts;
  envelope: Envelope;
  /** The client asked for a usage chunk. */
  includeUsage: boolean;
  newId: () => string;
  /** What is told when the provider told nothing. */
  estimate: () => TokenUsage;
};

/**
 * Relays a chat-completions stream to a client of the same format. Chunks go through as they came,
 * but for the model's name, the closing `[DONE]`, usage that the client did not ask for or that does
 * not stand alone, and fields without which the common clients crash.
 */
export function passChatStream(options: PassThroughOptions): EventHandler {
  const { profile, facts, envelope, includeUsage } = options;
  const choices = new Map<unknown, { isFinished: boolean }>();
  const repair = repairChunks();
  /** What the chunks of the provider are called by: ours must not stand out. */
  let seen: { id?: string; created?: number } = {};
  let isDone = false;
  let wroteUsage = false;
  let whole: EventHandler | null = null;

  function event(data: string): string {
    if (data === DONE) {
      isDone = true;
      return '';
    }
    const chunk = readChunk(data, profile, facts);
    if (chunk === null) return '';
    if (isWholeAnswer(chunk)) {
      // It is read once more, by the reader of whole answers.
      facts.outputBytes = 0;
      whole = streamWhole(options);
      return whole.event(data);
    }
    facts.started = true;
    noteChoices(chunk);
    const isUsageChunk = asArray(chunk.choices).length === 0 && isObject(chunk.usage);
    if (isUsageChunk && !includeUsage) return '';
    wroteUsage ||= isUsageChunk;
    const repairs = [repair(chunk), !isUsageChunk && takeUsage(chunk)];
    const text = repairs.includes(true) ? JSON.stringify(chunk) : data.replaceAll('\n', '');
    return `data: ${renameModel(text, envelope.model)}\n\n`;
  }

  /** Usage comes in a chunk of its own, or not at all: beside a choice it surprises clients. */
  function takeUsage(chunk: Json): boolean {
    if (!isObject(chunk.usage)) return false;
    chunk.usage = includeUsage ? null : undefined;
    return true;
  }

  function noteChoices(chunk: Json): void {
    if (asText(chunk.id) !== '' && typeof chunk.created === 'number')
      seen = { id: asText(chunk.id), created: chunk.created };
    for (const choice of asArray(chunk.choices).map(asObject)) {
      const state = choices.get(choice.index) ?? { isFinished: false };
      choices.set(choice.index, state);
      if (choice.finish_reason) state.isFinished = true;
    }
  }

  function close(): string {
    if (whole !== null) return whole.close();
    const areFinished = choices.size > 0 && [...choices.values()].every((choice) => choice.isFinished);
    facts.finished = facts.started && (isDone || areFinished);
    if (!facts.finished) {
      facts.failure = brokenAnswer('the provider ended its answer without finishing it');
      return '';
    }
    const { id, created, model } = envelope;
    const chunk = { id, object: 'chat.completion.chunk', created, model, ...seen, choices: [] };
    const isMissing = includeUsage && !wroteUsage;
    return (
      (isMissing
        ? chatFrame({ ...chunk, usage: writeUsage(meteredUsage(facts, options.estimate).usage) })
        : '') + CHAT_DONE
    );
  }

  return { event, close };
}

/** The provider answered at once: the answer goes on as the stream that was asked for. */
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
    close() {
      reader.close().forEach(writer.write);
      return facts.failure === null ? writer.close(meteredUsage(facts, estimate).usage) : '';
    },
  };
}

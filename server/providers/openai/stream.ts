import { StringDecoder } from 'node:string_decoder';
import type { TokenUsage } from '../../protocols/neutral';
import { renameModel } from './model-name';
import { readUsage } from './usage';

const MAX_EVENT_CHARACTERS = 20 * 1024 * 1024;
/** A blank line, with any of the three line ends that the event-stream format allows. */
const EVENT_END = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n/g;
const LONGEST_EVENT_END = 4;

export type ChatStream = {
  /** Feeds what arrived; returns the text that may go to the client now. */
  push: (chunk: Uint8Array) => string;
  /** The body ended: handles a last event without its blank line. */
  end: () => string;
  readonly facts: {
    usage: TokenUsage | null;
    /** Bytes of text, reasoning and tool arguments seen: the base of an estimate. */
    outputBytes: number;
    finished: boolean;
    /** The error that the provider sent inside the stream. */
    failure: string | null;
    /** Whether any event of the provider was understood. */
    started: boolean;
  };
};

type Chunk = {
  error?: unknown;
  usage?: unknown;
  choices?: { delta?: Record<string, unknown>; finish_reason?: string | null }[];
};

/**
 * Reads a chat-completions stream beside its relay: events go through as they came, but for the
 * model's name, the closing `[DONE]` (ours to send, after settlement) and the usage chunk that
 * the client did not ask for.
 */
export function readChatStream({ model, includeUsage }: { model: string; includeUsage: boolean }): ChatStream {
  const decoder = new StringDecoder('utf8');
  const facts: ChatStream['facts'] = { usage: null, outputBytes: 0, finished: false, failure: null, started: false };
  let rest = '';

  function push(chunk: Uint8Array): string {
    // What was searched before holds no end but perhaps the beginning of one.
    EVENT_END.lastIndex = Math.max(0, rest.length - LONGEST_EVENT_END);
    rest += decoder.write(chunk as Buffer);
    let out = '';
    let read = 0;
    for (let match = EVENT_END.exec(rest); match && facts.failure === null; match = EVENT_END.exec(rest)) {
      out += relayEvent(rest.slice(read, match.index));
      read = match.index + match[0].length;
    }
    rest = rest.slice(read);
    if (rest.length > MAX_EVENT_CHARACTERS) facts.failure = 'an event of the provider is too large';
    return out;
  }

  function end(): string {
    const tail = rest + decoder.end();
    rest = '';
    return tail.trim() === '' ? '' : relayEvent(tail);
  }

  function relayEvent(event: string): string {
    const data = readData(event);
    if (data === null) return '';
    if (data === '[DONE]') {
      facts.finished = true;
      return '';
    }
    const chunk = parseChunk(data);
    if (chunk === null || chunk.error) {
      facts.failure = chunk === null ? 'the provider sent an event that is not JSON' : JSON.stringify(chunk.error);
      return '';
    }
    facts.started = true;
    facts.usage = readUsage(chunk.usage) ?? facts.usage;
    for (const choice of chunk.choices ?? []) {
      if (choice.finish_reason) facts.finished = true;
      facts.outputBytes += countOutput(choice.delta);
    }
    const onlyUsage = (chunk.choices ?? []).length === 0 && chunk.usage != null;
    return onlyUsage && !includeUsage ? '' : `data: ${renameModel(data, model)}\n\n`;
  }

  return { push, end, facts };
}

/** The joined `data:` lines of an event; null when it has none (a comment, a bare event name). */
function readData(event: string): string | null {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  if (lines.length === 0) return null;
  return lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}

function parseChunk(data: string): Chunk | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Chunk) : null;
  } catch {
    return null;
  }
}

function countOutput(delta: Record<string, unknown> | undefined): number {
  if (!delta) return 0;
  let bytes = 0;
  for (const key of ['content', 'reasoning_content', 'reasoning', 'refusal']) {
    const text = delta[key];
    if (typeof text === 'string') bytes += Buffer.byteLength(text);
  }
  if (delta.tool_calls) bytes += Buffer.byteLength(JSON.stringify(delta.tool_calls));
  return bytes;
}

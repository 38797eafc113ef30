import type { ApiError } from '../../../base/errors';
import type { Citation, Finish, Json, SearchPart, StreamEvent, TokenUsage } from '../neutral';
import { packSignature } from '../tool-ids';
import {
  type Envelope,
  writeCitation,
  writeEmptyMessage,
  writeErrorBody,
  writeSearch,
  writeStop,
  writeUsage,
} from './write';

/** The event is named after its type: the SDKs of this format drop events without a name. */
export function messagesFrame(event: Json & { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Blocks start empty; their content follows in deltas. */
export const EMPTY_TEXT = { type: 'text', text: '' };
export const EMPTY_THOUGHT = { type: 'thinking', thinking: '', signature: '' };

export const MESSAGES_KEEPALIVE = messagesFrame({ type: 'ping' });

export function writeMessagesError(error: ApiError): string {
  return messagesFrame({ type: 'error', ...writeErrorBody(error) });
}

/** The end of a message. The charge is known only now, and a ping is what every client accepts with other fields. */
export const writeMessageStop = (cost: number | null): string =>
  (cost === null ? '' : messagesFrame({ type: 'ping', usage: { cost } })) +
  messagesFrame({ type: 'message_stop' });

/** The text or thinking block that is being written. */
type Open = { kind: 'text' | 'thinking'; index: number } | null;

/** Usage at the start of a message. It omits the output, because some clients add the final output to it. */
export function usageAtStart(usage: TokenUsage): TokenUsage {
  return { ...usage, output: 0, reasoning: 0 };
}

/**
 * Writes a response as events of the messages format. Blocks are numbered without gaps, and each is opened
 * empty and closed once. The end of the message waits for `close`. `expected` is the input known at the
 * start, for clients that read it nowhere else.
 */
export function writeMessagesStream(envelope: Envelope, expected: () => TokenUsage) {
  const tools = new Map<number, number>();
  let nextIndex = 0;
  let open: Open = null;
  let finish: Finish = { reason: 'end', stopSequence: null, explanation: null };

  function write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return (
          messagesFrame({
            type: 'message_start',
            message: writeEmptyMessage(envelope, usageAtStart(expected())),
          }) + MESSAGES_KEEPALIVE
        );
      case 'text-delta':
      case 'refusal-delta':
        return writeDelta('text', event.text);
      case 'reasoning-delta':
        return writeDelta('thinking', event.text);
      case 'reasoning-end':
        return endThought(event.signature);
      case 'text-end':
        return open?.kind === 'text' ? writeCitations(open.index, event.citations) + closeOpen() : '';
      case 'redacted-reasoning':
        return writeRedacted(event.data);
      case 'search':
        return writeSearchBlocks(event);
      case 'tool-start':
      case 'tool-delta':
      case 'tool-end':
        return writeTool(event);
      case 'ping':
        return MESSAGES_KEEPALIVE;
      case 'finish':
        finish = event;
        return '';
    }
  }

  function writeDelta(kind: 'text' | 'thinking', text: string): string {
    if (text === '') return '';
    let out = '';
    if (open?.kind !== kind) {
      out = closeOpen();
      open = { kind, index: nextIndex };
      out += startBlock(kind === 'text' ? EMPTY_TEXT : EMPTY_THOUGHT);
    }
    const delta = kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
    return out + deltaFrame(open.index, delta);
  }

  function endThought(signature: string | null): string {
    if (open?.kind === 'thinking') return closeOpen(signature ?? envelope.placeholderSignature);
    if (signature === null) return '';
    // Hidden thinking still has a signature that the client must send back.
    const opened = closeOpen();
    open = { kind: 'thinking', index: nextIndex };
    return opened + startBlock(EMPTY_THOUGHT) + closeOpen(signature);
  }

  function writeRedacted(data: string): string {
    const closed = closeOpen();
    return closed + startBlock({ type: 'redacted_thinking', data }) + stopFrame(nextIndex - 1);
  }

  function writeCitations(index: number, citations: readonly Citation[]): string {
    const write = (citation: Citation): string =>
      deltaFrame(index, {
        type: 'citations_delta',
        citation: writeCitation(citation, envelope.placeholderSignature),
      });
    return citations.map(write).join('');
  }

  function writeSearchBlocks(search: SearchPart): string {
    const closed = closeOpen();
    const [call, results] = writeSearch(search, envelope.placeholderSignature);
    const index = nextIndex;
    const json = JSON.stringify(call.input);
    return (
      closed +
      startBlock({ ...call, input: {} }) +
      deltaFrame(index, { type: 'input_json_delta', partial_json: json }) +
      stopFrame(index) +
      startBlock(results) +
      stopFrame(index + 1)
    );
  }

  function writeTool(event: Extract<StreamEvent, { type: `tool-${string}` }>): string {
    if (event.type === 'tool-start') {
      const id = packSignature(event.id, event.thoughtSignature);
      const closed = closeOpen();
      tools.set(event.call, nextIndex);
      return closed + startBlock({ type: 'tool_use', id, name: event.name, input: {} });
    }
    const index = tools.get(event.call);
    if (index === undefined) return '';
    if (event.type === 'tool-delta') {
      return event.json === ''
        ? ''
        : deltaFrame(index, { type: 'input_json_delta', partial_json: event.json });
    }
    tools.delete(event.call);
    return stopFrame(index);
  }

  function startBlock(contentBlock: Json): string {
    return messagesFrame({ type: 'content_block_start', index: nextIndex++, content_block: contentBlock });
  }

  function closeOpen(signature = envelope.placeholderSignature): string {
    if (open === null) return '';
    const { kind, index } = open;
    open = null;
    const signed = kind === 'thinking' ? deltaFrame(index, { type: 'signature_delta', signature }) : '';
    return signed + stopFrame(index);
  }

  /** The end of the message: open blocks, the stop reason with the final usage, `message_stop`. */
  function close(usage: TokenUsage, cost: number | null): string {
    const closed = closeOpen() + [...tools.values()].map(stopFrame).join('');
    return (
      closed +
      messagesFrame({ type: 'message_delta', delta: writeStop(finish), usage: writeUsage(usage) }) +
      writeMessageStop(cost)
    );
  }

  return { write, close };
}

function deltaFrame(index: number, delta: Json): string {
  return messagesFrame({ type: 'content_block_delta', index, delta });
}

function stopFrame(index: number): string {
  return messagesFrame({ type: 'content_block_stop', index });
}

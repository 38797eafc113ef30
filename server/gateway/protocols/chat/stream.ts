import type { ApiError } from '../../../base/errors';
import type { Finish, Json, StreamEvent, TokenUsage } from '../neutral';
import type { ChatChunk, ChatUsage } from './response-schema';
import {
  type Envelope,
  FINISH_REASONS,
  writeAnnotations,
  writeErrorBody,
  writeReasoningDetail,
  writeUsage,
} from './write';

/** A comment, because clients of this format treat every data event as a chunk. */
export const CHAT_KEEPALIVE = ': keepalive\n\n';
export const CHAT_DONE = 'data: [DONE]\n\n';

export function chatFrame(chunk: Json): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function writeChatError(error: ApiError): string {
  return chatFrame(writeErrorBody(error));
}

/**
 * Writes a response as chat-completion chunks. The finish chunk waits for `close`, so that a client never has
 * a finished response before it is settled.
 */
export function writeChatStream(envelope: Envelope, { includeUsage }: { includeUsage: boolean }) {
  let finish: Finish = { reason: 'end', stopSequence: null, explanation: null };
  let textLength = 0;
  let blockStart = 0;
  let thought = '';
  let details = 0;
  let hasRefused = false;
  /** Sent in one delta: the official clients keep the last one, or fail on a second. */
  const annotations: Json[] = [];

  function chunk(choices: ChatChunk['choices'], usage: ChatUsage | null = null): string {
    const { id, created, model } = envelope;
    return chatFrame({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      ...(includeUsage && { usage }),
    } satisfies ChatChunk);
  }

  const delta = (fields: ChatChunk['choices'][number]['delta']): string =>
    chunk([{ index: 0, delta: fields, logprobs: null, finish_reason: null }]);

  function write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return delta({ role: 'assistant', content: '', refusal: null });
      case 'text-delta':
        textLength += event.text.length;
        return delta({ content: event.text });
      case 'refusal-delta':
        hasRefused = true;
        return delta({ refusal: event.text });
      case 'reasoning-delta':
        thought += event.text;
        return delta({ reasoning_content: event.text });
      case 'tool-delta':
        return event.json === ''
          ? ''
          : delta({ tool_calls: [{ index: event.call, function: { arguments: event.json } }] });
      case 'ping':
        return CHAT_KEEPALIVE;
      default:
        return writeBoundary(event);
    }
  }

  function writeBoundary(
    event: Exclude<StreamEvent, { type: `${string}-delta` | 'start' | 'ping' }>,
  ): string {
    switch (event.type) {
      case 'text-end':
        annotations.push(...writeAnnotations(event.citations, blockStart, textLength - blockStart));
        blockStart = textLength;
        return '';
      case 'reasoning-end':
        return endThought(event.signature);
      case 'redacted-reasoning':
        return delta({ reasoning_details: [writeReasoningDetail(event, details++)] });
      case 'tool-start': {
        const { call: index, id, name } = event;
        return delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
      }
      case 'finish':
        finish = event;
        return '';
      case 'search':
      case 'tool-end':
        return '';
    }
  }

  function endThought(signature: string | null): string {
    const detail = { type: 'reasoning' as const, text: thought, signature };
    thought = '';
    return signature === null ? '' : delta({ reasoning_details: [writeReasoningDetail(detail, details++)] });
  }

  /** The end of the stream: the sources, the finish chunk, usage if requested, `[DONE]`. */
  function close(usage: TokenUsage, cost: number | null): string {
    const why = finish.reason === 'refusal' && !hasRefused && finish.explanation !== null;
    return (
      (annotations.length > 0 ? delta({ annotations }) : '') +
      (why ? delta({ refusal: finish.explanation }) : '') +
      chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: FINISH_REASONS[finish.reason] }]) +
      (includeUsage ? chunk([], writeUsage(usage, cost)) : '') +
      CHAT_DONE
    );
  }

  return { write, close };
}

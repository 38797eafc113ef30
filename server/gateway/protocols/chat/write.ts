import type { ApiError } from '../../../base/errors';
import type { Citation, Json, ModelResponse, StopReason, TokenUsage } from '../neutral';
import type { ChatCompletion, ChatUsage } from './response-schema';

export const FINISH_REASONS: Record<StopReason, string> = {
  end: 'stop',
  'stop-sequence': 'stop',
  'tool-use': 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
};

/**
 * In this format the prompt includes tokens of audio, and those read from and written to the cache. `cost` is what the client was
 * charged, in USD.
 */
export function writeUsage(usage: TokenUsage, cost: number | null = null): ChatUsage {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  const { inputUnits: heard = 0, outputUnits: spoken = 0 } = usage;
  const prompt = usage.input + usage.cacheRead + written + heard;
  const output = usage.output + spoken;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: written,
      ...(heard > 0 && { audio_tokens: heard }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      ...(spoken > 0 && { audio_tokens: spoken }),
    },
    ...(cost !== null && { cost }),
  };
}

export function writeErrorBody(error: ApiError): Json {
  return {
    error: { message: error.message, type: error.code, param: error.param, code: String(error.status) },
  };
}

export type Envelope = {
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
};

export function writeResponse(
  response: ModelResponse,
  usage: TokenUsage,
  { id, created, model }: Envelope,
): ChatCompletion {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: writeMessage(response),
        logprobs: null,
        finish_reason: FINISH_REASONS[response.reason],
      },
    ],
    usage: writeUsage(usage),
  };
}

type ChatMessage = ChatCompletion['choices'][number]['message'];

function writeMessage(response: ModelResponse): ChatMessage {
  const message = {
    text: '',
    refusal: '',
    reasoning: '',
    annotations: [] as Json[],
    details: [] as NonNullable<ChatMessage['reasoning_details']>,
    calls: [] as NonNullable<ChatMessage['tool_calls']>,
  };
  for (const part of response.parts) {
    switch (part.type) {
      case 'text':
        message.annotations.push(...writeAnnotations(part.citations, message.text.length, part.text.length));
        message.text += part.text;
        break;
      case 'refusal':
        message.refusal += part.text;
        break;
      case 'reasoning':
        message.reasoning += part.text;
        if (part.signature !== null) message.details.push(writeReasoningDetail(part, message.details.length));
        break;
      case 'redacted-reasoning':
        message.details.push(writeReasoningDetail(part, message.details.length));
        break;
      case 'search':
        break;
      case 'tool-call':
        message.calls.push({
          id: part.id,
          type: 'function',
          function: { name: part.name, arguments: part.json },
        });
        break;
    }
  }
  const { text, refusal, reasoning, annotations, details, calls } = message;
  return {
    role: 'assistant',
    content: text !== '' || calls.length === 0 ? text : null,
    refusal: refusal !== '' ? refusal : response.reason === 'refusal' ? response.explanation : null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** `start` is where the cited text begins in the whole content. */
export function writeAnnotations(citations: readonly Citation[], start: number, length: number): Json[] {
  return citations.map(({ url, title, span = { start: 0, end: length } }) => ({
    type: 'url_citation',
    url_citation: { start_index: start + span.start, end_index: start + span.end, url, title },
  }));
}

type Thought =
  | { type: 'reasoning'; text: string; signature: string | null }
  | { type: 'redacted-reasoning'; data: string };

/**
 * Writes the detail that a client must send back, byte for byte, so that the model can continue its
 * reasoning.
 */
export function writeReasoningDetail(thought: Thought, index: number): Json & { type: string } {
  return thought.type === 'reasoning'
    ? { type: 'reasoning.text', text: thought.text, signature: thought.signature, index }
    : { type: 'reasoning.encrypted', data: thought.data, index };
}

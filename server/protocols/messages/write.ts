import type { ApiError } from '../../errors';
import { parseExactly } from '../exact-numbers';
import type { Finish, Json, ModelResponse, ResponsePart, StopReason, TokenUsage } from '../neutral';
import { asObject } from '../read-fields';
import { packSignature } from '../tool-ids';
import type { Message } from './response-schema';

const STOP_REASONS: Record<StopReason, string> = {
  end: 'end_turn',
  'stop-sequence': 'stop_sequence',
  'tool-use': 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
};

/** In this format the input excludes tokens read from and written to the cache. */
export function writeUsage(usage: TokenUsage): Message['usage'] {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    service_tier: 'standard',
  };
}

export function writeErrorBody(error: ApiError): Json {
  return { type: 'error', error: { type: error.code, message: error.message } };
}

/** `placeholderSignature` signs the reasoning of providers that do not sign it themselves. */
export type Envelope = { id: string; model: string; placeholderSignature: string };

export function writeEmptyMessage({ id, model }: Envelope, usage: TokenUsage): Message {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: writeUsage(usage),
  };
}

export function writeStop({
  reason,
  stopSequence,
  explanation,
}: Finish): Json & Pick<Message, 'stop_reason'> {
  return {
    stop_reason: STOP_REASONS[reason],
    stop_sequence: stopSequence,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: null, explanation } : null,
  };
}

export function writeResponse(response: ModelResponse, usage: TokenUsage, envelope: Envelope): Message {
  return {
    ...writeEmptyMessage(envelope, usage),
    content: response.parts.flatMap((part) => writeBlock(part, envelope.placeholderSignature)),
    ...writeStop(response),
  };
}

/** Omits empty text: a client would send it back, and the provider would reject it. */
function writeBlock(part: ResponsePart, placeholderSignature: string): Message['content'] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? placeholderSignature }];
    case 'redacted-reasoning':
      return [{ type: 'redacted_thinking', data: part.data }];
    case 'tool-call': {
      const id = packSignature(part.id, part.thoughtSignature);
      return [{ type: 'tool_use', id, name: part.name, input: asObject(parseExactly(part.json)) }];
    }
  }
}

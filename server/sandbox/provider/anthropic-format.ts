import { randomBase62 } from '../../ids';
import type { Answer, Usage } from './answers';
import { type GenerationRequest, readMessagesRequest } from './generation-request';
import type { Frame, StreamScript } from './stream-steps';
import type { Failure, FailureKind, WireFormat } from './wire-format';

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool: 'tool_use' } as const;
const ERROR_TYPES: Record<FailureKind, string> = {
  bad_request: 'invalid_request_error',
  authentication: 'authentication_error',
  not_found: 'not_found_error',
  rate_limit: 'rate_limit_error',
  server_error: 'api_error',
};

export const anthropicFormat: WireFormat = {
  readRequest: readMessagesRequest,
  writeWhole,
  writeStream,
  writeError,
};

function writeWhole(request: GenerationRequest, answer: Answer): unknown {
  const call = answer.toolCall;
  const block =
    call === null
      ? { type: 'text', text: answer.tokens.join('') }
      : {
          type: 'tool_use',
          id: newToolUseId(),
          name: call.name,
          input: JSON.parse(call.arguments) as unknown,
        };
  return {
    ...emptyMessage(request),
    content: [block],
    stop_reason: STOP_REASONS[answer.finish],
    ...(answer.usage !== null && { usage: writeUsage(answer.usage, answer.usage.completionTokens) }),
  };
}

function writeStream(request: GenerationRequest, answer: Answer): StreamScript {
  const startUsage = answer.usage === null ? {} : { usage: writeUsage(answer.usage, 1) };
  const endUsage = answer.usage === null ? {} : { usage: { output_tokens: answer.usage.completionTokens } };
  return {
    opening: [
      frame('message_start', { message: { ...emptyMessage(request), ...startUsage } }),
      frame('content_block_start', { index: 0, content_block: openBlock(answer) }),
      frame('ping', {}),
    ],
    content: writeDeltas(answer),
    finish: [
      frame('content_block_stop', { index: 0 }),
      frame('message_delta', {
        delta: { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null },
        ...endUsage,
      }),
    ],
    usage: [],
    end: [frame('message_stop', {})],
    error: frame('error', { error: { type: 'api_error', message: 'Internal server error' } }),
  };
}

function openBlock(answer: Answer): object {
  if (answer.toolCall === null) return { type: 'text', text: '' };
  return { type: 'tool_use', id: newToolUseId(), name: answer.toolCall.name, input: {} };
}

function writeDeltas(answer: Answer): Frame[] {
  const delta = (body: object, pauseMs = 0): Frame =>
    frame('content_block_delta', { index: 0, delta: body }, pauseMs);
  const pieces = answer.toolCall?.arguments.match(/[\s\S]{1,7}/gu) ?? [];
  return [
    ...pieces.map((piece) => delta({ type: 'input_json_delta', partial_json: piece })),
    ...answer.tokens.map((text, index) => delta({ type: 'text_delta', text }, answer.pausesMs[index] ?? 0)),
  ];
}

/** Unlike OpenAI's count, `input_tokens` excludes cached tokens. */
function writeUsage(usage: Usage, outputTokens: number): object {
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}

function writeError(failure: Failure): unknown {
  const error = { type: ERROR_TYPES[failure.kind], message: failure.message };
  return { type: 'error', error, request_id: `req_${randomBase62(24)}` };
}

function emptyMessage(request: GenerationRequest): object {
  return {
    id: `msg_${randomBase62(24)}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

const newToolUseId = (): string => `toolu_${randomBase62(24)}`;

function frame(type: string, body: object, pauseMs = 0): Frame {
  return { text: `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`, pauseMs };
}

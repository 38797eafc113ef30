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
  const calls = answer.toolCalls.map((call) => ({
    type: 'tool_use',
    id: newToolUseId(),
    name: call.name,
    input: JSON.parse(call.arguments) as unknown,
  }));
  return {
    ...emptyMessage(request),
    content: calls.length === 0 ? [{ type: 'text', text: answer.tokens.join('') }] : calls,
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
      startBlock(answer, 0),
      frame('ping', {}),
    ],
    content: writeDeltas(answer),
    finish: [
      stopBlock(Math.max(0, answer.toolCalls.length - 1)),
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

function startBlock(answer: Answer, index: number): Frame {
  const call = answer.toolCalls[index];
  const block =
    call === undefined
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: newToolUseId(), name: call.name, input: {} };
  return frame('content_block_start', { index, content_block: block });
}

const stopBlock = (index: number): Frame => frame('content_block_stop', { index });

/** Without the start of the first block and the end of the last. */
function writeDeltas(answer: Answer): Frame[] {
  const delta = (index: number, body: object, pauseMs = 0): Frame =>
    frame('content_block_delta', { index, delta: body }, pauseMs);
  return [
    ...answer.toolCalls.flatMap((call, index) => [
      ...(index === 0 ? [] : [stopBlock(index - 1), startBlock(answer, index)]),
      ...(call.arguments.match(/[\s\S]{1,7}/gu) ?? []).map((piece) =>
        delta(index, { type: 'input_json_delta', partial_json: piece }),
      ),
    ]),
    ...answer.tokens.map((text, place) =>
      delta(0, { type: 'text_delta', text }, answer.pausesMs[place] ?? 0),
    ),
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

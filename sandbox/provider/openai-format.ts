import { now, SECOND_MS } from '../../server/base/clock';
import { randomBase62 } from '../../server/base/ids';
import type { Answer, Usage } from './answers';
import { type GenerationRequest, readChatRequest } from './generation-request';
import type { Frame, StreamScript } from './stream-steps';
import { say, writeSpeech } from './talk';
import type { Failure, FailureKind, WireFormat } from './wire-format';

const SYSTEM_FINGERPRINT = 'fp_sandbox0001';
const FINISH_REASONS = { stop: 'stop', length: 'length', tool: 'tool_calls' } as const;
const ERRORS: Record<FailureKind, { type: string; code: string | null }> = {
  bad_request: { type: 'invalid_request_error', code: null },
  authentication: { type: 'invalid_request_error', code: 'invalid_api_key' },
  not_found: { type: 'invalid_request_error', code: 'model_not_found' },
  rate_limit: { type: 'tokens', code: 'rate_limit_exceeded' },
  server_error: { type: 'server_error', code: null },
};

export const openaiFormat: WireFormat = { readRequest: readChatRequest, writeWhole, writeStream, writeError };

function writeWhole(request: GenerationRequest, answer: Answer): unknown {
  const calls = answer.toolCalls;
  const message = {
    role: 'assistant',
    content: calls.length === 0 && request.speaks === null ? answer.tokens.join('') : null,
    refusal: null,
    annotations: [],
    ...(request.speaks !== null && {
      audio: writeSpeech(newAudioId(), answer.tokens.join(''), request.speaks, nowSeconds()),
    }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({ id: newCallId(), type: 'function', function: call })),
    }),
  };
  return {
    ...envelope(request, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[answer.finish] }],
    ...(answer.usage !== null && { usage: writeUsage(answer.usage) }),
    service_tier: 'default',
  };
}

function writeStream(request: GenerationRequest, answer: Answer): StreamScript {
  const base = { ...envelope(request, 'chat.completion.chunk'), service_tier: 'default' };
  // As at OpenAI: if usage is requested, every chunk before it has `usage: null`.
  const pending = request.includeUsage ? { usage: null } : {};
  const chunk = (delta: object, finishReason: string | null = null, pauseMs = 0): Frame =>
    frame(
      { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], ...pending },
      pauseMs,
    );
  const usage =
    request.includeUsage && answer.usage !== null
      ? [frame({ ...base, choices: [], usage: writeUsage(answer.usage) })]
      : [];
  return {
    opening: [
      chunk({ role: 'assistant', content: answer.toolCalls.length === 0 ? '' : null, refusal: null }),
    ],
    content: [
      ...writeToolDeltas(answer).map((delta) => chunk(delta)),
      ...writeDeltas(request, answer).map((delta, index) => chunk(delta, null, answer.pausesMs[index] ?? 0)),
    ],
    finish: [chunk({}, FINISH_REASONS[answer.finish])],
    usage,
    end: [{ text: 'data: [DONE]\n\n', pauseMs: 0 }],
    error: frame(
      writeError({
        status: 500,
        kind: 'server_error',
        message: 'The server had an error while processing your request.',
      }),
    ),
  };
}

/** Of audio, each has some of it and of its transcript. */
function writeDeltas({ speaks }: GenerationRequest, { tokens }: Answer): object[] {
  if (speaks === null) return tokens.map((content) => ({ content }));
  const id = newAudioId();
  return tokens.map((token) => ({ audio: { id, data: say(token, 'pcm16'), transcript: token } }));
}

/** Splits the arguments into pieces that are not valid JSON on their own. */
function writeToolDeltas(answer: Answer): object[] {
  return answer.toolCalls.flatMap((call, index) => {
    const start = { index, id: newCallId(), type: 'function', function: { name: call.name, arguments: '' } };
    const pieces = call.arguments.match(/[\s\S]{1,7}/gu) ?? [];
    return [start, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))].map((delta) => ({
      tool_calls: [delta],
    }));
  });
}

function writeUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: usage.heardTokens },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: usage.spokenTokens,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function writeError(failure: Failure): unknown {
  return { error: { message: failure.message, ...ERRORS[failure.kind], param: failure.param ?? null } };
}

function envelope(request: GenerationRequest, object: string): object {
  return {
    id: `chatcmpl-${randomBase62(29)}`,
    object,
    created: nowSeconds(),
    model: request.model,
    system_fingerprint: SYSTEM_FINGERPRINT,
  };
}

const nowSeconds = (): number => Math.floor(now() / SECOND_MS);
const newAudioId = (): string => `audio_${randomBase62(24)}`;
const newCallId = (): string => `call_${randomBase62(24)}`;

function frame(body: unknown, pauseMs = 0): Frame {
  return { text: `data: ${JSON.stringify(body)}\n\n`, pauseMs };
}

import { randomBase62 } from '../../server/base/ids';
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
    content: [
      ...searchBlocks(answer),
      ...(calls.length === 0 ? [{ type: 'text', text: answer.tokens.join('') }] : calls),
    ],
    stop_reason: STOP_REASONS[answer.finish],
    ...(answer.usage !== null && { usage: writeEndUsage(answer, answer.usage) }),
  };
}

function writeStream(request: GenerationRequest, answer: Answer): StreamScript {
  const startUsage = answer.usage === null ? {} : { usage: writeUsage(answer.usage, 1) };
  const endUsage =
    answer.usage === null
      ? {}
      : answer.search === null
        ? { usage: { output_tokens: answer.usage.completionTokens } }
        : { usage: writeEndUsage(answer, answer.usage) };
  const first = searchBlocks(answer).length;
  return {
    opening: [
      frame('message_start', { message: { ...emptyMessage(request), ...startUsage } }),
      ...searchBlocks(answer).flatMap(writeSearchBlock),
      startBlock(answer, 0, first),
      frame('ping', {}),
    ],
    content: writeDeltas(answer, first),
    finish: [
      stopBlock(first + Math.max(0, answer.toolCalls.length - 1)),
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

function startBlock(answer: Answer, place: number, first: number): Frame {
  const call = answer.toolCalls[place];
  const block =
    call === undefined
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: newToolUseId(), name: call.name, input: {} };
  return frame('content_block_start', { index: first + place, content_block: block });
}

type SearchBlock = {
  type: string;
  id?: string;
  tool_use_id?: string;
  name?: string;
  input?: object;
  content?: object[];
};

/** The call and the results of the search, as Anthropic writes them. */
function searchBlocks({ search }: Answer): SearchBlock[] {
  if (search === null) return [];
  const id = `srvtoolu_${randomBase62(24)}`;
  const results = search.results.map(({ title, url }) => ({
    type: 'web_search_result',
    title,
    url,
    encrypted_content: Buffer.from(title).toString('base64'),
    page_age: null,
  }));
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: search.query } },
    { type: 'web_search_tool_result', tool_use_id: id, content: results },
  ];
}

function writeSearchBlock(block: SearchBlock, index: number): Frame[] {
  const partial = JSON.stringify(block.input);
  return [
    frame('content_block_start', {
      index,
      content_block: { ...block, ...(block.input !== undefined && { input: {} }) },
    }),
    ...(block.input === undefined
      ? []
      : [
          frame('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: partial } }),
        ]),
    stopBlock(index),
  ];
}

const stopBlock = (index: number): Frame => frame('content_block_stop', { index });

/** Without the start of the first block and the end of the last. */
function writeDeltas(answer: Answer, first: number): Frame[] {
  const delta = (index: number, body: object, pauseMs = 0): Frame =>
    frame('content_block_delta', { index: first + index, delta: body }, pauseMs);
  return [
    ...answer.toolCalls.flatMap((call, index) => [
      ...(index === 0 ? [] : [stopBlock(first + index - 1), startBlock(answer, index, first)]),
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

const TOKENS_OF_RESULTS = 1_000;

/** After a search, the model has read the prompt a second time, with the results. */
function writeEndUsage({ search }: Answer, usage: Usage): object {
  const { promptTokens, completionTokens } = usage;
  if (search === null) return writeUsage(usage, completionTokens);
  const read = { ...usage, promptTokens: 2 * promptTokens + TOKENS_OF_RESULTS };
  return { ...writeUsage(read, completionTokens), server_tool_use: { web_search_requests: 1 } };
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

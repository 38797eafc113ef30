import { responseEvents } from '../../providers/response-events';
import type { ResponseLabels } from '../client-protocol';
import type { Json, ModelResponse, TokenUsage } from '../neutral';
import { type OutputEvent, writeOutput } from './output';
import type { ResponsesUsage, WrittenResponse } from './response-schema';
import type { ResponsesRequest } from './schema';
import { offeredTools } from './tools';

/** In this format the input includes tokens read from and written to the cache. */
export function writeUsage(usage: TokenUsage): ResponsesUsage {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  const input = usage.input + usage.cacheRead + written;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: written },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  };
}

/** What a response repeats of its request, whichever provider it comes from. */
export function repeatRequest(request: ResponsesRequest): Json {
  return {
    metadata: request.metadata ?? {},
    previous_response_id: request.previous_response_id ?? null,
    safety_identifier: request.safety_identifier ?? null,
    store: request.store !== false,
    user: request.user ?? null,
  };
}

/** A response that has begun. */
export function beginResponse(request: ResponsesRequest, labels: ResponseLabels): WrittenResponse {
  return {
    id: `resp_${labels.newId()}`,
    object: 'response',
    created_at: labels.created,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    ...(request.max_tool_calls != null && { max_tool_calls: request.max_tool_calls }),
    model: labels.requestedModel,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    service_tier: 'default',
    temperature: request.temperature ?? 1,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_logprobs: 0,
    top_p: request.top_p ?? 1,
    truncation: 'disabled',
    usage: null,
    ...repeatRequest(request),
  };
}

/** The part of `include` that asks for the pages that a search found. */
export const SOURCES = 'web_search_call.action.sources';

export const outputOptions = ({ tools, include }: ResponsesRequest, labels: ResponseLabels) => ({
  labels,
  tools: offeredTools(tools ?? []),
  withSources: include?.includes(SOURCES) === true,
});

type Output = ReturnType<ReturnType<typeof writeOutput>['close']>;

/** The same response once it has ended. */
export function endResponse(
  begun: WrittenResponse,
  { items, incomplete }: Output,
  usage: TokenUsage,
): WrittenResponse {
  return Object.assign({}, begun, {
    status: incomplete === null ? 'completed' : 'incomplete',
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    output: items,
    usage: writeUsage(usage),
  });
}

export function writeResponse(
  response: ModelResponse,
  usage: TokenUsage,
  labels: ResponseLabels,
  request: ResponsesRequest,
): WrittenResponse {
  const output = writeOutput({ ...outputOptions(request, labels), emit: () => {} });
  for (const event of responseEvents(response)) {
    if (event.type !== 'start') output.write(event as OutputEvent);
  }
  const written = endResponse(beginResponse(request, labels), output.close(), usage);
  labels.noteResponse?.(written);
  return written;
}

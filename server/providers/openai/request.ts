import type { ChatRequest } from '../../protocols/chat/schema';

export type UpstreamTarget = { baseUrl: string; apiKey: string };

/**
 * The client's request as it goes upstream: untouched but for the model's name, the output cap,
 * usage in streams (always asked for: it is what we bill by) and the service tier.
 */
export function writeChatRequest(
  request: ChatRequest,
  { upstreamModel, outputCap, reasoning }: { upstreamModel: string; outputCap: number; reasoning: boolean },
): string {
  const { max_tokens, max_completion_tokens, service_tier: _tier, ...rest } = request;
  const limitName = max_completion_tokens != null || (reasoning && max_tokens == null) ? 'max_completion_tokens' : 'max_tokens';
  return JSON.stringify({
    ...rest,
    model: upstreamModel,
    [reasoning ? 'max_completion_tokens' : limitName]: outputCap,
    ...(request.stream && { stream_options: { ...request.stream_options, include_usage: true } }),
  });
}

export function chatCompletionsUrl(target: UpstreamTarget): string {
  return `${target.baseUrl}/chat/completions`;
}

export function writeHeaders(target: UpstreamTarget): Record<string, string> {
  return { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' };
}

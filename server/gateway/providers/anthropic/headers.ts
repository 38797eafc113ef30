import type { ClientHeaders } from '../exchange';

/** Still accepts sampling parameters, and documents anywhere. */
const DEFAULT_VERSION = '2023-06-01';
const KNOWN_VERSIONS = new Set([DEFAULT_VERSION, '2026-10-21']);

/**
 * Betas that change neither the bill nor the model. Deliberately omitted: fast mode, fallbacks, advisor,
 * compaction, MCP, files, skills, code execution, and long context, which has its own price.
 */
const ALLOWED_BETAS =
  /^(advanced-tool-use|claude-code|computer-use|context-management|effort|extended-cache-ttl|fine-grained-tool-streaming|interleaved-thinking|max-tokens-3-5-sonnet|mid-conversation-system|output-128k|pdfs|prompt-caching|prompt-caching-scope|redact-thinking|structured-outputs|thinking-token-count|token-counting|token-efficient-tools|tool-examples|tool-search-tool)-\d{4}-\d{2}-\d{2}$|^claude-code-\d{8}$/;

/**
 * Forwards only the client headers named here: keys, cookies, origin and client library do not concern the
 * provider. `isNative` means that the client uses this format itself, so that its version and betas match the
 * body.
 */
export function writeHeaders(
  client: ClientHeaders,
  { isNative, warnings }: { isNative: boolean; warnings: string[] },
): Record<string, string> {
  const requested = client['anthropic-version'] ?? '';
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'anthropic-version': isNative && KNOWN_VERSIONS.has(requested) ? requested : DEFAULT_VERSION,
  };
  const betas = isNative ? allowBetas(client['anthropic-beta'] ?? '', warnings) : '';
  if (betas !== '') headers['anthropic-beta'] = betas;
  return headers;
}

function allowBetas(header: string, warnings: string[]): string {
  const requested = header.split(',').flatMap((beta) => beta.trim() || []);
  const allowed = requested.filter((beta) => ALLOWED_BETAS.test(beta));
  if (allowed.length < requested.length) warnings.push('some anthropic-beta values were not forwarded');
  return allowed.join(',');
}

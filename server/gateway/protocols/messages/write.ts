import type { ApiError } from '../../../base/errors';
import type {
  Citation,
  Finish,
  FoundPage,
  Json,
  ModelResponse,
  ResponsePart,
  SearchPart,
  StopReason,
  TokenUsage,
} from '../neutral';
import { readArguments } from '../tool-arguments';
import { cleanIdentifier, packSignature } from '../tool-ids';
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
    ...(usage.searches && {
      server_tool_use: { web_search_requests: usage.searches, web_fetch_requests: 0 },
    }),
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
      return part.text === '' ? [] : [writeText(part.text, part.citations, placeholderSignature)];
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'search':
      return writeSearch(part, placeholderSignature);
    case 'reasoning':
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? placeholderSignature }];
    case 'redacted-reasoning':
      return [{ type: 'redacted_thinking', data: part.data }];
    case 'tool-call': {
      const id = packSignature(part.id, part.thoughtSignature);
      return [{ type: 'tool_use', id, name: part.name, input: readArguments(part.json) }];
    }
  }
}

const writeText = (text: string, citations: readonly Citation[], signature: string) => ({
  type: 'text' as const,
  text,
  ...(citations.length > 0 && { citations: citations.map((citation) => writeCitation(citation, signature)) }),
});

/** Only Anthropic writes what is encrypted, and reports the text of the source. */
export const writeCitation = ({ url, title }: Citation, signature: string): Json => ({
  type: 'web_search_result_location',
  url,
  title,
  encrypted_index: signature,
  cited_text: '',
});

/** By the prefix, a search of another provider is recognised when the client sends it back. */
const OWN_SEARCH = 'srvtoolu_svc_';

export const isOwnSearch = (id: unknown): boolean => typeof id === 'string' && id.startsWith(OWN_SEARCH);

/** The call of a search and its results, as Anthropic writes them. */
export function writeSearch(
  { id, query, pages }: SearchPart,
  signature: string,
): [SearchCall, SearchResults] {
  const callId = OWN_SEARCH + cleanIdentifier(id).replaceAll('-', '_');
  return [
    { type: 'server_tool_use', id: callId, name: 'web_search', input: { query } },
    {
      type: 'web_search_tool_result',
      tool_use_id: callId,
      content: pages?.map((page) => writePage(page, signature)) ?? {
        type: 'web_search_tool_result_error',
        error_code: 'unavailable',
      },
    },
  ];
}

type SearchCall = { type: 'server_tool_use'; id: string; name: string; input: Json };
type SearchResults = { type: 'web_search_tool_result'; tool_use_id: string; content: unknown };

const writePage = ({ url, title, age }: FoundPage, signature: string): Json => ({
  type: 'web_search_result',
  url,
  title,
  page_age: age,
  encrypted_content: signature,
});

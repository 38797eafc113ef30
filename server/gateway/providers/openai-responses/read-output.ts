import type {
  Citation,
  Json,
  ModelResponse,
  ResponsePart,
  SearchPart,
  StopReason,
} from '../../protocols/neutral';
import { asArray, asObject, asText } from '../../protocols/read-fields';

/** Reads a complete response as neutral parts. */
export function readOutput(response: Json): ModelResponse {
  const items = asArray(response.output).map(asObject);
  return {
    parts: items.flatMap(readItem),
    stopSequence: null,
    ...readEnd(response),
  };
}

/** How a response ended. A call determines the reason, as in the other formats. */
export function readEnd({ incomplete_details: details, output }: Json): {
  reason: StopReason;
  explanation: string | null;
} {
  const { reason: cause } = asObject(details);
  const hasCalls = asArray(output).some((item) => asObject(item).type === 'function_call');
  const ended: StopReason = hasCalls ? 'tool-use' : 'end';
  const reason = cause === 'max_output_tokens' ? 'length' : cause === 'content_filter' ? 'refusal' : ended;
  return { reason, explanation: null };
}

function readItem(item: Json): ResponsePart[] {
  switch (item.type) {
    case 'message':
      return asArray(item.content).flatMap((part) => readPart(asObject(part)));
    case 'function_call': {
      const { call_id: id, name, arguments: json } = item;
      return [{ type: 'tool-call', id: asText(id), name: asText(name), json: asText(json) || '{}' }];
    }
    case 'web_search_call':
      return readSearch(item);
    case 'reasoning': {
      const text = asArray(item.summary)
        .map((part) => asText(asObject(part).text))
        .join('');
      return text === '' ? [] : [{ type: 'reasoning', text, signature: null }];
    }
    default:
      return [];
  }
}

function readPart({ type, text, refusal, annotations }: Json): ResponsePart[] {
  if (type === 'refusal') return [{ type, text: asText(refusal) }];
  if (type !== 'output_text') return [];
  return [{ type: 'text', text: asText(text), citations: asArray(annotations).flatMap(readCitation) }];
}

export function readCitation(annotation: unknown): Citation[] {
  const { type, url, title, start_index: start, end_index: end } = asObject(annotation);
  if (type !== 'url_citation' || typeof url !== 'string') return [];
  const span = typeof start === 'number' && typeof end === 'number' ? { span: { start, end } } : {};
  return [{ url, title: asText(title), ...span }];
}

/** Pages that a search opens or reads have no counterpart, and are not billed. */
export function readSearch({ id, status, action }: Json): SearchPart[] {
  const { type, query, queries, sources } = asObject(action);
  if ((type ?? 'search') !== 'search') return [];
  const asked = asArray(queries).map(asText).filter(Boolean).join('; ') || asText(query);
  const pages = asArray(sources).flatMap((source) => {
    const { url } = asObject(source);
    return typeof url === 'string' ? [{ url, title: url, age: null }] : [];
  });
  return [{ type: 'search', id: asText(id), query: asked, pages: status === 'failed' ? null : pages }];
}

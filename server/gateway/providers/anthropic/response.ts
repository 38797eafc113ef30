import { writeExactly } from '../../protocols/exact-numbers';
import type {
  Citation,
  FoundPage,
  Json,
  ModelResponse,
  ResponsePart,
  SearchPart,
  StopReason,
} from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, lookUp, parseJson } from '../../protocols/read-fields';
import { isText } from '../fit';
import type { ResponseFacts } from '../metered-usage';
import { brokenResponse, FailedResponse, findFailure } from '../provider-failure';
import { fitBlock, readBlocks } from './fit-message';
import { readUsage } from './usage';

const STOP_REASONS: Record<string, StopReason> = {
  end_turn: 'end',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

type Ending = { jsonTool: string | null; hasSearched: boolean };

/**
 * An unlisted reason is a normal end. A call of our own JSON tool does not count as a tool call of the
 * client. A turn that is paused after many searches is incomplete, and other formats cannot continue it.
 */
export function readStopReason(reported: string, { jsonTool, hasSearched }: Ending): StopReason {
  if (reported === 'pause_turn' && hasSearched) return 'length';
  const reason = lookUp(STOP_REASONS, reported) ?? 'end';
  return reason === 'tool-use' && jsonTool !== null ? 'end' : reason;
}

/** Returns the parsed message; throws when it is an error, or not a message. */
export function parseMessage(text: string, parse: (json: string) => unknown = parseJson): Json {
  const message = asObject(parse(text));
  const says = Array.isArray(message.content) || isText(message.content);
  const failure = findFailure(message, { says });
  if (failure === null && says) return message;
  throw new FailedResponse(failure ?? brokenResponse('the provider sent no response'), readFacts(message), {
    isError: failure !== null,
  });
}

export function readFacts(message: Json): ResponseFacts {
  const blocks = readBlocks(message.content).map(asObject);
  return {
    ...readUsage(message.usage, blocks.filter(isSearchResult).length),
    providerCost: null,
    outputBytes: blocks.reduce((sum, block) => sum + countBlockBytes(block), 0),
  };
}

/** The results of a search; a failed one, which is not billed, has an error in their place. */
export const isSearchResult = ({ type, content }: Json): boolean =>
  type === 'web_search_tool_result' && Array.isArray(content);

function countBlockBytes(block: Json): number {
  const text = asText(block.text) + asText(block.thinking);
  return (
    Buffer.byteLength(text) + (isObject(block.input) ? Buffer.byteLength(JSON.stringify(block.input)) : 0)
  );
}

/** `jsonTool` names the tool that replaces JSON output: its arguments are the text. */
export function readResponse(message: Json, { jsonTool }: { jsonTool: string | null }): ModelResponse {
  const fitted = readBlocks(message.content).map((block) => fitBlock(block, { any: false }));
  const blocks = fitted.filter(isObject);
  const queries = new Map(blocks.filter(isSearchCall).map(({ id, input }) => [id, readQuery(input)]));
  const parts = blocks.flatMap((block) => readBlock(block, jsonTool, queries));
  const hasJson = blocks.some((block) => isJsonCall(block, jsonTool));
  return {
    parts,
    reason: readStopReason(asText(message.stop_reason) || (parts.some(isCall) ? 'tool_use' : 'end_turn'), {
      jsonTool: hasJson ? jsonTool : null,
      hasSearched: queries.size > 0,
    }),
    stopSequence: asText(message.stop_sequence) || null,
    explanation: asText(asObject(message.stop_details).explanation) || null,
  };
}

const isCall = ({ type }: ResponsePart): boolean => type === 'tool-call';

function readBlock(
  block: Json,
  jsonTool: string | null,
  queries: ReadonlyMap<unknown, string>,
): ResponsePart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: asText(block.text), citations: readCitations(block.citations) }];
    case 'thinking':
      return [
        { type: 'reasoning', text: asText(block.thinking), signature: asText(block.signature) || null },
      ];
    case 'redacted_thinking':
      return [{ type: 'redacted-reasoning', data: asText(block.data) }];
    case 'tool_use': {
      const json = writeExactly(asObject(block.input));
      if (isJsonCall(block, jsonTool)) return [{ type: 'text', text: json, citations: [] }];
      return [{ type: 'tool-call', id: asText(block.id), name: asText(block.name), json }];
    }
    case 'web_search_tool_result':
      return [readSearch(block, queries.get(block.tool_use_id) ?? '')];
    default:
      // Other tools that run at the provider, and their results, are not part of the response.
      return [];
  }
}

function isJsonCall(block: Json, jsonTool: string | null): boolean {
  return block.type === 'tool_use' && jsonTool !== null && block.name === jsonTool;
}

export const isSearchCall = ({ type, name }: Json): boolean =>
  type === 'server_tool_use' && name === 'web_search';

export const readQuery = (input: unknown): string => asText(asObject(input).query);

/** A failed search has an error in place of its results. */
export function readSearch({ tool_use_id: id, content }: Json, query: string): SearchPart {
  const pages = Array.isArray(content) ? content.flatMap((page) => readPage(asObject(page))) : null;
  return { type: 'search', id: asText(id), query, pages };
}

const readPage = ({ url, title, page_age: age }: Json): FoundPage[] =>
  typeof url === 'string' ? [{ url, title: asText(title), age: asText(age) || null }] : [];

/** Only citations with a URL have a counterpart. */
export function readCitations(citations: unknown): Citation[] {
  return asArray(citations).flatMap((citation) => {
    const { url, title } = asObject(citation);
    return typeof url === 'string' ? [{ url, title: asText(title) }] : [];
  });
}

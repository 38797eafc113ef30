import { sniffImageType } from '../media';
import type {
  CacheLifetime,
  DocumentPart,
  ImagePart,
  Json,
  Part,
  TextPart,
  ToolResultPart,
} from '../neutral';
import { asArray, asObject, asText, isObject, readObject, refuse, requireText } from '../read-fields';
import { refuseType, requireName } from '../read-options';
import { unpackSignature } from '../tool-ids';

type ContentPart = TextPart | ImagePart | DocumentPart;

/**
 * Reads a string or blocks as parts. Blocks that other formats cannot express are refused, or dropped with a
 * warning.
 */
export function readBlocks(content: unknown, param: string, warnings: string[]): Part[] {
  if (typeof content === 'string') return textPart(content);
  return asArray(content).flatMap((block, index) =>
    readBlock(asObject(block), `${param}.${index}`, warnings),
  );
}

function readBlock(block: Json, param: string, warnings: string[]): Part[] {
  switch (block.type) {
    case 'tool_use': {
      const name = requireName(block.name, `${param}.name`);
      return [
        {
          type: 'tool-call',
          ...unpackSignature(requireName(block.id, `${param}.id`)),
          name,
          input: readObject(block.input, `${param}.input`),
          ...readCacheBreakpoint(block),
        },
      ];
    }
    case 'tool_result':
      return [readToolResult(block, param, warnings)];
    case 'thinking':
      return [
        { type: 'reasoning', text: asText(block.thinking), signature: asText(block.signature) || null },
      ];
    case 'redacted_thinking':
      return [{ type: 'redacted-reasoning', data: asText(block.data) }];
    case 'compaction':
      return textPart(asText(block.content));
    case 'server_tool_use':
      return [];
    default:
      return readContent(block, param, warnings);
  }
}

function readToolResult(block: Json, param: string, warnings: string[]): ToolResultPart {
  const parts = readContents(block.content ?? '', `${param}.content`, warnings);
  const { id } = unpackSignature(requireName(block.tool_use_id, `${param}.tool_use_id`));
  return {
    type: 'tool-result',
    callId: id,
    content: parts,
    isError: block.is_error === true,
    ...readCacheBreakpoint(block),
  };
}

function readContents(content: unknown, param: string, warnings: string[]): ContentPart[] {
  if (typeof content === 'string') return textPart(content);
  if (!Array.isArray(content)) throw refuse(param, 'must be a string or an array of content blocks');
  return content.flatMap((block, index) => readContent(asObject(block), `${param}.${index}`, warnings));
}

function readContent(block: Json, param: string, warnings: string[]): ContentPart[] {
  const breakpoint = readCacheBreakpoint(block);
  switch (block.type) {
    case 'text':
      return textPart(requireText(block.text, `${param}.text`), breakpoint);
    case 'image':
      return [
        { ...readImage(readObject(block.source, `${param}.source`), `${param}.source`), ...breakpoint },
      ];
    case 'document':
      return readDocument(block, param, warnings);
    case 'search_result':
      return textPart(
        joinLines(asText(block.title), asText(block.source), ...texts(block.content)),
        breakpoint,
      );
    case 'tool_reference':
      return textPart(`[tool: ${asText(block.tool_name)}]`);
    default:
      return readServerToolResult(block, param, warnings);
  }
}

function readImage(source: Json, place: string): ImagePart {
  switch (source.type) {
    case 'base64': {
      const data = requireText(source.data, `${place}.data`);
      // The declared type is often wrong.
      const mediaType = sniffImageType(data) ?? asText(source.media_type);
      return { type: 'image', place, source: { kind: 'data', mediaType, data } };
    }
    case 'url':
      return { type: 'image', place, source: { kind: 'url', url: requireText(source.url, `${place}.url`) } };
    default:
      throw refuseSource(source, place, 'base64 or url');
  }
}

/** Adds title and context as text next to the document. */
function readDocument(block: Json, param: string, warnings: string[]): ContentPart[] {
  const place = `${param}.source`;
  const source = readObject(block.source, place);
  const title = asText(block.title) || null;
  const context = asText(block.context);
  const breakpoint = readCacheBreakpoint(block);
  if (asObject(block.citations).enabled === true) warnings.push('citations were dropped');
  switch (source.type) {
    case 'base64':
      return [
        ...textPart(context),
        { type: 'document', place, title, source: readData(source, place), ...breakpoint },
      ];
    case 'url': {
      const url = requireText(source.url, `${place}.url`);
      return [
        ...textPart(context),
        { type: 'document', place, title, source: { kind: 'url', url }, ...breakpoint },
      ];
    }
    case 'text':
      return textPart(joinLines(title, context, requireText(source.data, `${place}.data`)), breakpoint);
    case 'content':
      if (typeof source.content === 'string')
        return textPart(joinLines(title, context, source.content), breakpoint);
      return [
        ...textPart(joinLines(title, context)),
        ...readContents(source.content, `${place}.content`, warnings),
      ];
    default:
      throw refuseSource(source, place, 'base64, url, text or content');
  }
}

const readData = ({ data }: Json, place: string) =>
  ({ kind: 'data', data: requireText(data, `${place}.data`) }) as const;

function refuseSource({ type }: Json, place: string, types: string) {
  return type === 'file'
    ? refuse(place, 'uploaded files are not supported: send the content inline')
    : refuse(`${place}.type`, `must be ${types}`);
}

const joinLines = (...lines: (string | null)[]): string => lines.filter(Boolean).join('\n');

/** Converts results of tools that ran at another provider to text, as far as they are readable. */
function readServerToolResult(block: Json, param: string, warnings: string[]): TextPart[] {
  const type = asText(block.type);
  if (!type.endsWith('_tool_result') || type.startsWith('mcp_')) throw refuseType('blocks', type, param);
  const results = describeResults(block.content);
  if (results !== null) return textPart(results);
  warnings.push('results of a server tool were dropped');
  return [];
}

/** Pages that a search found, for a model that cannot read what the provider of another encrypted. */
export function describeResults(content: unknown): string | null {
  const lines = asArray(content)
    .map(asObject)
    .flatMap(({ title, url }) => (typeof url === 'string' ? [`- ${asText(title)} ${url}`] : []));
  return lines.length === 0 ? null : `[search results]\n${lines.join('\n')}`;
}

function texts(content: unknown): string[] {
  return asArray(content).map((part) => asText(asObject(part).text));
}

function textPart(text: string, breakpoint: { cache?: CacheLifetime } = {}): TextPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...breakpoint }];
}

export function readCacheBreakpoint(block: Json): { cache?: CacheLifetime } {
  if (!isObject(block.cache_control)) return {};
  return { cache: block.cache_control.ttl === '1h' ? '1h' : '5m' };
}

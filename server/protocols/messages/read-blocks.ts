import type { CacheMark, DocumentPart, ImagePart, Json, Part, TextPart, ToolResultPart } from '../neutral';
import { asArray, asObject, asText, isObject, refuse } from '../read-fields';
import { unpackSignature } from '../tool-ids';

type ContentPart = TextPart | ImagePart | DocumentPart;

/** A string or blocks as parts. What cannot be told in another format is refused, or dropped with a warning. */
export function readBlocks(content: unknown, param: string, warnings: string[]): Part[] {
  if (typeof content === 'string') return textPart(content);
  return asArray(content).flatMap((block, index) =>
    readBlock(asObject(block), `${param}.${index}`, warnings),
  );
}

function readBlock(block: Json, param: string, warnings: string[]): Part[] {
  switch (block.type) {
    case 'tool_use': {
      const name = asText(block.name);
      return [
        {
          type: 'tool-call',
          ...unpackSignature(asText(block.id)),
          name,
          input: asObject(block.input),
          ...readCacheMark(block),
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
  const content = block.content ?? '';
  const parts: ContentPart[] =
    typeof content === 'string'
      ? textPart(content)
      : asArray(content).flatMap((inner, index) =>
          readContent(asObject(inner), `${param}.content.${index}`, warnings),
        );
  const { id } = unpackSignature(asText(block.tool_use_id));
  return {
    type: 'tool-result',
    callId: id,
    content: parts,
    isError: block.is_error === true,
    ...readCacheMark(block),
  };
}

function readContent(block: Json, param: string, warnings: string[]): ContentPart[] {
  const mark = readCacheMark(block);
  switch (block.type) {
    case 'text':
      return textPart(asText(block.text), mark);
    case 'image':
      return [{ ...readImage(asObject(block.source), param), ...mark }];
    case 'document':
      return readDocument(block, param, warnings);
    case 'search_result':
      return textPart([block.title, block.source, ...texts(block.content)].filter(Boolean).join('\n'), mark);
    case 'tool_reference':
      return textPart(`[tool: ${asText(block.tool_name)}]`);
    default:
      return readServerToolResult(block, param, warnings);
  }
}

function readImage(source: Json, param: string): ImagePart {
  if (source.type === 'base64') {
    return {
      type: 'image',
      source: { kind: 'data', mediaType: asText(source.media_type), data: asText(source.data) },
    };
  }
  if (source.type === 'url') return { type: 'image', source: { kind: 'url', url: asText(source.url) } };
  throw refuse(`${param}.source`, 'uploaded files are not offered: send the image itself');
}

function readDocument(block: Json, param: string, warnings: string[]): ContentPart[] {
  const source = asObject(block.source);
  const title = asText(block.title) || null;
  const heading = title === null ? '' : `${title}\n`;
  const mark = readCacheMark(block);
  switch (source.type) {
    case 'base64':
      return [{ type: 'document', title, source: { kind: 'data', data: asText(source.data) }, ...mark }];
    case 'url':
      return [{ type: 'document', title, source: { kind: 'url', url: asText(source.url) }, ...mark }];
    case 'text':
      return textPart(heading + asText(source.data), mark);
    case 'content':
      if (typeof source.content === 'string') return textPart(heading + source.content, mark);
      return asArray(source.content).flatMap((inner, index) =>
        readContent(asObject(inner), `${param}.${index}`, warnings),
      );
    default:
      throw refuse(`${param}.source`, 'uploaded files are not offered: send the document itself');
  }
}

/** Results of tools that ran at another provider: what can be read is told as text. */
function readServerToolResult(block: Json, param: string, warnings: string[]): TextPart[] {
  const type = asText(block.type);
  if (!type.endsWith('_tool_result') || type.startsWith('mcp_')) {
    throw refuse(param, `blocks of type ${type.slice(0, 40) || 'unknown'} are not supported by this model`);
  }
  const found = asArray(block.content).map(asObject);
  const lines = found.flatMap(({ title, url }) =>
    typeof url === 'string' ? [`- ${asText(title)} ${url}`] : [],
  );
  if (lines.length > 0) return textPart(`[search results]\n${lines.join('\n')}`);
  warnings.push('results of a server tool were dropped');
  return [];
}

function texts(content: unknown): string[] {
  return asArray(content).map((part) => asText(asObject(part).text));
}

function textPart(text: string, mark: { cache?: CacheMark } = {}): TextPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark }];
}

export function readCacheMark(block: Json): { cache?: CacheMark } {
  if (!isObject(block.cache_control)) return {};
  return { cache: block.cache_control.ttl === '1h' ? '1h' : '5m' };
}

import { parseDataUrl } from '../media';
import type { CacheLifetime, DocumentPart, ImagePart, Json, TextPart } from '../neutral';
import { asText, isObject, readObject, refuse, requireText } from '../read-fields';
import { refuseType } from '../read-options';

export type ContentPart = TextPart | ImagePart | DocumentPart;

/** Reads the text or parts of a message, without empty ones. `param` is the field that an error names. */
export function readContent(content: unknown, param: string): ContentPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return textParts(content);
  if (!Array.isArray(content)) throw refuse(param, 'must be a string or an array of parts');
  return content.flatMap((part, index) => readPart(part, `${param}.${index}`));
}

function readPart(part: unknown, param: string): ContentPart[] {
  if (!isObject(part)) throw refuse(param, 'must be a part: an object with a type');
  const breakpoint = readCacheBreakpoint(part);
  switch (part.type) {
    case 'text':
      return textParts(requireText(part.text, `${param}.text`), breakpoint);
    case 'refusal':
      return textParts(requireText(part.refusal, `${param}.refusal`), breakpoint);
    case 'image_url':
      return [{ ...readImage(part.image_url, param), ...breakpoint }];
    case 'file':
      return [{ ...readFile(readObject(part.file, `${param}.file`), param), ...breakpoint }];
    default:
      throw refuseType('parts', part.type, param);
  }
}

function textParts(text: string, breakpoint: { cache?: CacheLifetime } = {}): TextPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...breakpoint }];
}

/** `refuseUnpricedChat` has refused uploaded files, and URLs of anything but an image. */
function readImage(image: unknown, param: string): ImagePart {
  const place = `${param}.image_url.url`;
  const url = requireText(isObject(image) ? image.url : image, place);
  const data = parseDataUrl(url);
  return {
    type: 'image',
    place,
    source: data === null ? { kind: 'url', url } : { kind: 'data', ...data },
    ...(isObject(image) && image.detail === 'low' && { isLowDetail: true }),
  };
}

/** `refuseUnpricedChat` has refused files that are not PDFs. */
function readFile(file: Json, param: string): DocumentPart {
  const place = `${param}.file.file_data`;
  const text = requireText(file.file_data, place);
  const data = parseDataUrl(text)?.data ?? text;
  return { type: 'document', place, title: asText(file.filename) || null, source: { kind: 'data', data } };
}

/** OpenAI's breakpoint, or Anthropic's field, which other gateways accept in this format too. */
export function readCacheBreakpoint(part: Json): { cache?: CacheLifetime } {
  const breakpoint = isObject(part.cache_control) ? part.cache_control : part.prompt_cache_breakpoint;
  if (!isObject(breakpoint)) return {};
  return { cache: breakpoint.ttl === '1h' || breakpoint.ttl === '12h' ? '1h' : '5m' };
}

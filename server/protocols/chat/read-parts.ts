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

function readImage(image: unknown, param: string): ImagePart {
  const { url, file_id } = isObject(image) ? image : { url: image, file_id: undefined };
  if (file_id !== undefined) throw refuse(param, 'uploaded files are not supported: send the image inline');
  const place = `${param}.image_url.url`;
  const address = requireText(url, place);
  if (!address.startsWith('data:')) return { type: 'image', place, source: { kind: 'url', url: address } };
  const data = parseDataUrl(address);
  if (data === null) throw refuse(place, 'must be a base64 data URL or an https URL');
  return { type: 'image', place, source: { kind: 'data', ...data } };
}

function readFile(file: Json, param: string): DocumentPart {
  if (file.file_id !== undefined) throw refuse(param, 'uploaded files are not supported: send file_data');
  const place = `${param}.file.file_data`;
  const data = requireText(file.file_data, place);
  const title = asText(file.filename) || null;
  if (data.startsWith('https://'))
    return { type: 'document', place, title, source: { kind: 'url', url: data } };
  const parsed = parseDataUrl(data);
  const isPdf = parsed === null ? data.startsWith('JVBERi') : parsed.mediaType === 'application/pdf';
  if (!isPdf) throw refuse(place, 'must be a PDF, in base64 or as a data URL of application/pdf');
  return { type: 'document', place, title, source: { kind: 'data', data: parsed?.data ?? data } };
}

/** OpenAI's breakpoint, or Anthropic's field, which other gateways accept in this format too. */
export function readCacheBreakpoint(part: Json): { cache?: CacheLifetime } {
  const breakpoint = isObject(part.cache_control) ? part.cache_control : part.prompt_cache_breakpoint;
  if (!isObject(breakpoint)) return {};
  return { cache: breakpoint.ttl === '1h' || breakpoint.ttl === '12h' ? '1h' : '5m' };
}

import { parseDataUrl } from '../media';
import type { CacheLifetime, DocumentPart, ImagePart, Json, TextPart } from '../neutral';
import { asText, isObject, readObject, refuse, requireText } from '../read-fields';
import { refuseType } from '../read-options';

export type ContentPart = TextPart | ImagePart | DocumentPart;

/** Text or parts of a message; what is empty is left out. `param` names the place for refusals. */
export function readContent(content: unknown, param: string): ContentPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return textParts(content);
  if (!Array.isArray(content)) throw refuse(param, 'must be a string or an array of parts');
  return content.flatMap((part, index) => readPart(part, `${param}.${index}`));
}

function readPart(part: unknown, param: string): ContentPart[] {
  if (!isObject(part)) throw refuse(param, 'must be a part: an object with a type');
  const mark = readCacheBreakpoint(part);
  switch (part.type) {
    case 'text':
      return textParts(requireText(part.text, `${param}.text`), mark);
    case 'refusal':
      return textParts(requireText(part.refusal, `${param}.refusal`), mark);
    case 'image_url':
      return [{ ...readImage(part.image_url, param), ...mark }];
    case 'file':
      return [{ ...readFile(readObject(part.file, `${param}.file`), param), ...mark }];
    default:
      throw refuseType('parts', part.type, param);
  }
}

function textParts(text: string, mark: { cache?: CacheLifetime } = {}): TextPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark }];
}

function readImage(image: unknown, param: string): ImagePart {
  const { url, file_id } = isObject(image) ? image : { url: image, file_id: undefined };
  if (file_id !== undefined) throw refuse(param, 'uploaded files are not offered: send the image itself');
  const place = `${param}.image_url.url`;
  const address = requireText(url, place);
  if (!address.startsWith('data:')) return { type: 'image', place, source: { kind: 'url', url: address } };
  const data = parseDataUrl(address);
  if (data === null) throw refuse(place, 'must be a base64 data URL or an https URL');
  return { type: 'image', place, source: { kind: 'data', ...data } };
}

function readFile(file: Json, param: string): DocumentPart {
  if (file.file_id !== undefined) throw refuse(param, 'uploaded files are not offered: send file_data');
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

/** OpenAI's breakpoint, and the field of Anthropic that other gateways take in this format too. */
export function readCacheBreakpoint(part: Json): { cache?: CacheLifetime } {
  const mark = isObject(part.cache_control) ? part.cache_control : part.prompt_cache_breakpoint;
  if (!isObject(mark)) return {};
  return { cache: mark.ttl === '1h' || mark.ttl === '12h' ? '1h' : '5m' };
}

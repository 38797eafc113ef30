import { parseDataUrl } from '../media';
import type { CacheMark, DocumentPart, ImagePart, Json, TextPart } from '../neutral';
import { asObject, asText, isObject, refuse } from '../read-fields';

export type ContentPart = TextPart | ImagePart | DocumentPart;

/** Text or parts of a message; what is empty is left out. `param` names the place for refusals. */
export function readContent(content: unknown, param: string): ContentPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return textParts(content);
  if (!Array.isArray(content)) throw refuse(param, 'must be a string or an array of parts');
  return content.flatMap((part, index) => readPart(asObject(part), `${param}.${index}`));
}

function readPart(part: Json, param: string): ContentPart[] {
  const mark = readCacheMark(part);
  switch (part.type) {
    case 'text':
      return textParts(asText(part.text), mark);
    case 'refusal':
      return textParts(asText(part.refusal), mark);
    case 'image_url':
      return [{ ...readImage(part.image_url, param), ...mark }];
    case 'file':
      return [{ ...readFile(asObject(part.file), param), ...mark }];
    default:
      throw refuse(
        param,
        `parts of type ${asText(part.type).slice(0, 40) || 'unknown'} are not supported by this model`,
      );
  }
}

function textParts(text: string, mark: { cache?: CacheMark } = {}): TextPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark }];
}

function readImage(image: unknown, param: string): ImagePart {
  const { url, file_id } = isObject(image) ? image : { url: image, file_id: undefined };
  if (file_id !== undefined) throw refuse(param, 'uploaded files are not offered: send the image itself');
  if (typeof url !== 'string') throw refuse(param, 'needs an image_url with a url');
  if (!url.startsWith('data:')) return { type: 'image', source: { kind: 'url', url } };
  const data = parseDataUrl(url);
  if (data === null) throw refuse(param, 'must be a base64 data URL or an https URL');
  return { type: 'image', source: { kind: 'data', ...data } };
}

function readFile(file: Json, param: string): DocumentPart {
  if (file.file_id !== undefined) throw refuse(param, 'uploaded files are not offered: send file_data');
  const data = asText(file.file_data);
  if (data === '') throw refuse(param, 'needs file_data');
  const parsed = parseDataUrl(data);
  const isPdf = parsed === null ? data.startsWith('JVBERi') : parsed.mediaType === 'application/pdf';
  if (!isPdf) throw refuse(param, 'only PDF files are supported');
  return {
    type: 'document',
    title: asText(file.filename) || null,
    source: { kind: 'data', data: parsed?.data ?? data },
  };
}

/** OpenAI's breakpoint, and the field of Anthropic that other gateways take in this format too. */
export function readCacheMark(part: Json): { cache?: CacheMark } {
  const mark = isObject(part.cache_control) ? part.cache_control : part.prompt_cache_breakpoint;
  if (!isObject(mark)) return {};
  return { cache: mark.ttl === '1h' || mark.ttl === '12h' ? '1h' : '5m' };
}

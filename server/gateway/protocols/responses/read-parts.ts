import { type ContentPart, readCacheBreakpoint } from '../chat/read-parts';
import { parseDataUrl } from '../media';
import type { Json, TextPart } from '../neutral';
import { asText, isObject, refuse, requireText } from '../read-fields';
import { refuseType } from '../read-options';

/** Reads the text or parts of an item, without empty ones. `param` is the field that an error names. */
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
    case 'input_text':
    case 'output_text':
    case 'text':
      return textParts(requireText(part.text, `${param}.text`)).map((own) => ({ ...own, ...breakpoint }));
    case 'refusal':
      return textParts(requireText(part.refusal, `${param}.refusal`));
    case 'input_image':
      return [{ type: 'image', ...readImage(part, `${param}.image_url`), ...breakpoint }];
    case 'input_file':
      return [{ type: 'document', ...readFile(part, param), ...breakpoint }];
    default:
      throw refuseType('parts', part.type, param);
  }
}

const textParts = (text: string): TextPart[] => (text.trim() === '' ? [] : [{ type: 'text', text }]);

/** `refuseUnpricedResponses` has refused uploaded files, and URLs of anything but an image. */
function readImage({ image_url, detail }: Json, place: string) {
  const url = requireText(image_url, place);
  const data = parseDataUrl(url);
  return {
    place,
    source: data === null ? { kind: 'url' as const, url } : { kind: 'data' as const, ...data },
    ...(detail === 'low' && { isLowDetail: true }),
  };
}

/** `refuseUnpricedResponses` has refused files that are not PDFs. */
function readFile({ file_url, file_data, filename }: Json, param: string) {
  const title = asText(filename) || null;
  if (file_url != null) {
    const place = `${param}.file_url`;
    return { place, title, source: { kind: 'url' as const, url: requireText(file_url, place) } };
  }
  const place = `${param}.file_data`;
  const text = requireText(file_data, place);
  return { place, title, source: { kind: 'data' as const, data: parseDataUrl(text)?.data ?? text } };
}

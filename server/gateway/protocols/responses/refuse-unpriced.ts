import { requireImageUrl, requirePdf, requirePublicUrl } from '../media';
import type { Json } from '../neutral';
import { asArray, asObject, refuse, requireText } from '../read-fields';
import { refuseField } from '../read-options';
import { itemsOf, type ResponsesRequest } from './schema';
import { refuseSearchLimit } from './search-tool';
import { refuseProviderTools, withoutOfflineSearch } from './tools';

/** Fields that cost extra. */
const DENIED_FIELDS = ['context_management', 'moderation'];
const MAX_FILE_NAME = 255;

/**
 * For every provider, refuses features that the catalogue does not price, media whose size the hold cannot
 * cover, and files of the account that all users share. `searches` is 0 where the provider runs none.
 */
export function refuseUnpricedResponses(
  request: ResponsesRequest,
  deniedFields: readonly string[],
  searches = 0,
): void {
  for (const field of [...DENIED_FIELDS, ...deniedFields]) {
    if (request[field] !== undefined && request[field] !== null) throw refuseField(field);
  }
  refuseProviderTools(withoutOfflineSearch(request.tools ?? [], []), { maySearch: searches > 0 });
  refuseSearchLimit(request);
  for (const [index, item] of itemsOf(request).entries()) refuseItem(item, `input.${index}`);
}

function refuseItem(item: Json, place: string): void {
  if (item.type === 'item_reference')
    throw refuse(`${place}.id`, 'items can be referenced only where responses are kept');
  for (const field of ['arguments', 'input']) {
    const value = item[field];
    if (value != null && typeof value !== 'string') throw refuse(`${place}.${field}`, 'must be a string');
  }
  refuseParts(item.content, `${place}.content`);
  refuseParts(item.output, `${place}.output`);
}

function refuseParts(content: unknown, param: string): void {
  if (content == null || typeof content === 'string') return;
  if (!Array.isArray(content)) throw refuse(param, 'must be a string or an array of parts');
  for (const [index, part] of asArray(content).entries()) refusePart(asObject(part), `${param}.${index}`);
}

function refusePart(part: Json, place: string): void {
  if (part.file_id != null)
    throw refuse(`${place}.file_id`, 'uploaded files are not supported: send the content inline');
  if (part.type === 'input_image') return requireImageUrl(part.image_url, `${place}.image_url`);
  if (part.type === 'input_file') refuseFile(part, place);
}

function refuseFile({ file_url, file_data, filename }: Json, place: string): void {
  if (filename != null && (typeof filename !== 'string' || filename.length > MAX_FILE_NAME))
    throw refuse(`${place}.filename`, `must be a string of at most ${MAX_FILE_NAME} characters`);
  if (file_url == null) return requirePdf(file_data, `${place}.file_data`);
  requirePublicUrl(requireText(file_url, `${place}.file_url`), `${place}.file_url`);
  // The hold would be that of the inline file, and the provider would fetch the other.
  if (file_data != null) throw refuse(`${place}.file_data`, 'must not be set together with a URL');
}

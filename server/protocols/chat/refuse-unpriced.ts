import type { Json } from '../neutral';
import { asArray, asObject, asText, isObject, refuse } from '../read-fields';
import { refuseField } from '../read-options';
import type { ChatRequest } from './schema';

/** Fields billed by something other than text tokens. */
const DENIED_FIELDS = ['audio', 'background', 'previous_response_id', 'conversation'];
/** Parts that we can measure. Others may be a recording or the URL of a book. */
const KNOWN_PARTS = new Set<unknown>(['text', 'refusal', 'thinking', 'image_url', 'file']);

/**
 * For every provider, refuses features that the catalogue does not price, and files of the account that all
 * users share.
 */
export function refuseUnpricedChat(request: ChatRequest, deniedFields: readonly string[]): void {
  for (const field of [...DENIED_FIELDS, ...deniedFields]) {
    if (request[field] !== undefined && request[field] !== null) throw refuseField(field);
  }
  if (asArray(request.modalities).some((modality) => modality !== 'text'))
    throw refuse('modalities', 'only text is supported');
  for (const [index, tool] of (request.tools ?? []).entries()) {
    const type = tool.type ?? 'function';
    if (type !== 'function' && type !== 'custom') {
      throw refuse(`tools.${index}.type`, `tools of type ${asText(type).slice(0, 40)} are not supported`);
    }
  }
  for (const [index, message] of request.messages.entries()) refuseParts(message, `messages.${index}`);
}

function refuseParts(message: Json, param: string): void {
  if (isObject(message.audio)) throw refuse(`${param}.audio`, 'is not supported');
  for (const [index, part] of asArray(message.content).entries()) {
    const { type, file, image_url } = asObject(part);
    const place = `${param}.content.${index}`;
    if (typeof type === 'string' && !KNOWN_PARTS.has(type))
      throw refuse(`${place}.type`, `parts of type ${type.slice(0, 40)} are not supported`);
    if (asObject(file).file_id != null || asObject(image_url).file_id != null) {
      throw refuse(place, 'uploaded files are not supported: send the content inline');
    }
  }
}

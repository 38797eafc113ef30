import { ApiError } from '../../../base/errors';
import { requireImage, requirePdf, requirePublicUrl } from '../media';
import type { Json } from '../neutral';
import { asArray, asObject, asText, isObject, refuse, requireText } from '../read-fields';
import { refuseField } from '../read-options';
import type { CountTokensRequest } from './schema';

/** Fields that change the price or the model, or access an account. Values without an effect are allowed. */
const DENIED_FIELDS: Record<string, (value: unknown) => boolean> = {
  speed: (value) => value === 'standard',
  inference_geo: (value) => value === 'global',
  container: () => false,
  mcp_servers: (value) => asArray(value).length === 0,
  fallbacks: (value) => asArray(value).length === 0,
};

/**
 * The tool runners of Anthropic's libraries ask for a thread. With these details they continue without one and
 * send the whole conversation each time. A thread cannot be continued: none was created.
 */
function refuseThread(thread: unknown): void {
  if (thread == null) return;
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };
  throw new ApiError('invalid_request', 'thread: is not supported', {
    param: 'thread',
    ...(asObject(thread).type === 'create' && { details }),
  });
}

/**
 * For every provider, refuses features that the catalogue does not price, media whose size the hold cannot
 * cover, and files of the account that all users share.
 */
export function refuseUnpricedMessages(request: CountTokensRequest): void {
  for (const [field, isIdle] of Object.entries(DENIED_FIELDS)) {
    const value = request[field];
    if (value !== undefined && value !== null && !isIdle(value)) throw refuseField(field);
  }
  refuseThread(request.thread);
  const edits = asArray(asObject(request.context_management).edits).map(asObject);
  if (edits.some(({ type }) => asText(type).startsWith('compact')))
    throw refuseField('context_management.edits');
  refuseBlocks(request.system, 'system');
  for (const [index, { content }] of request.messages.entries())
    refuseBlocks(content, `messages.${index}.content`);
}

/** Looks into everything that may contain blocks: results of tools, and documents. */
function refuseBlocks(content: unknown, param: string): void {
  if (isObject(content)) return refuseBlock(content, param);
  for (const [index, block] of asArray(content).entries()) refuseBlocks(block, `${param}.${index}`);
}

function refuseBlock({ type, source, content }: Json, place: string): void {
  if (asObject(source).type === 'file' || type === 'container_upload')
    throw refuse(place, 'uploaded files are not supported: send the content inline');
  if (Array.isArray(source)) throw refuse(`${place}.source`, 'must be an object');
  if (isObject(source)) refuseSource(type, source, `${place}.source`);
  refuseBlocks(content, `${place}.content`);
}

function refuseSource(blockType: unknown, source: Json, place: string): void {
  if (source.type === 'url') {
    requirePublicUrl(requireText(source.url, `${place}.url`), `${place}.url`);
    // The hold would be that of the inline image, and the provider would fetch the other.
    if (source.data != null) throw refuse(`${place}.data`, 'must not be set together with a URL');
  }
  if (source.type === 'base64') {
    const data = requireText(source.data, `${place}.data`);
    if (blockType === 'image') requireImage(data, asText(source.media_type), place);
    else if (source.media_type != null && source.media_type !== 'application/pdf')
      throw refuse(`${place}.media_type`, 'must be application/pdf');
    else requirePdf(data, `${place}.data`);
  }
  refuseBlocks(source.content, `${place}.content`);
}

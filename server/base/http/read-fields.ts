import { ApiError } from '../errors';
import { parseWithMetadata, readText } from './read-body';
import { SMALL_BODY_BYTES } from './receive-body';

/**
 * Reads the fields of JSON, or of a form whose `metadata` field holds JSON. Detected from the body, because curl
 * labels JSON as a form.
 */
export async function readFields(request: Request): Promise<Record<string, unknown>> {
  const text = await readText(request, SMALL_BODY_BYTES);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '');
  if (!isForm || text.trimStart().startsWith('{')) return parseWithMetadata(text);
  const parameters = new URLSearchParams(text);
  const names = new Set<string>();
  for (const name of parameters.keys()) {
    if (names.has(name)) throw repeated(name);
    names.add(name);
  }
  const fields: Record<string, unknown> = Object.fromEntries(parameters);
  if (typeof fields.metadata !== 'string') return fields;
  const { metadata } = parseWithMetadata(`{"metadata":${fields.metadata}}`);
  return { ...fields, metadata };
}

/** RFC 6749, 3.1 and 3.2: of two values, ours and another reader's could differ. */
export const repeated = (param: string): ApiError =>
  new ApiError('invalid_request', `${param}: must not be repeated`, { param });

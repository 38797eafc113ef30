import { ApiError } from '../errors';
import type { Connection } from '../http/api-request';
import { hasBody, receiveBody, SMALL_BODY_BYTES } from '../http/receive-body';
import { pathnameOf } from './pathname';

/**
 * Receives the body of a request for a page. Next decodes a form before any code of ours runs, and 20,000
 * references in one held the thread of the pages for seconds.
 */

/** Events of the payment processor contain whole objects. */
const EVENTS_PATH = '/api/stripe';
const EVENT_BYTES = 1024 * 1024;
/** Our largest form has some 20 fields. */
const MAX_FIELDS = 100;
/** How React refers from one value of a server action to another. Our actions take plain JSON. */
const REFERENCE = '"$';
const FIELD = 'content-disposition:';

/** Undefined without a body; an error for one that is too large or too slow, or has too many fields. */
export async function receiveForm(connection: Connection): Promise<Buffer | undefined | ApiError> {
  if (!hasBody(connection.incoming)) return undefined;
  const chunks: Buffer[] = [];
  const isEvent = pathnameOf(connection.incoming.url) === EVENTS_PATH;
  try {
    const limitBytes = isEvent ? EVENT_BYTES : SMALL_BODY_BYTES;
    await receiveBody(connection, { add: (chunk) => chunks.push(chunk), limitBytes, key: '' });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  const body = Buffer.concat(chunks);
  return isEvent || isSimple(body) ? body : tooManyFields();
}

function isSimple(body: Buffer): boolean {
  const text = body.toString('latin1').toLowerCase();
  return [FIELD, REFERENCE].every((part) => text.split(part, MAX_FIELDS + 2).length <= MAX_FIELDS + 1);
}

const tooManyFields = (): ApiError =>
  new ApiError('invalid_request', `The form has more than ${MAX_FIELDS} fields or references.`);

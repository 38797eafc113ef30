import { ApiError } from '../base/errors';
import type { Connection } from '../base/http/api-request';
import { hasBody, receiveBody, SMALL_BODY_BYTES } from '../base/http/receive-body';
import { targetOf } from './target';

/**
 * Receives the body of a request for a page. Next decodes a form before any code of ours runs, and 20,000
 * references in one held the thread of the pages for seconds.
 */

/** Events of the payment processor contain whole objects. */
const EVENTS_PATH = '/api/stripe';
const EVENT_BYTES = 1024 * 1024;
/** Our largest form has some 20 fields. */
const MAX_COUNTED = 100;
/** Each field of a form, and each way in which React refers from one value of an action to another. */
const COUNTED = ['content-disposition:', '"$', '"\\u0024'];
/** A charset that a field names, such as UTF-16, could hide them in these. Texts and our actions have neither. */
const HIDING = ['\0', '\x1b'];

/** Undefined without a body; an error for one that is too large or too slow, or has too many fields. */
export async function receiveForm(connection: Connection): Promise<Buffer | undefined | ApiError> {
  if (!hasBody(connection.incoming)) return undefined;
  const chunks: Buffer[] = [];
  const isEvent = targetOf(connection.incoming).pathname === EVENTS_PATH;
  try {
    const limitBytes = isEvent ? EVENT_BYTES : SMALL_BODY_BYTES;
    await receiveBody(connection, { add: (chunk) => chunks.push(chunk), limitBytes, key: '' });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  const body = Buffer.concat(chunks);
  return isEvent || isSimple(body) ? body : notSimple();
}

function isSimple(body: Buffer): boolean {
  const text = body.toString('latin1').toLowerCase();
  const isFew = (part: string) => text.split(part, MAX_COUNTED + 2).length <= MAX_COUNTED + 1;
  return COUNTED.every(isFew) && !HIDING.some((character) => text.includes(character));
}

const notSimple = (): ApiError =>
  new ApiError(
    'invalid_request',
    `The form has more than ${MAX_COUNTED} fields or references, or control characters.`,
  );

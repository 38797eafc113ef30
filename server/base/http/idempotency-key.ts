import { ApiError } from '../errors';
import type { WithHeaders } from './api-request';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** The request's `Idempotency-Key`, or null. */
export function readIdempotencyKey({ headers }: WithHeaders): string | null {
  const key = headers.get('idempotency-key');
  if (key !== null && !KEY.test(key)) {
    throw new ApiError('invalid_request', 'Idempotency-Key: must be 1 to 255 printable characters', {
      param: 'Idempotency-Key',
    });
  }
  return key;
}

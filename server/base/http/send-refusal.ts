import type { ServerResponse } from 'node:http';
import type { ApiError } from '../errors';
import { newId } from '../ids';
import { apiErrors } from '../measures';
import { errorBody } from './error-bodies';
import { ownSiteHeaders } from './security-headers';

/** Refuses a request that reaches neither a route nor a page. */
export function sendRefusal(response: ServerResponse, error: ApiError): void {
  const requestId = newId('req');
  const { status, code, allow, retryAfterSeconds } = error;
  apiErrors.add(code);
  response
    .writeHead(status, {
      ...ownSiteHeaders(),
      'content-type': 'application/json',
      'x-request-id': requestId,
      'request-id': requestId,
      ...(allow && { allow: allow.join(', ') }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    })
    .end(JSON.stringify(errorBody('chat', error, requestId)));
}

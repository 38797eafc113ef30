import { ApiError, FINAL_STATUSES, overloaded } from '../errors';
import { newId } from '../ids';
import { describeError, log } from '../log';
import { apiErrors } from '../measures';
import { noteError } from '../tracing';
import { CORS_HEADERS } from './cors';
import { isDatabaseBusy } from './database-busy';
import { ACCEPTED_ENCODINGS } from './decode-body';
import { type ErrorFormat, errorBody } from './error-bodies';
import type { Reply } from './reply';
import { ownSiteHeaders, securityHeaders } from './security-headers';

/** Which pages may read the response: any page (the public API) or only ours. */
type Audience = 'any-origin' | 'same-origin';

/**
 * Runs a route's handler: assigns the request id, converts any failure to the route's error format
 * once, and adds the headers common to all responses.
 */
export async function respond(
  format: ErrorFormat,
  handle: (requestId: string) => Promise<Response> | Response,
  audience: Audience = 'any-origin',
): Promise<Response> {
  const requestId = newId('req');
  try {
    return withStandardHeaders(await handle(requestId), requestId, audience);
  } catch (error) {
    return errorResponse(format, error, requestId, audience);
  }
}

/** The response for any failure. Anything but an `ApiError` or a busy database is logged and reported as an internal error. */
export function errorResponse(
  format: ErrorFormat,
  failure: unknown,
  requestId: string,
  audience: Audience = 'any-origin',
): Response {
  const { body, headers, status } = errorReply(format, failure, requestId);
  return withStandardHeaders(new Response(body, { status, headers }), requestId, audience);
}

/** The same without the headers common to all responses. */
export function errorReply(
  format: ErrorFormat,
  failure: unknown,
  requestId: string,
): Required<Reply> & { body: string } {
  const error = toApiError(failure, requestId);
  apiErrors.add(error.code);
  noteError(requestId, error);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  };
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  else if (FINAL_STATUSES.has(error.status)) headers['x-should-retry'] = 'false';
  if (error.code === 'unsupported_encoding') headers['accept-encoding'] = ACCEPTED_ENCODINGS;
  if (error.challenge !== undefined) headers['www-authenticate'] = error.challenge;
  if (error.allow !== undefined) headers.allow = error.allow.join(', ');
  return { body: JSON.stringify(errorBody(format, error, requestId)), headers, status: error.status };
}

/** JSON that belongs to one caller: no cache may store it. */
export function privateJson(
  body: unknown,
  init: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(body, { ...init, headers: { 'cache-control': 'no-store', ...init.headers } });
}

export const notFound = (format: ErrorFormat, audience?: Audience): Response =>
  errorResponse(format, new ApiError('not_found', 'This URL does not exist.'), newId('req'), audience);

function withStandardHeaders(response: Response, requestId: string, audience: Audience): Response {
  const standard = standardHeaders(response.headers.get('x-request-id') ?? requestId, audience);
  for (const [name, value] of Object.entries(standard)) response.headers.set(name, value);
  return response;
}

/** The headers common to all responses of the API. */
export function standardHeaders(
  requestId: string,
  audience: Audience = 'any-origin',
): Record<string, string> {
  const ids = { 'x-request-id': requestId, 'request-id': requestId };
  if (audience === 'same-origin') return Object.assign(ids, ownSiteHeaders());
  return Object.assign(ids, securityHeaders(), CORS_HEADERS);
}

export function toApiError(thrown: unknown, requestId: string): ApiError {
  const failure = isDatabaseBusy(thrown) ? overloaded(thrown) : thrown;
  if (failure instanceof ApiError) {
    if (failure.cause !== undefined) {
      log().warn(
        { request_id: requestId, code: failure.code, cause: describeError(failure.cause) },
        'request refused',
      );
    }
    return failure;
  }
  if (failure instanceof RangeError && failure.message.includes('call stack')) {
    return new ApiError('invalid_request', 'The request body is nested too deeply.');
  }
  log().error({ request_id: requestId, error: describeError(failure) }, 'unexpected failure');
  return internalError();
}

export const internalError = (): ApiError =>
  new ApiError('internal_error', 'Something went wrong on our side. Please retry.', { retryAfterSeconds: 1 });

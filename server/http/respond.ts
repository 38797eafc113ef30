import { ApiError, overloaded } from '../errors';
import { newId } from '../ids';
import { describeError, log } from '../log';
import { CORS_HEADERS } from './cors';
import { isDatabaseBusy } from './database-busy';
import { type ErrorFormat, errorBody } from './error-bodies';

/** Statuses that a client library must not retry by itself, unless it is told when: asking again cannot help. */
const FINAL_STATUSES = new Set([402, 403, 404, 502]);

/** Whose pages may read the answer: everybody's (the public API), or only our own. */
type Audience = 'any-origin' | 'same-origin';

/**
 * A good answer with its own headers only. `respond` makes one `Response` of it, complete: headers
 * put on afterwards cost a paid request a tenth of its time.
 */
export class Reply {
  constructor(
    readonly body: string | ReadableStream<Uint8Array>,
    readonly headers: Record<string, string>,
  ) {}
}

/**
 * Runs a route's handler: gives the request an id, turns any failure into the route's error
 * shape once, and puts the headers on that every answer carries.
 */
export async function respond(
  format: ErrorFormat,
  handle: (requestId: string) => Promise<Response | Reply> | Response | Reply,
  audience: Audience = 'any-origin',
): Promise<Response> {
  const requestId = newId('req');
  try {
    return withStandardHeaders(await handle(requestId), requestId, audience);
  } catch (error) {
    return errorResponse(format, error, requestId, audience);
  }
}

/** The answer for any failure; what is not an `ApiError`, nor a database that is busy, is logged and told as an internal error. */
export function errorResponse(
  format: ErrorFormat,
  failure: unknown,
  requestId: string,
  audience: Audience = 'any-origin',
): Response {
  const error = toApiError(failure, requestId);
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  else if (FINAL_STATUSES.has(error.status)) headers['x-should-retry'] = 'false';
  return withStandardHeaders(
    Response.json(errorBody(format, error, requestId), { status: error.status, headers }),
    requestId,
    audience,
  );
}

/** JSON that belongs to one caller: never stored by anything on the way. */
export function privateJson(
  body: unknown,
  init: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(body, { ...init, headers: { 'cache-control': 'no-store', ...init.headers } });
}

export function notFound(format: ErrorFormat, message = 'There is nothing at this address'): Response {
  return errorResponse(format, new ApiError('not_found', message), newId('req'));
}

function withStandardHeaders(response: Response | Reply, requestId: string, audience: Audience): Response {
  const ids = { 'x-request-id': requestId, 'request-id': requestId };
  const standard = audience === 'any-origin' ? Object.assign(ids, CORS_HEADERS) : ids;
  if (response instanceof Reply) {
    return new Response(response.body, { headers: Object.assign({}, response.headers, standard) });
  }
  for (const [name, value] of Object.entries(standard)) response.headers.set(name, value);
  return response;
}

export function toApiError(thrown: unknown, requestId: string): ApiError {
  const failure = isDatabaseBusy(thrown) ? overloaded(thrown) : thrown;
  if (failure instanceof ApiError) {
    if (failure.cause !== undefined) {
      log().warn({ requestId, code: failure.code, cause: describeError(failure.cause) }, 'request refused');
    }
    return failure;
  }
  if (failure instanceof RangeError && failure.message.includes('call stack')) {
    return new ApiError('invalid_request', 'The request body is nested too deeply');
  }
  log().error({ requestId, error: describeError(failure) }, 'unexpected failure');
  return new ApiError('internal_error', 'Something went wrong on our side. Please try again.', {
    retryAfterSeconds: 1,
  });
}

import type { ApiError } from '../errors';

/** The two error shapes of the API; the path decides which one a caller gets. */
export type ErrorFormat = 'chat' | 'messages';

export function errorBody(format: ErrorFormat, error: ApiError, requestId: string): object {
  return format === 'messages' ? messagesErrorBody(error, requestId) : chatErrorBody(error);
}

export function chatErrorBody(error: ApiError): object {
  return {
    error: { message: error.message, type: error.code, param: error.param, code: String(error.status) },
  };
}

export function messagesErrorBody(error: ApiError, requestId: string): object {
  return { type: 'error', error: { type: error.code, message: error.message }, request_id: requestId };
}

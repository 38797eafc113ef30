import { z } from 'zod';
import { type ApiError, ERROR_STATUS, type ErrorCode } from '../errors';

/** The error formats of the API. The path determines which one a caller gets. */
export type ErrorFormat = 'chat' | 'messages' | 'oauth';

const errorCode = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);
const message = z.string().meta({ description: 'A human-readable explanation. Do not parse it.' });
const actionUrl = z.string().optional().meta({
  description:
    'With 402: where the user, signed in, can buy credits or allow the request. Valid for an hour; contains no key.',
});

export const chatErrorSchema = z
  .object({
    error: z.object({
      message,
      type: errorCode.meta({ description: 'The error code. Use it to handle the error.' }),
      param: z.string().nullable().meta({ description: 'The field that caused the error, if any.' }),
      code: z.string().meta({ description: 'The HTTP status code, as a string.' }),
      action_url: actionUrl,
    }),
  })
  .meta({ description: 'The error body of every endpoint except those in the messages format.' });

export const messagesErrorSchema = z
  .object({
    type: z.literal('error'),
    error: z.object({
      type: errorCode.meta({ description: 'The error code. Use it to handle the error.' }),
      message,
      param: z.string().optional().meta({
        description: 'With 402 and 403: the limit or rule that refuses the request, if it is one.',
      }),
      action_url: actionUrl,
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: 'What a client library reads to continue in another way.' }),
    }),
    request_id: z
      .string()
      .optional()
      .meta({ description: 'Same as the `request-id` header. Not present in streams.' }),
  })
  .meta({ description: 'The error body of the messages format.' });

/** What RFC 6749 and RFC 8628 call our errors, where they have another name. */
const OAUTH_CODES: Partial<Record<ErrorCode, string>> = {
  invalid_publishable_key: 'invalid_client',
  partner_disabled: 'unauthorized_client',
  origin_not_allowed: 'unauthorized_client',
  not_found: 'invalid_request',
  method_not_allowed: 'invalid_request',
  request_timeout: 'invalid_request',
  request_too_large: 'invalid_request',
  url_too_long: 'invalid_request',
  headers_too_large: 'invalid_request',
  unsupported_encoding: 'invalid_request',
  rate_limited: 'temporarily_unavailable',
  overloaded: 'temporarily_unavailable',
  internal_error: 'server_error',
};

export const oauthCodeOf = (code: ErrorCode): string => OAUTH_CODES[code] ?? code;

export const oauthErrorSchema = z
  .object({
    error: z.string().meta({ description: 'The error code of OAuth. Use it to handle the error.' }),
    error_description: message,
  })
  .meta({ description: 'The error body of the endpoints under `/oauth` (RFC 6749, section 5.2).' });

export function errorBody(format: ErrorFormat, error: ApiError, requestId: string): object {
  if (format === 'oauth') return oauthErrorBody(error);
  return format === 'messages' ? messagesErrorBody(error, requestId) : chatErrorBody(error);
}

export function chatErrorBody(error: ApiError): z.output<typeof chatErrorSchema> {
  const { message, code: type, param, status, actionUrl } = error;
  return { error: { message, type, param, code: String(status), ...writeAction(actionUrl) } };
}

export function messagesErrorBody(error: ApiError, requestId: string): z.output<typeof messagesErrorSchema> {
  const { code: type, message, param, status, details, actionUrl } = error;
  // As for the chat format, so that a client knows what would help. Other errors name the field in the message.
  const refusedBy = param !== null && (status === 402 || status === 403) && { param };
  return {
    type: 'error',
    error: {
      type,
      message,
      ...refusedBy,
      ...(details !== undefined && { details }),
      ...writeAction(actionUrl),
    },
    request_id: requestId,
  };
}

const writeAction = (url: string | undefined) => url !== undefined && { action_url: url };

/** The standard allows printable ASCII without quotes and backslashes. */
function oauthErrorBody({ code, message }: ApiError): z.output<typeof oauthErrorSchema> {
  const description = message
    .replaceAll('’', "'")
    .replaceAll('"', "'")
    .replace(/[^ -[\]-~]/g, '?');
  return { error: oauthCodeOf(code), error_description: description };
}

import { z } from 'zod';
import { type ApiError, ERROR_STATUS, type ErrorCode } from '../errors';

/** The two error shapes of the API; the path decides which one a caller gets. */
export type ErrorFormat = 'chat' | 'messages';

const errorCode = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);
const message = z
  .string()
  .meta({ description: 'What went wrong, in words. Written for people; do not parse it.' });

export const chatErrorSchema = z
  .object({
    error: z.object({
      message,
      type: errorCode.meta({ description: 'The error code. Decide by it.' }),
      param: z.string().nullable().meta({ description: 'The offending field, where there is one.' }),
      code: z.string().meta({ description: 'The HTTP status, as text.' }),
    }),
  })
  .meta({ description: 'The error body of every endpoint but those of the messages format.' });

export const messagesErrorSchema = z
  .object({
    type: z.literal('error'),
    error: z.object({ type: errorCode.meta({ description: 'The error code. Decide by it.' }), message }),
    request_id: z
      .string()
      .optional()
      .meta({ description: 'The same as the header `request-id`; not in a stream.' }),
  })
  .meta({ description: 'The error body of the messages format.' });

export function errorBody(format: ErrorFormat, error: ApiError, requestId: string): object {
  return format === 'messages' ? messagesErrorBody(error, requestId) : chatErrorBody(error);
}

export function chatErrorBody(error: ApiError): z.output<typeof chatErrorSchema> {
  return {
    error: { message: error.message, type: error.code, param: error.param, code: String(error.status) },
  };
}

export function messagesErrorBody(error: ApiError, requestId: string): z.output<typeof messagesErrorSchema> {
  return { type: 'error', error: { type: error.code, message: error.message }, request_id: requestId };
}

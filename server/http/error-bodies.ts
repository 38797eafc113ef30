import { z } from 'zod';
import { type ApiError, ERROR_STATUS, type ErrorCode } from '../errors';

/** The two error formats of the API. The path determines which one a caller gets. */
export type ErrorFormat = 'chat' | 'messages';

const errorCode = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);
const message = z.string().meta({ description: 'A human-readable explanation. Do not parse it.' });

export const chatErrorSchema = z
  .object({
    error: z.object({
      message,
      type: errorCode.meta({ description: 'The error code. Use it to handle the error.' }),
      param: z.string().nullable().meta({ description: 'The field that caused the error, if any.' }),
      code: z.string().meta({ description: 'The HTTP status code, as a string.' }),
    }),
  })
  .meta({ description: 'The error body of every endpoint except those in the messages format.' });

export const messagesErrorSchema = z
  .object({
    type: z.literal('error'),
    error: z.object({
      type: errorCode.meta({ description: 'The error code. Use it to handle the error.' }),
      message,
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

export function errorBody(format: ErrorFormat, error: ApiError, requestId: string): object {
  return format === 'messages' ? messagesErrorBody(error, requestId) : chatErrorBody(error);
}

export function chatErrorBody(error: ApiError): z.output<typeof chatErrorSchema> {
  return {
    error: { message: error.message, type: error.code, param: error.param, code: String(error.status) },
  };
}

export function messagesErrorBody(error: ApiError, requestId: string): z.output<typeof messagesErrorSchema> {
  const { code: type, message, details } = error;
  return {
    type: 'error',
    error: details === undefined ? { type, message } : { type, message, details },
    request_id: requestId,
  };
}

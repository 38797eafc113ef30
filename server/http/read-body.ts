import type { z } from 'zod';
import { ApiError } from '../errors';
import { describeIssue } from './describe-issue';

const KILOBYTE = 1024;
export const SMALL_BODY_BYTES = 64 * KILOBYTE;
export const GENERATION_BODY_BYTES = 32 * KILOBYTE * KILOBYTE;

/** Reads the body as text, counting bytes as they arrive. Fails with 413 beyond the limit. */
export async function readText(request: Request, limitBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  // The HTTP server enforces a declared length, so there is no need to count again or to turn the
  // body into a stream, which costs a third more CPU time for each paid request.
  if (request.headers.has('content-length')) return decode(await request.arrayBuffer());
  return request.body === null ? '' : decode(await readCounted(request.body, limitBytes));
}

async function readCounted(body: ReadableStream<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Text in another encoding would reach the model with replacement characters. */
function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError('invalid_request', 'The request body must be uncompressed, valid UTF-8.');
  }
}

/** Reads a JSON object; anything else is `invalid_request`. */
export async function readJsonObject(request: Request, limitBytes: number): Promise<Record<string, unknown>> {
  return parseJsonObject(await readText(request, limitBytes));
}

export function parseJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('invalid_request', 'The request body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_request', 'The request body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** Reads and validates a small JSON body. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  return validate(schema, await readJsonObject(request, SMALL_BODY_BYTES));
}

/** Returns the typed value, or fails with `invalid_request` naming the first offending field. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  throw new ApiError(
    'invalid_request',
    field ? `${field}: ${issue?.message}` : (issue?.message ?? 'Invalid request'),
    {
      ...(field && { param: field }),
    },
  );
}

function tooLarge(limitBytes: number): ApiError {
  const limit =
    limitBytes >= KILOBYTE * KILOBYTE
      ? `${limitBytes / KILOBYTE / KILOBYTE} MB`
      : `${limitBytes / KILOBYTE} kB`;
  return new ApiError('request_too_large', `The request body exceeds the maximum size of ${limit}.`);
}

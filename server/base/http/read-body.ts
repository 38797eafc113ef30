import type { Hash } from 'node:crypto';
import type { z } from 'zod';
import { type CutJson, invalidJson, JsonCutter } from '../cut-json';
import { ApiError } from '../errors';
import { keepsDigits, replaceNumbers } from '../json-text';
import { type JsonOutline, JsonScan } from '../scan-json';
import { type ApiRequest, connectionOf } from './api-request';
import { BodyBytes, releaseAtEnd } from './body-bytes';
import { readClientIp } from './client-ip';
import { decodeBody, readEncoding } from './decode-body';
import { describeIssue } from './describe-issue';
import { type Receiver, receiveBody, SMALL_BODY_BYTES, tooLarge } from './receive-body';
import { Utf8Decoder } from './utf8-decoder';

export const GENERATION_BODY_BYTES = 32 * 1024 * 1024;

/** Reads the body as text, counting bytes as they arrive. Fails with 413 beyond the limit. */
export async function readText(request: ApiRequest, limitBytes: number): Promise<string> {
  let text = '';
  await readDecoded(request, { limitBytes, addText: (chunk) => (text += chunk) });
  return text;
}

/**
 * Receives a body into one buffer. It grows with what arrives and not with what the client announces, and holds each byte
 * once. The bytes count for the user key, given as the stored hash.
 */
export async function readBytesOf(
  request: ApiRequest,
  { limitBytes, key }: { limitBytes: number; key: string },
): Promise<Buffer> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  let buffer = Buffer.allocUnsafe(Math.min(announced || SMALL_BODY_BYTES, SMALL_BODY_BYTES));
  let length = 0;
  const add = (chunk: Buffer): void => {
    const needed = length + chunk.length;
    if (needed > buffer.length) {
      // What a compressed body announces says nothing about what it expands to.
      const most = announced >= needed ? announced : limitBytes;
      const grown = Buffer.allocUnsafe(Math.max(needed, Math.min(2 * buffer.length, most)));
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
    chunk.copy(buffer, length);
    length = needed;
  };
  await receiveDecoded(request, { add, limitBytes, key });
  return buffer.subarray(0, length);
}

/** The bytes of a JSON body, and where its fields are. */
export type JsonSource = { bytes: Buffer; outline: JsonOutline };

/** Reads the text of a JSON body, and refuses one that would take long to parse. */
export async function readJsonText(request: ApiRequest, limitBytes: number): Promise<string> {
  let text = '';
  const scan = new JsonScan();
  await readDecoded(request, { limitBytes, scan, addText: (chunk) => (text += chunk) });
  return text;
}

/**
 * Reads JSON, a large one cut for parsing it without blocking other requests. Its bytes count for the user key, given
 * as the stored hash. `digest` receives them too.
 */
export async function readCutJson(
  request: ApiRequest,
  limitBytes: number,
  { key, isLarge, digest }: { key: string; isLarge: boolean; digest: Hash | undefined },
): Promise<{ cut: CutJson; source: JsonSource }> {
  const cutter = isLarge ? new JsonCutter() : null;
  const scan = new JsonScan();
  const chunks: Buffer[] = [];
  let text = '';
  await readDecoded(request, {
    limitBytes,
    key,
    digest,
    scan,
    chunks,
    addText: (chunk) => {
      if (cutter === null) text += chunk;
      else cutter.add(chunk);
    },
  });
  const [first = Buffer.alloc(0)] = chunks;
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  return { cut: cutter?.end() ?? { text, strings: [] }, source: { bytes, outline: scan.outline() } };
}

/**
 * Reads JSON whose parts are parsed one by one, with at most so many `values` in all. Its bytes count for the user key,
 * given as the stored hash. `digest` receives them too.
 */
export async function readJsonSource(
  request: ApiRequest,
  limitBytes: number,
  { key, digest, values }: { key: string; digest: Hash; values: number },
): Promise<JsonSource> {
  const scan = new JsonScan({ values });
  const chunks: Buffer[] = [];
  await readDecoded(request, { limitBytes, key, digest, scan, chunks, addText: () => {} });
  return { bytes: Buffer.concat(chunks), outline: scan.outline() };
}

type Reading = {
  limitBytes: number;
  key?: string;
  /** Receives the bytes as they arrive. */
  digest?: Hash | undefined;
  scan?: JsonScan;
  /** Receives the decoded chunks. */
  chunks?: Buffer[];
  addText: (chunk: string) => void;
};

async function readDecoded(
  request: ApiRequest,
  { limitBytes, key = '', digest, scan, chunks, addText }: Reading,
): Promise<void> {
  const decoder = new Utf8Decoder();
  const add = (chunk: Buffer): void => {
    scan?.add(chunk);
    digest?.update(chunk);
    chunks?.push(chunk);
    addText(decoder.decode(chunk));
  };
  await receiveDecoded(request, { add, limitBytes, key });
  decoder.end();
}

async function receiveDecoded(request: ApiRequest, receiver: Receiver): Promise<void> {
  const { limitBytes } = receiver;
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const encoding = readEncoding(request.headers.get('content-encoding'));
  if (encoding === null) await readBytes(request, receiver);
  else await readEncoded(request, encoding, receiver);
}

/** Smaller chunks are joined. Each may be a single byte, and what is kept of a chunk takes hundreds. */
const WORTH_A_CHUNK = 4_096;

async function readBytes(request: ApiRequest, receiver: Receiver): Promise<void> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const addJoined = (): void => {
    const [first] = chunks;
    if (first !== undefined) receiver.add(chunks.length === 1 ? first : Buffer.concat(chunks));
    chunks = [];
    bytes = 0;
  };
  const add = (chunk: Buffer): void => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= WORTH_A_CHUNK) addJoined();
  };
  const connection = connectionOf(request);
  if (connection !== undefined) await receiveBody(connection, Object.assign({}, receiver, { add }));
  else if (request.body) await readCounted(request.body, receiver.limitBytes, add);
  addJoined();
}

/** What a body expands to counts like what is sent, and as long. */
async function readEncoded(
  request: ApiRequest,
  encoding: string,
  { add, limitBytes, key }: Receiver,
): Promise<void> {
  const chunks: Buffer[] = [];
  await readBytes(request, { add: (chunk) => chunks.push(chunk), limitBytes, key });
  const held = new BodyBytes(readClientIp(request), key);
  const outgoing = connectionOf(request)?.outgoing;
  if (outgoing !== undefined) releaseAtEnd(outgoing, held);
  let bytes = 0;
  try {
    await decodeBody(encoding, chunks, (piece) => {
      bytes += piece.length;
      if (bytes > limitBytes) throw tooLarge(limitBytes);
      held.add(piece.length);
      add(piece);
    });
  } finally {
    if (outgoing === undefined || outgoing.destroyed) held.release();
  }
}

async function readCounted(
  body: ReadableStream<Uint8Array>,
  limitBytes: number,
  add: (chunk: Buffer) => void,
): Promise<void> {
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
}

/** Reads a JSON object; anything else is `invalid_request`. */
export async function readJsonObject(request: Request, limitBytes: number): Promise<Record<string, unknown>> {
  return parseWithMetadata(await readJsonText(request, limitBytes));
}

/** As `parseJsonObject`. Metadata is the caller's, so that it arrives unchanged or is refused. */
export function parseWithMetadata(text: string): Record<string, unknown> {
  const parsed = parseJsonObject(text);
  const { metadata } = parsed;
  if (typeof metadata !== 'object' || metadata === null) return parsed;
  if (Object.hasOwn(metadata, '__proto__'))
    throw new ApiError('invalid_request', 'metadata: "__proto__" cannot be a name', { param: 'metadata' });
  const kept = parseJsonObject(replaceNumbers(text, (number) => (keepsDigits(number) ? null : 'null')));
  const replaced = Object.entries(kept.metadata ?? {});
  const lost = replaced.find(([name, value]) => value === null && Reflect.get(metadata, name) !== null);
  if (lost === undefined) return parsed;
  const param = `metadata.${lost[0]}`;
  const message = `${param}: has more digits than a JSON number keeps here. Send it as text.`;
  throw new ApiError('invalid_request', message, { param });
}

export function parseJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson();
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

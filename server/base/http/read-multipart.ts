import { createHash } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import {
  MaxHeaderSizeExceededError,
  MaxPartsExceededError,
  MultipartParseError,
  type MultipartPart,
  parseMultipart,
} from '@remix-run/multipart-parser';
import { ApiError } from '../errors';
import type { ApiRequest, WithHeaders } from './api-request';
import { readEncoding } from './decode-body';
import { readBytesOf } from './read-body';

/**
 * Reads `multipart/form-data` (RFC 7578): fields as text, and files as views of the received bytes, which are in memory
 * once. Each limit has an error that names the part.
 */

const MAX_PARTS = 128;
const MAX_HEADER_BYTES = 4 * 1024;
const MAX_NAME_LENGTH = 64;
/** The longest prompt of an image model has 32,000 characters. */
const MAX_FIELD_BYTES = 128 * 1024;

export type FormField = { name: string; value: string };

/** Its bytes are no property: what walks through a request must not walk through them. */
export class UploadedFile {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly #bytes: Buffer;

  constructor({
    bytes,
    ...described
  }: { field: string; filename: string; contentType: string; bytes: Buffer }) {
    this.field = described.field;
    this.filename = described.filename;
    this.contentType = described.contentType;
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }
}

export type MultipartForm = { fields: FormField[]; files: UploadedFile[] };

const MULTIPART = /^multipart\/form-data(?=[;\s]|$)/i;
const BOUNDARY = /;[ \t]*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70})(?=[;\s]|$))/i;

const typeOf = ({ headers }: WithHeaders): string => headers.get('content-type') ?? '';

export const isMultipart = (request: WithHeaders): boolean => MULTIPART.test(typeOf(request));

/** What is encoded in an unknown way could be a form. */
export function requireMultipart(request: WithHeaders): void {
  readEncoding(request.headers.get('content-encoding'));
  if (!isMultipart(request)) throw refuse('Content-Type', 'must be multipart/form-data');
}

/** The bytes of the body count for the user key, given as the stored hash. */
export async function readMultipart(
  request: ApiRequest,
  received: { limitBytes: number; key: string },
): Promise<MultipartForm> {
  const [, quoted, plain] = BOUNDARY.exec(typeOf(request)) ?? [];
  const boundary = (quoted ?? plain)?.trimEnd();
  if (!boundary) throw refuse('Content-Type', 'must have a boundary of at most 70 characters');
  return parseForm(await readBytesOf(request, received), boundary);
}

function parseForm(bytes: Buffer, boundary: string): MultipartForm {
  const form: MultipartForm = { fields: [], files: [] };
  const limits = {
    boundary,
    maxParts: MAX_PARTS,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxFileSize: bytes.length,
    maxTotalSize: bytes.length,
  };
  let number = 0;
  try {
    for (const part of parseMultipart(bytes, limits)) {
      const read = readPart(part, ++number);
      if (read instanceof UploadedFile) form.files.push(read);
      else form.fields.push(read);
    }
  } catch (error) {
    throw error instanceof MultipartParseError ? describeFailure(error, number + 1) : error;
  }
  if (number === 0) throw new ApiError('invalid_request', 'The multipart body is empty.');
  return form;
}

function describeFailure(error: MultipartParseError, number: number): ApiError {
  if (error instanceof MaxPartsExceededError)
    return new ApiError('invalid_request', `The multipart body has more than ${MAX_PARTS} parts.`);
  if (error instanceof MaxHeaderSizeExceededError)
    return refuse(`part ${number}`, `has headers of more than ${MAX_HEADER_BYTES} bytes`);
  return refuse(`part ${number}`, 'is incomplete: the multipart body does not end with its boundary');
}

/** Of a file name in another character set (RFC 8187), which forms must not have, only UTF-8 is read. */
const OTHER_CHARSET = /filename\*[ \t]*=(?![ \t]*utf-8')/i;

function readPart(part: MultipartPart, number: number): FormField | UploadedFile {
  const { disposition, type, encoding } = readHeaders(part, number);
  const name = /^form-data[ \t]*;/i.test(disposition) ? part.name : undefined;
  if (!name) throw refuse(`part ${number}`, 'has no name in its Content-Disposition');
  if (name.length > MAX_NAME_LENGTH)
    throw refuse(`part ${number}`, `has a name of more than ${MAX_NAME_LENGTH} characters`);
  if (/^multipart\//i.test(type)) throw refuse(name, 'must not contain other parts');
  if (!/^(7bit|8bit|binary|)$/i.test(encoding)) throw refuse(name, `must not be encoded as ${encoding}`);
  const [content = new Uint8Array()] = part.content;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!part.isFile) return { name, value: readField(name, bytes) };
  if (bytes.length === 0) throw refuse(name, 'is an empty file');
  return new UploadedFile({ field: name, filename: part.filename ?? '', contentType: type, bytes });
}

function readHeaders(part: MultipartPart, number: number) {
  try {
    const { headers } = part;
    const disposition = headers['content-disposition'] ?? '';
    if (OTHER_CHARSET.test(disposition)) throw new TypeError('another character set');
    return {
      disposition,
      type: headers['content-type'] ?? '',
      encoding: (headers['content-transfer-encoding'] ?? '').slice(0, 40),
    };
  } catch {
    throw refuse(`part ${number}`, 'has headers that are not UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readField(name: string, bytes: Buffer): string {
  if (bytes.length > MAX_FIELD_BYTES) throw refuse(name, `must have at most ${MAX_FIELD_BYTES} bytes`);
  try {
    return utf8.decode(bytes);
  } catch {
    throw refuse(name, 'must be UTF-8');
  }
}

/** Takes a few milliseconds to hash. */
const BYTES_AT_ONCE = 1024 * 1024;

/**
 * The hash of names, values and the bytes of files. Clients choose another boundary for each retry, so the bytes of the
 * body say nothing; the order counts only among parts of one name.
 */
export async function digestForm({ fields, files }: MultipartForm): Promise<Buffer> {
  const parts = [
    ...fields.map(({ name, value }) => ({ name, kind: 'field', bytes: Buffer.from(value) })),
    ...files.map(({ field, bytes }) => ({ name: field, kind: 'file', bytes })),
  ].sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
  const digest = createHash('sha256');
  for (const { name, kind, bytes } of parts) {
    digest.update(`${kind} ${JSON.stringify(name)} ${bytes.length}\n`);
    for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
      digest.update(bytes.subarray(from, from + BYTES_AT_ONCE));
      if (bytes.length > BYTES_AT_ONCE) await letOthersRun();
    }
  }
  return digest.digest();
}

const refuse = (param: string, reason: string): ApiError =>
  new ApiError('invalid_request', `${param}: ${reason}`, { param });

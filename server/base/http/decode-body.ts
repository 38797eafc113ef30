import zlib from 'node:zlib';
import { ApiError } from '../errors';

/**
 * Decodes compressed request bodies, as some clients send them by default (RFC 9110, section 8.4). A chunk is decoded
 * in pieces, outside the thread of the requests, until its limit: a body that expands without end costs no more than
 * one of the limit.
 */

/** zstd came with Node 22.15, and may require a window of 8 MB (RFC 8878, section 3.1.1.1.2). */
const zstd = (zlib as { createZstdDecompress?: (options: object) => zlib.Gunzip }).createZstdDecompress;
const ZSTD_OPTIONS = { params: { 101: 23 } };

const DECODERS: Record<string, (first: Buffer) => zlib.Gunzip | zlib.BrotliDecompress> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  // Some clients leave out the header of the format.
  deflate: (first) => (hasHeader(first) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
  ...(zstd !== undefined && { zstd: () => zstd(ZSTD_OPTIONS) }),
};

export const ACCEPTED_ENCODINGS = Object.keys(DECODERS)
  .filter((name) => name !== 'x-gzip')
  .join(', ');

const hasHeader = ([first = 0, second = 0]: Buffer): boolean =>
  (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;

/** The encoding of a body; null if it is sent as it is. Throws for one that cannot be decoded. */
export function readEncoding(header: string | null): string | null {
  const encoding = header?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return null;
  if (Object.hasOwn(DECODERS, encoding)) return encoding;
  throw unsupportedEncoding();
}

export const unsupportedEncoding = (): ApiError =>
  new ApiError(
    'unsupported_encoding',
    `The Content-Encoding of the request must be one of ${ACCEPTED_ENCODINGS}, or absent.`,
  );

/** Calls `add` with each decoded piece; what that throws ends the decoding. */
export async function decodeBody(
  encoding: string,
  body: readonly Buffer[],
  add: (piece: Buffer) => void,
): Promise<void> {
  const decoder = DECODERS[encoding]?.(Buffer.concat(body, 2));
  if (decoder === undefined) throw undecodable(encoding);
  try {
    decoder.on('error', () => {});
    for (const chunk of body) decoder.write(chunk);
    decoder.end();
    for await (const piece of decoder) add(piece as Buffer);
  } catch (error) {
    throw error instanceof ApiError ? error : undecodable(encoding);
  } finally {
    decoder.destroy();
  }
}

const undecodable = (encoding: string): ApiError =>
  new ApiError('invalid_request', `The request body is not valid ${encoding}, as its Content-Encoding says.`);

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type MultipartForm, readMultipart } from '../server/base/http/read-multipart';

const LIMITS = { limitBytes: 32 * 1024 * 1024, key: '' };

export function readForm(request: IncomingMessage): Promise<MultipartForm> {
  const headers = new Headers({ 'content-type': request.headers['content-type'] ?? '' });
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>;
  return readMultipart({ headers, body }, LIMITS);
}

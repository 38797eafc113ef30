import { ApiError } from '../../../base/errors';
import { isObject, parseJson } from '../../protocols/read-fields';
import type { GivenLine } from './plan-lines';

/** JSONL, piece by piece. */

const NEWLINE = 0x0a;

/** The lines of a file without their ends, each of at most `maxBytes`. Each byte is copied once. */
export async function* splitLines(pieces: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) throw new RangeError(`a line of more than ${maxBytes} bytes`);
    parts.push(part);
  };
  const take = (): Buffer => {
    const line = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      add(piece.subarray(from, end));
      yield take();
      from = end + 1;
    }
    if (from < piece.length) add(piece.subarray(from));
  }
  if (length > 0) yield take();
}

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The requests of an uploaded file. */
export async function* readRequestLines(
  pieces: AsyncIterable<Buffer>,
  endpoint: string,
): AsyncGenerator<GivenLine> {
  let number = 0;
  try {
    for await (const bytes of splitLines(pieces, MAX_LINE_BYTES)) {
      number++;
      const text = decodeLine(bytes, number).trim();
      if (text === '') continue;
      const json = parseJson(text);
      const place = `line ${number}`;
      if (!isObject(json)) throw new ApiError('invalid_request', `${place}: must be a JSON object`);
      const { custom_id: customId, method, url, body } = json;
      if (method !== 'POST') throw refuseAt(place, 'method', 'must be POST');
      if (url !== endpoint) throw refuseAt(place, 'url', `must be the endpoint of the batch, ${endpoint}`);
      yield { place, bodyName: 'body', customId, body };
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError('invalid_request', `line ${number + 1}: must have at most ${MAX_LINE_BYTES} bytes`);
  }
}

const refuseAt = (place: string, param: string, reason: string): ApiError =>
  new ApiError('invalid_request', `${place}: ${param}: ${reason}`, { param });

function decodeLine(bytes: Buffer, number: number): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError('invalid_request', `line ${number}: must be UTF-8`);
  }
}

import { ApiError } from '../../../base/errors';
import { type JsonSource, parseJsonObject } from '../../../base/http/read-body';
import { type FieldPlace, type JsonOutline, JsonScan } from '../../../base/scan-json';
import { keepNumbers } from '../../protocols/exact-numbers';
import type { Json } from '../../protocols/neutral';
import { isObject, parseJson, refuse } from '../../protocols/read-fields';
import type { GivenLine } from './plan-lines';

/** The lines of a batch, one by one: those of a file of JSONL, and the items of a list. */

const NEWLINE = 0x0a;

/** The lines of a file without their ends; null for one of more than `maxBytes`. Each byte is copied once. */
export async function* splitLines(
  pieces: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  const take = (): Buffer | null => {
    const line = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    const isWhole = length <= maxBytes;
    parts = [];
    length = 0;
    return isWhole ? line : null;
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
  for await (const bytes of splitLines(pieces, MAX_LINE_BYTES)) {
    const place = `line ${++number}`;
    if (bytes === null)
      throw new ApiError('invalid_request', `${place}: must have at most ${MAX_LINE_BYTES} bytes`);
    if (isBlank(bytes)) continue;
    const { json, body } = await readLine(bytes, { place, bodyName: 'body' });
    if (json.method !== 'POST') throw refuseAt(place, 'method', 'must be POST');
    if (json.url !== endpoint) throw refuseAt(place, 'url', `must be the endpoint of the batch, ${endpoint}`);
    yield { place, bodyName: 'body', customId: json.custom_id, body };
  }
}

/** The most values and field names of a list of requests: 200 for each. */
export const MAX_LIST_VALUES = 2_000_000;
/** What a body has besides its requests. */
const MAX_REST_BYTES = 64 * 1024;

/** The requests of a body, which is never parsed as a whole: that would block others, and take gigabytes. */
export function readRequestItems({ bytes, outline }: JsonSource): AsyncGenerator<GivenLine> {
  const items = findField(bytes, outline, 'requests')?.items ?? [];
  const [from = 0] = items;
  const to = items.at(-1) ?? 0;
  if (bytes.length - (to - from) > MAX_REST_BYTES)
    throw refuse('requests', `must be an array of requests, with at most ${MAX_REST_BYTES} bytes besides it`);
  parseJsonObject(
    decoder.decode(Buffer.concat([bytes.subarray(0, from + 1), bytes.subarray(Math.max(to, from + 1))])),
  );
  if (items.length === 0) throw refuse('requests', 'must be an array of requests');
  return readItems(bytes, items);
}

async function* readItems(bytes: Buffer, items: readonly number[]): AsyncGenerator<GivenLine> {
  for (const [index, to] of items.slice(1).entries()) {
    const item = bytes.subarray((items[index] ?? 0) + 1, to);
    if (items.length === 2 && isBlank(item)) return;
    const place = `requests.${index}`;
    const { json, body } = await readLine(item, { place, bodyName: 'params' });
    yield { place, bodyName: 'params', customId: json.custom_id, body };
  }
}

/** The last one counts, as in `JSON.parse`. */
const findField = (bytes: Buffer, { fields }: JsonOutline, name: string): FieldPlace | undefined =>
  fields.findLast((place) => parseJson(bytes.toString('utf8', place.name, place.from - 1)) === name);

/** A line with its request, which has the limits of the body of a single one. */
async function readLine(
  bytes: Buffer,
  { place, bodyName }: Pick<GivenLine, 'place' | 'bodyName'>,
): Promise<{ json: Json; body: unknown }> {
  const outline = scanLine(bytes, place);
  const json = parseJson(decodeLine(bytes, place));
  if (!isObject(json)) throw new ApiError('invalid_request', `${place}: must be a JSON object`);
  const body = json[bodyName];
  const at = outline.hasLongNumbers ? findField(bytes, outline, bodyName) : undefined;
  if (at === undefined || !isObject(body)) return { json, body };
  const text = bytes.toString('utf8', at.from, at.to);
  return { json, body: await keepNumbers(body, { text, strings: [] }) };
}

function scanLine(bytes: Buffer, place: string): JsonOutline {
  const scan = new JsonScan();
  try {
    scan.add(bytes);
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.code, `${place}: ${error.message}`) : error;
  }
  return scan.outline();
}

function decodeLine(bytes: Buffer, place: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError('invalid_request', `${place}: must be UTF-8`);
  }
}

const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
const MAX_BLANKS = 1_000;
const isBlank = (bytes: Buffer): boolean =>
  bytes.length <= MAX_BLANKS && bytes.every((byte) => BLANKS.has(byte));

const refuseAt = (place: string, param: string, reason: string): ApiError =>
  new ApiError('invalid_request', `${place}: ${param}: ${reason}`, { param });

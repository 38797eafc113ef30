import { errorBody } from '../../base/http/error-bodies';
import { parseExactly, writeExactly } from '../protocols/exact-numbers';
import type { Json } from '../protocols/neutral';
import { asArray, asObject, asText, isObject, parseObject } from '../protocols/read-fields';
import { readCount } from './count';
import { readEmbeddedFailure, readProviderFailure } from './provider-failure';
import { requireParsable } from './response-limits';
import { formHeaders } from './write-form';

/**
 * The batches of OpenAI and of Anthropic, as their documentation has them (November 2026). OpenAI takes the lines as an
 * uploaded file, and a batch has metadata by which it is found again; Anthropic takes them with the batch.
 */

export type BatchFormat = 'openai' | 'anthropic';
type Call = { path: string; headers: Record<string, string>; body: Buffer[] };

export const FILES_PATH = '/files';
const PATHS = { openai: '/batches', anthropic: '/messages/batches' } as const;
/** Of the metadata by which a batch is found. */
const OWN_ID = 'svc_batch';

const JSON_TYPE = { 'content-type': 'application/json' };
const BOUNDARY = 'svc-batch-7MA4YWxkTrZu0gW';
/** The provider deletes what it stores of a batch by then. */
const STORED_SECONDS = 8 * 86_400;

/** A line as its provider receives it. */
export const writeBatchLine = (format: BatchFormat, index: number, endpoint: string, body: Json): Buffer =>
  Buffer.from(
    format === 'openai'
      ? `${writeExactly({ custom_id: String(index), method: 'POST', url: endpoint, body })}\n`
      : `${index === 0 ? '' : ','}${writeExactly({ custom_id: String(index), params: body })}`,
  );

export function writeUpload(lines: readonly Buffer[]): Call {
  const field = (name: string, value: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = [
    field('purpose', 'batch'),
    field('expires_after[anchor]', 'created_at'),
    field('expires_after[seconds]', String(STORED_SECONDS)),
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="lines.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n`,
  ].join('');
  return {
    path: FILES_PATH,
    headers: formHeaders(BOUNDARY),
    body: [Buffer.from(head), ...lines, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)],
  };
}

/** OpenAI's batch of an uploaded file. */
export function writeBatch(ownId: string, endpoint: string, uploadId: string): Call {
  const expiry = { anchor: 'created_at', seconds: STORED_SECONDS };
  const body = {
    input_file_id: uploadId,
    endpoint,
    completion_window: '24h',
    metadata: { [OWN_ID]: ownId },
    output_expires_after: expiry,
  };
  return { path: PATHS.openai, headers: JSON_TYPE, body: [Buffer.from(JSON.stringify(body))] };
}

/** Anthropic's batch, with its lines. */
export const writeMessageBatch = (lines: readonly Buffer[]): Call => ({
  path: PATHS.anthropic,
  headers: JSON_TYPE,
  body: [Buffer.from('{"requests":['), ...lines, Buffer.from(']}')],
});

const UPSTREAM_ID = /^[\w.:-]{1,200}$/;
const readId = (value: unknown): string | null =>
  typeof value === 'string' && UPSTREAM_ID.test(value) ? value : null;

/** The provider's id of what was created; null if the response has none. */
export const readCreatedId = (text: string): string | null => readId(parseObject(text)?.id);

export const batchPath = (format: BatchFormat, upstreamId: string): string =>
  `${PATHS[format]}/${encodeURIComponent(upstreamId)}`;
export const cancelPath = (format: BatchFormat, upstreamId: string): string =>
  `${batchPath(format, upstreamId)}/cancel`;
export const listPath = (after: string | null): string =>
  `${PATHS.openai}?limit=100${after === null ? '' : `&after=${encodeURIComponent(after)}`}`;
/** Where the results are: Anthropic has all in one place. */
export const resultsPath = (format: BatchFormat, id: string): string =>
  format === 'openai'
    ? `${FILES_PATH}/${encodeURIComponent(id)}/content`
    : `${batchPath(format, id)}/results`;

/** A page of OpenAI's batches, newest first. Null if it cannot be read. `sinceSeconds`: older ones are not looked for. */
export function findInList(
  text: string,
  ownId: string,
  sinceSeconds: number,
): { found: string | null; next: string | null } | null {
  const list = parseObject(text);
  if (list === null || !Array.isArray(list.data)) return null;
  const batches = list.data.map(asObject);
  const own = batches.find(({ metadata }) => asObject(metadata)[OWN_ID] === ownId);
  const last = batches.at(-1);
  const isOver = list.has_more !== true || last === undefined || Number(last.created_at) < sinceSeconds;
  return { found: readId(own?.id), next: isOver ? null : readId(last.id) };
}

export const OUTCOMES = ['completed', 'expired', 'cancelled', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How far a batch is. `outputId` and `errorId` are where its results are. */
export type SeenBatch = { completed: number; failed: number } & (
  | { state: 'running' }
  | { state: Outcome; outputId: string | null; errorId: string | null }
);

/** Null if the response is not about this batch, or cannot be read. */
export function readBatch(format: BatchFormat, text: string, upstreamId: string): SeenBatch | null {
  const json = parseObject(text);
  if (json === null || json.id !== upstreamId) return null;
  const counts = asObject(json.request_counts);
  const count = (name: string): number => readCount(counts[name]) ?? 0;
  if (format === 'openai') {
    const seen = { completed: count('completed'), failed: count('failed') };
    const state = OUTCOMES.find((outcome) => outcome === json.status);
    if (state === undefined) return { state: 'running', ...seen };
    return { state, outputId: readId(json.output_file_id), errorId: readId(json.error_file_id), ...seen };
  }
  const failed = count('errored') + count('expired') + count('canceled');
  const seen = { completed: count('succeeded'), failed };
  if (json.processing_status !== 'ended') return { state: 'running', ...seen };
  const state = count('expired') > 0 ? 'expired' : count('canceled') > 0 ? 'cancelled' : 'completed';
  return { state, outputId: upstreamId, errorId: null, ...seen };
}

/** What a provider says of one line: `text` is its response. */
export type SeenLine = { index: number } & (
  | { text: string }
  | { failure: { status: number; body: Json } }
  /** It ended before the line was sent to the model. */
  | { unsent: 'expired' | 'cancelled' }
);

const INDEX = /^\d{1,7}$/;

/** Null if it is not a line of a batch of ours. */
export function readResultLine(format: BatchFormat, line: string): SeenLine | null {
  const json = readExactObject(line);
  if (json === null || typeof json.custom_id !== 'string' || !INDEX.test(json.custom_id)) return null;
  const index = Number(json.custom_id);
  return format === 'openai'
    ? readLineOfOpenai(index, json)
    : readLineOfAnthropic(index, asObject(json.result));
}

function readExactObject(line: string): Json | null {
  try {
    const value = parseExactly(requireParsable(line));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function readLineOfOpenai(index: number, { response, error }: Json): SeenLine | null {
  const { status_code: status, body } = asObject(response);
  if (typeof status === 'number' && isObject(body))
    return status >= 200 && status < 300
      ? { index, text: writeExactly(body) }
      : { index, failure: { status, body } };
  const code = asText(asObject(error).code);
  if (/expired/.test(code)) return { index, unsent: 'expired' };
  if (/cancel/.test(code)) return { index, unsent: 'cancelled' };
  return isObject(error) ? { index, failure: { status: 500, body: { error } } } : null;
}

function readLineOfAnthropic(index: number, { type, message, error }: Json): SeenLine | null {
  if (type === 'succeeded' && isObject(message)) return { index, text: writeExactly(message) };
  if (type === 'expired') return { index, unsent: 'expired' };
  if (type === 'canceled') return { index, unsent: 'cancelled' };
  return type === 'errored' ? { index, failure: { status: 200, body: asObject(error) } } : null;
}

/** The line as the client gets it. `body` is the response in the client's format. */
export function writeResultLine(
  format: BatchFormat,
  { requestId, customId }: { requestId: string; customId: string },
  result: { body: string } | Exclude<SeenLine, { text: string }>,
): string {
  const id = JSON.stringify(customId);
  if (format === 'anthropic') {
    if ('body' in result)
      return `{"custom_id":${id},"result":{"type":"succeeded","message":${result.body}}}\n`;
    const ended =
      'unsent' in result
        ? { type: result.unsent === 'cancelled' ? 'canceled' : result.unsent }
        : { type: 'errored', error: errorBody('messages', readFailure(result.failure), requestId) };
    return `{"custom_id":${id},"result":${JSON.stringify(ended)}}\n`;
  }
  const head = `{"id":"batch_${requestId}","custom_id":${id}`;
  if ('body' in result)
    return `${head},"response":{"status_code":200,"request_id":"${requestId}","body":${result.body}},"error":null}\n`;
  if ('unsent' in result)
    return `${head},"response":null,"error":${JSON.stringify({ code: `batch_${result.unsent}`, message: `The batch was ${result.unsent} before this request was sent.` })}}\n`;
  const failure = readFailure(result.failure);
  const body = JSON.stringify(errorBody('chat', failure, requestId));
  return `${head},"response":{"status_code":${failure.status},"request_id":"${requestId}","body":${body}},"error":null}\n`;
}

/** The error of the provider, without what it shows of our account. */
const readFailure = ({ status, body }: { status: number; body: Json }) =>
  (status === 200 ? readEmbeddedFailure(body) : readProviderFailure({ status, body: writeExactly(body) }))
    .error;

/** Why a provider refused a batch as a whole. */
export function readBatchError(text: string): string {
  const [first] = asArray(asObject(asObject(parseObject(text)).errors).data).map(asObject);
  const message = asText(first?.message);
  if (message === '') return 'The provider for this model refused the batch.';
  return readProviderFailure({ status: 400, body: JSON.stringify({ error: { message } }) }).error.message;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { now } from '../../server/base/clock';
import { randomBase62 } from '../../server/base/ids';
import { parseJson, readBody, readForm, sendJson } from '../loopback-server';
import type { RequestLog } from './request-log';

/**
 * Batches of OpenAI and Anthropic. The lines are answered by the sandbox itself when the state is read for the second
 * time, and the batch is complete at the third. A line with the text `error 500` fails.
 */

type Json = Record<string, unknown>;
type Line = { custom_id: string; url: string; body: unknown };
type Batch = {
  id: string;
  isOpenai: boolean;
  given: Json;
  lines: Line[];
  results: { line: Line; status: number; body: unknown }[];
  reads: number;
  isCancelled: boolean;
  createdAtMs: number;
};

const READS = 3;
const PATH = /^\/v1\/(messages\/)?batches(?:\/(\w+)(?:\/(cancel|results))?)?$/;
const FILE = /^\/v1\/files(?:\/(\w+)\/content)?$/;

export const isBatchPath = (pathname: string): boolean => PATH.test(pathname) || FILE.test(pathname);

export class SandboxBatches {
  readonly #files = new Map<string, string>();
  readonly #batches = new Map<string, Batch>();

  async handle(
    log: RequestLog,
    pathname: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const [isFile, fileId] = FILE.exec(pathname) ?? [];
    if (isFile !== undefined) return this.#handleFile(fileId, request, response);
    const [, messages, id, action] = PATH.exec(pathname) ?? [];
    const isOpenai = messages === undefined;
    if (request.method === 'POST' && id === undefined) {
      const given = (parseJson(await readBody(request))?.value ?? {}) as Json;
      log.add(request, given);
      return this.#create(isOpenai, given, response);
    }
    if (id === undefined) {
      const own = [...this.#batches.values()].filter((batch) => batch.isOpenai === isOpenai).reverse();
      return sendJson(response, 200, { object: 'list', data: own.map(describe), has_more: false });
    }
    const batch = this.#batches.get(id);
    if (batch === undefined) return sendJson(response, 404, { error: { message: 'No such batch' } });
    if (action === 'results') return sendLines(response, batch.results.map(writeMessageLine));
    if (action === 'cancel') batch.isCancelled = !isOver(batch);
    else if (++batch.reads === 2 && !batch.isCancelled)
      await answerLines(batch, `http://${request.headers.host}`);
    sendJson(response, 200, describe(batch));
  }

  async #handleFile(
    id: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (id === undefined) {
      const { files } = await readForm(request);
      const fileId = `file${randomBase62(22)}`;
      this.#files.set(fileId, files[0]?.bytes.toString('utf8') ?? '');
      return sendJson(response, 200, { id: fileId, object: 'file', purpose: 'batch' });
    }
    const [, which, batchId = ''] = /^(out|err)(\w+)$/.exec(id) ?? [];
    const batch = this.#batches.get(batchId);
    if (batch === undefined) return sendJson(response, 404, { error: { message: 'No such file' } });
    const results = batch.results.filter(({ status }) => status < 300 === (which === 'out'));
    sendLines(response, results.map(writeLine));
  }

  #create(isOpenai: boolean, given: Json, response: ServerResponse): void {
    const text = isOpenai ? this.#files.get(String(given.input_file_id)) : '';
    if (text === undefined) return sendJson(response, 400, { error: { message: 'No such file' } });
    const lines = isOpenai
      ? text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Line)
      : ((given.requests ?? []) as { custom_id: string; params: unknown }[]).map(({ custom_id, params }) => ({
          custom_id,
          url: '/v1/messages',
          body: params,
        }));
    const id = `batch${randomBase62(22)}`;
    const batch: Batch = {
      id,
      isOpenai,
      given,
      lines,
      results: [],
      reads: 0,
      isCancelled: false,
      createdAtMs: now(),
    };
    this.#batches.set(id, batch);
    sendJson(response, 200, describe(batch));
  }
}

/** Each by the endpoint that it names. */
async function answerLines(batch: Batch, origin: string): Promise<void> {
  for (const line of batch.lines) {
    const sent = JSON.stringify(line.body);
    const response = sent.includes('error 500')
      ? Response.json({ error: { message: 'The server had an error', type: 'api_error' } }, { status: 500 })
      : await fetch(`${origin}${line.url}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: sent,
        });
    batch.results.push({ line, status: response.status, body: await response.json() });
  }
}

const isOver = ({ reads, isCancelled }: Batch): boolean => isCancelled || reads >= READS;

function describe(batch: Batch): object {
  const { id, isOpenai, given, lines, results, createdAtMs } = batch;
  const failed = results.filter(({ status }) => status >= 300).length;
  const completed = results.length - failed;
  const ended = batch.isCancelled ? 'cancelled' : 'completed';
  if (!isOpenai) {
    const rest = lines.length - results.length;
    return {
      id,
      type: 'message_batch',
      processing_status: isOver(batch) ? 'ended' : 'in_progress',
      request_counts: {
        processing: isOver(batch) ? 0 : rest,
        succeeded: completed,
        errored: failed,
        canceled: batch.isCancelled ? rest : 0,
        expired: 0,
      },
    };
  }
  return {
    id,
    object: 'batch',
    status: isOver(batch) ? ended : 'in_progress',
    metadata: given.metadata,
    created_at: Math.floor(createdAtMs / 1_000),
    output_file_id: isOver(batch) && completed > 0 ? `out${id}` : null,
    error_file_id: isOver(batch) && failed > 0 ? `err${id}` : null,
    request_counts: { total: lines.length, completed, failed },
  };
}

type Result = Batch['results'][number];

const writeLine = ({ line, status, body }: Result): object => ({
  id: `batch_req_${randomBase62(16)}`,
  custom_id: line.custom_id,
  response: { status_code: status, request_id: randomBase62(16), body },
  error: null,
});

const writeMessageLine = ({ line, status, body }: Result): object => ({
  custom_id: line.custom_id,
  result: status < 300 ? { type: 'succeeded', message: body } : { type: 'errored', error: body },
});

function sendLines(response: ServerResponse, lines: object[]): void {
  response.writeHead(200, { 'content-type': 'application/jsonl' });
  response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

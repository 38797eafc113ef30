import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { randomBase62 } from '../../server/base/ids';
import { type LoopbackServer, listenOnLoopback, parseJson, readBody, sendJson } from '../loopback-server';
import { type Answer, composeAnswer } from './answers';
import { anthropicFormat } from './anthropic-format';
import { isBatchPath, SandboxBatches } from './batches';
import { isDocumentPath, sendDocuments } from './documents';
import { sendEmbeddings } from './embeddings';
import type { GenerationRequest } from './generation-request';
import { sendImages } from './images';
import { findRefusal, isSandboxModel } from './models';
import { openaiFormat } from './openai-format';
import { RequestLog } from './request-log';
import { sendSpeech } from './speech';
import { planSteps, playSteps, waitForAbort } from './stream-steps';
import { PromptCache } from './token-usage';
import { sendTranscript } from './transcriptions';
import { SandboxVideos } from './videos';
import type { Failure, WireFormat } from './wire-format';

/** How long the model `slow` waits before it responds. */
const SLOW_MS = 60_000;
/** Non-streamed responses are delayed as well, but by no more than this. */
const WHOLE_ANSWER_MAX_MS = 1_500;

type Sandbox = { cache: PromptCache; log: RequestLog; videos: SandboxVideos; batches: SandboxBatches };

/** A model provider on loopback: OpenAI's chat completions and embeddings, the endpoints of documents, and the basics of Anthropic's messages. */
export async function startSandboxProvider(): Promise<LoopbackServer> {
  const sandbox: Sandbox = {
    cache: new PromptCache(),
    log: new RequestLog(),
    videos: new SandboxVideos(),
    batches: new SandboxBatches(),
  };
  const server = await listenOnLoopback((request, response) => route(sandbox, request, response));
  return { url: `${server.url}/v1`, close: server.close };
}

async function route(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://sandbox');
  response.setHeader('x-request-id', `req_${randomBase62(24)}`);
  if (request.method === 'POST' && isDocumentPath(pathname))
    return sendDocuments(sandbox.log, { request, response, pathname });
  if (isBatchPath(pathname)) return sandbox.batches.handle(sandbox.log, pathname, request, response);
  switch (`${request.method} ${pathname}`) {
    case 'POST /v1/chat/completions':
      return generate(sandbox, openaiFormat, request, response);
    case 'POST /v1/messages':
      return generate(sandbox, anthropicFormat, request, response);
    case 'POST /v1/embeddings':
      return sendEmbeddings(sandbox.log, request, response);
    case 'POST /v1/images/generations':
    case 'POST /v1/images/edits':
      return sendImages(sandbox.log, request, response);
    case 'POST /v1/audio/speech':
      return sendSpeech(sandbox.log, request, response);
    case 'POST /v1/videos/generations':
      return sandbox.videos.start(sandbox.log, request, response);
    case 'POST /v1/audio/transcriptions':
    case 'POST /v1/audio/translations':
      return sendTranscript(sandbox.log, request, response);
    case 'GET /__sandbox/requests':
      return sendJson(response, 200, sandbox.log.toJson());
    case 'DELETE /__sandbox/requests':
      sandbox.log.clear();
      return sendJson(response, 200, sandbox.log.toJson());
    default:
      if (request.method === 'GET' && pathname.startsWith('/v1/videos/'))
        return sandbox.videos.read(pathname, request, response);
      return refuse(response, openaiFormat, {
        status: 404,
        kind: 'bad_request',
        message: `Invalid URL (${request.method} ${pathname})`,
      });
  }
}

async function generate(
  sandbox: Sandbox,
  format: WireFormat,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const signal = watchClient(response);
  const text = await readBody(request);
  const body = parseJson(text);
  sandbox.log.add(request, body === null ? text : body.value);
  if (body === null)
    return refuse(response, format, {
      status: 400,
      kind: 'bad_request',
      message: 'We could not parse the JSON body of your request.',
    });
  const read = format.readRequest(body.value);
  if ('refused' in read)
    return refuse(response, format, { status: 400, kind: 'bad_request', ...read.refused });
  const { model } = read.request;
  const failure = isSandboxModel(model) ? findRefusal(model) : unknownModel(model);
  if (failure !== null) return refuse(response, format, failure);
  await answer(sandbox, format, read.request, { response, signal });
  // The model `cut` closes the connection itself, so this is no client disconnect.
  if (signal.aborted && model !== 'cut') sandbox.log.aborted++;
}

type Client = { response: ServerResponse; signal: AbortSignal };

async function answer(
  sandbox: Sandbox,
  format: WireFormat,
  request: GenerationRequest,
  client: Client,
): Promise<void> {
  if (request.model === 'slow') await waitForAbort(client.signal, SLOW_MS);
  if (client.signal.aborted) return;
  const composed = composeAnswer(request, sandbox.cache);
  if (!request.stream) return answerWhole(format, request, composed, client);
  client.response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  const steps = planSteps(request.model, format.writeStream(request, composed));
  return playSteps(client.response, steps, { signal: client.signal, split: request.model === 'split-utf8' });
}

/** The failures of a stream, as far as they apply to a whole response. */
async function answerWhole(
  format: WireFormat,
  request: GenerationRequest,
  composed: Answer,
  { response, signal }: Client,
): Promise<void> {
  const failed = {
    kind: 'server_error',
    message: 'The server had an error while processing your request.',
  } as const;
  const thinkingMs = composed.pausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0);
  await pause(Math.min(thinkingMs, WHOLE_ANSWER_MAX_MS), undefined, { signal }).catch(() => {});
  if (signal.aborted) return;
  switch (request.model) {
    case 'stall':
      return waitForAbort(signal);
    case 'cut':
      return void response.destroy();
    case 'error-in-stream':
      return sendJson(response, 200, format.writeError({ status: 200, ...failed }));
    case 'error-mid-stream':
      return refuse(response, format, { status: 500, ...failed });
    default:
      return sendJson(response, 200, format.writeWhole(request, composed));
  }
}

/** Aborts when the connection closes before the response is complete. */
function watchClient(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

function refuse(response: ServerResponse, format: WireFormat, failure: Failure): void {
  const headers: Record<string, string> =
    failure.retryAfterSeconds === undefined ? {} : { 'retry-after': String(failure.retryAfterSeconds) };
  sendJson(response, failure.status, format.writeError(failure), headers);
}

function unknownModel(model: string): Failure {
  return {
    status: 404,
    kind: 'not_found',
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
  };
}

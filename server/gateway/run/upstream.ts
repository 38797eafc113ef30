import { Agent, type Dispatcher, errors } from 'undici';
import { SECOND_MS } from '../../base/clock';
import { settings } from '../../base/env';
import type { ProviderTarget } from '../pricing/served';
import { type BodySource, writeFrom } from '../protocols/body-source';
import { writeExactly } from '../protocols/exact-numbers';
import type { Json } from '../protocols/neutral';
import { asObject, asText } from '../protocols/read-fields';
import { writeLargeJson } from '../protocols/write-large-json';
import { FORMATS } from '../providers/formats';
import { writeForm } from '../providers/write-form';
import type { Abort } from './abort';
import { connectUpstream } from './upstream-connection';
import { NeverSentError, UpstreamResponse, type UpstreamTimeouts } from './upstream-response';

export type UpstreamRequest = { path: string; headers: Record<string, string> };
export type UpstreamBody = string | Buffer | Buffer[];

let agent: Agent | undefined;

/** Writes what `callProvider` sends. What this throws is no failure of the provider. */
export async function writeBody(
  { body, boundary }: { body: Json; boundary?: string },
  { source, isLarge }: { source: BodySource | null; isLarge: boolean },
): Promise<UpstreamBody> {
  if (boundary !== undefined) return writeForm(body, boundary);
  if (source === null) return isLarge ? writeLargeJson(body) : writeExactly(body);
  const parts = await writeFrom(source, body, isLarge);
  return isLarge ? parts : Buffer.concat(parts);
}

/**
 * Sends a request to a provider. Redirects are not followed, so that our key is sent nowhere else. Throws an
 * error of undici when there is no response. A model whose output is hidden for now may be silent for as long
 * as it may take to begin.
 */
export function callProvider(
  target: ProviderTarget,
  request: UpstreamRequest,
  body: UpstreamBody,
  abort: Abort,
  { mayBeSilent = false, isStream = false } = {},
): Promise<UpstreamResponse> {
  return sendRequest(target, request, body, abort, timeoutsOf({ mayBeSilent, isStream }));
}

function timeoutsOf({
  mayBeSilent,
  isStream,
}: {
  mayBeSilent: boolean;
  isStream: boolean;
}): UpstreamTimeouts {
  const {
    UPSTREAM_FIRST_BYTE_SECONDS: firstByte,
    UPSTREAM_STREAM_START_SECONDS: streamStart,
    UPSTREAM_IDLE_SECONDS: idle,
    UPSTREAM_BACKGROUND_SECONDS: background,
  } = settings();
  // A whole response is read in the background after the client's time is up.
  const startSeconds = !isStream
    ? firstByte + background
    : mayBeSilent
      ? firstByte
      : Math.min(streamStart, firstByte);
  return {
    startMs: startSeconds * SECOND_MS,
    idleMs: (mayBeSilent ? firstByte : idle) * SECOND_MS,
  };
}

/** Unless the headers of the request say that it is a form. */
const JSON_BODY = { 'content-type': 'application/json' };

function sendRequest(
  target: ProviderTarget,
  { path, headers }: UpstreamRequest,
  body: UpstreamBody,
  abort: Abort,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamResponse> {
  const options = {
    origin: target.origin,
    path: target.basePath + path,
    method: 'POST',
    headers: Object.assign({}, JSON_BODY, withKey(target, headers), lengthOf(body)),
    // undici accepts any iterable.
    body: body as string,
    // The response has its own timeouts, which do not count the time that nobody reads it.
    headersTimeout: 0,
    bodyTimeout: 0,
  } as const;
  return dispatch(options, abort, timeouts);
}

function dispatch(
  options: Dispatcher.DispatchOptions,
  abort: Abort,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamResponse> {
  agent ??= new Agent({ connect: connectUpstream, keepAliveTimeout: 30_000 });
  const response = new UpstreamResponse(abort, timeouts);
  agent.dispatch(options, response);
  return response.started;
}

/** Starts a job at a provider, which answers before it works. */
export const startJob = (
  target: ProviderTarget,
  request: UpstreamRequest,
  body: UpstreamBody,
  abort: Abort,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamResponse> => sendRequest(target, request, body, abort, timeouts);

/** Reads what a provider says of a job. Redirects are not followed. */
export const readJob = (
  target: ProviderTarget,
  path: string,
  abort: Abort,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamResponse> =>
  read(
    {
      origin: target.origin,
      path: target.basePath + path,
      headers: withKey(target, FORMATS[target.format].writeHeaders({}, { isNative: true, warnings: [] })),
    },
    abort,
    timeouts,
  );

/** Reads a file of a provider: with our key only if `target` is given, and at its origin. Redirects are not followed. */
export function readFile(
  url: URL,
  target: ProviderTarget | null,
  abort: Abort,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamResponse> {
  const { origin, pathname, search } = url;
  const headers = target !== null && target.origin === origin ? withKey(target, {}) : {};
  return read({ origin, path: pathname + search, headers }, abort, timeouts);
}

const read = (
  given: { origin: string; path: string; headers: Record<string, string> },
  abort: Abort,
  timeouts: UpstreamTimeouts,
): Promise<UpstreamResponse> =>
  dispatch({ method: 'GET', headersTimeout: 0, bodyTimeout: 0, ...given }, abort, timeouts);

/** undici counts the bytes of a string or buffer itself. Without a length it would send chunks, which not all providers accept. */
function lengthOf(body: UpstreamBody): Record<string, string> {
  if (!Array.isArray(body)) return {};
  return { 'content-length': String(body.reduce((bytes, { length }) => bytes + length, 0)) };
}

/** Whether the request was sent, and nothing arrived for too long. The provider may be working on it and will bill it. */
export const timedOut = (error: unknown): boolean =>
  error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;

/** Errors of undici about a request that it did not send. */
const UNSENT = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]);

/** Whether the connection to the provider failed. Anything else, such as a header that cannot be sent, is our own fault. */
export const isConnectionError = (error: unknown): boolean =>
  !UNSENT.has(codeOf(error)) && !(error instanceof TypeError) && !(error instanceof RangeError);

/** Codes of errors before a connection exists. No content of a request can cause them. */
const UNREACHABLE = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

export const isUnreachable = (error: unknown): boolean => UNREACHABLE.has(codeOf(error));

/** The certificate of the server was refused, before anything was sent to it. */
const REFUSED_CERTIFICATE = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Whether a call that failed without a response may have reached the provider, which then may bill it. */
export const mayHaveArrived = (error: unknown): boolean =>
  !isUnreachable(error) && !(error instanceof NeverSentError) && !REFUSED_CERTIFICATE.test(codeOf(error));

const codeOf = (error: unknown): string => asText(asObject(error).code);

/** Our key comes last, so that it replaces any header of that name. */
function withKey(
  { format, apiKey, keyHeader }: ProviderTarget,
  headers: Record<string, string>,
): Record<string, string> {
  const key = keyHeader === undefined ? FORMATS[format].writeKey(apiKey) : { [keyHeader]: apiKey };
  return Object.assign({}, headers, key);
}

export async function closeUpstreams(): Promise<void> {
  await agent?.close();
  agent = undefined;
}

import { Agent, type Dispatcher, errors } from 'undici';
import { SECOND_MS } from '../clock';
import { settings } from '../env';
import type { ProviderTarget } from '../pricing/served';
import { writeExactly } from '../protocols/exact-numbers';
import type { Json } from '../protocols/neutral';
import { asObject, asText } from '../protocols/read-fields';
import { writeLargeJson } from '../protocols/write-large-json';
import { FORMATS } from '../providers/formats';
import type { Abort } from './abort';

const CONNECT_TIMEOUT_MS = 5_000;

export type UpstreamResponse = Dispatcher.ResponseData;
export type UpstreamRequest = { path: string; headers: Record<string, string> };
export type UpstreamBody = string | Buffer[];

let agent: Agent | undefined;

/** Writes what `callProvider` sends. What this throws is no failure of the provider. */
export const writeBody = (body: Json, isLarge: boolean): UpstreamBody | Promise<UpstreamBody> =>
  isLarge ? writeLargeJson(body) : writeExactly(body);

/**
 * Sends a request to a provider. Redirects are not followed, so that our key is sent nowhere else. Throws the
 * error of undici when there is no response. A model whose output is hidden for now may be silent for as long
 * as it may take to begin.
 */
export function callProvider(
  target: ProviderTarget,
  request: UpstreamRequest,
  body: UpstreamBody,
  signal: Abort | AbortSignal,
  { mayBeSilent = false, isStream = false } = {},
): Promise<UpstreamResponse> {
  return sendRequest(target, request, body, signal, timeoutsOf({ mayBeSilent, isStream }));
}

type Timeouts = { headersTimeout: number; bodyTimeout: number };

function timeoutsOf({ mayBeSilent, isStream }: { mayBeSilent: boolean; isStream: boolean }): Timeouts {
  const { UPSTREAM_FIRST_BYTE_SECONDS, UPSTREAM_STREAM_START_SECONDS, UPSTREAM_IDLE_SECONDS } = settings();
  const startSeconds =
    isStream && !mayBeSilent
      ? Math.min(UPSTREAM_STREAM_START_SECONDS, UPSTREAM_FIRST_BYTE_SECONDS)
      : UPSTREAM_FIRST_BYTE_SECONDS;
  return {
    headersTimeout: startSeconds * SECOND_MS,
    bodyTimeout: (mayBeSilent ? UPSTREAM_FIRST_BYTE_SECONDS : UPSTREAM_IDLE_SECONDS) * SECOND_MS,
  };
}

function sendRequest(
  target: ProviderTarget,
  { path, headers }: UpstreamRequest,
  body: UpstreamBody,
  signal: Abort | AbortSignal,
  { headersTimeout, bodyTimeout }: Timeouts,
): Promise<UpstreamResponse> {
  agent ??= new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: 30_000,
  });
  return agent.request({
    origin: target.origin,
    path: target.basePath + path,
    method: 'POST',
    headers: Object.assign(withKey(target, headers), lengthOf(body)),
    // undici accepts any iterable.
    body: body as string,
    headersTimeout,
    bodyTimeout,
    signal,
  });
}

/** undici counts the bytes of a string itself. Without a length it would send chunks, which not all providers accept. */
function lengthOf(body: UpstreamBody): Record<string, string> {
  if (typeof body === 'string') return {};
  return { 'content-length': String(body.reduce((bytes, { length }) => bytes + length, 0)) };
}

/**
 * Whether the request was sent but no headers arrived. The provider may be working on it and will bill it.
 */
export const timedOut = (error: unknown): boolean => error instanceof errors.HeadersTimeoutError;

/** Errors of undici about a request that it did not send. */
const UNSENT = new Set([
  ...['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'],
  ...['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'],
]);

/** Whether the connection to the provider failed. Anything else, such as a header that cannot be sent, is our own fault. */
export const isConnectionError = (error: unknown): boolean =>
  codeOf(error) !== '' && !UNSENT.has(codeOf(error));

/** Codes of errors before a connection exists. No content of a request can cause them. */
const UNREACHABLE = new Set([
  ...['UND_ERR_CONNECT_TIMEOUT', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
]);

export const isUnreachable = (error: unknown): boolean => UNREACHABLE.has(codeOf(error));

const codeOf = (error: unknown): string => asText(asObject(error).code);

/** Our key comes last, so that it replaces any header of that name. */
function withKey(
  { format, apiKey }: ProviderTarget,
  headers: Record<string, string>,
): Record<string, string> {
  return Object.assign({}, headers, FORMATS[format].writeKey(apiKey));
}

export async function closeUpstreams(): Promise<void> {
  await agent?.close();
  agent = undefined;
}

import { Agent, type Dispatcher, errors } from 'undici';
import { SECOND_MS } from '../clock';
import { settings } from '../env';
import type { ProviderTarget } from '../pricing/served';
import { FORMATS } from '../providers/formats';
import type { Abort } from './abort';

const CONNECT_TIMEOUT_MS = 5_000;

export type UpstreamResponse = Dispatcher.ResponseData;
export type UpstreamRequest = { path: string; headers: Record<string, string>; body: string };

let agent: Agent | undefined;

/**
 * Sends a request to a provider. Redirects are not followed, so that our key is sent nowhere else. Throws the
 * error of undici when there is no response. A model whose output is hidden for now may be silent for as long
 * as it may take to begin.
 */
export function callProvider(
  target: ProviderTarget,
  { path, headers, body }: UpstreamRequest,
  signal: Abort | AbortSignal,
  { mayBeSilent = false } = {},
): Promise<UpstreamResponse> {
  const { UPSTREAM_FIRST_BYTE_SECONDS, UPSTREAM_IDLE_SECONDS } = settings();
  agent ??= new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: UPSTREAM_FIRST_BYTE_SECONDS * SECOND_MS,
    keepAliveTimeout: 30_000,
  });
  return agent.request({
    origin: target.origin,
    path: target.basePath + path,
    method: 'POST',
    headers: withKey(target, headers),
    body,
    bodyTimeout: (mayBeSilent ? UPSTREAM_FIRST_BYTE_SECONDS : UPSTREAM_IDLE_SECONDS) * SECOND_MS,
    signal,
  });
}

/**
 * Whether the request was sent but no headers arrived. The provider may be working on it and will bill it.
 */
export const timedOut = (error: unknown): boolean => error instanceof errors.HeadersTimeoutError;

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

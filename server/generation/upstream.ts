import { Agent, type Dispatcher, errors } from 'undici';
import { SECOND_MS } from '../clock';
import { settings } from '../env';
import { ApiError } from '../errors';
import { findTarget, type ProviderTarget } from '../pricing/served';
import { type ProviderProfile, profileOf } from '../providers/profiles';
import type { Abort } from './abort';

const CONNECT_TIMEOUT_MS = 5_000;

export type UpstreamResponse = Dispatcher.ResponseData;
export type UpstreamRequest = { path: string; headers: Record<string, string>; body: string };

let agent: Agent | undefined;

/** What is peculiar to a provider; of one that the operator's file describes at least its format is known. */
export const profileFor = (provider: string): ProviderProfile =>
  profileOf(provider, findTarget(provider)?.format);

/**
 * Sends a request to a provider. Redirects are not followed: our key goes nowhere else. Throws
 * what undici throws; nothing was answered then.
 */
export function callProvider(
  provider: string,
  { path, headers, body }: UpstreamRequest,
  signal: Abort | AbortSignal,
): Promise<UpstreamResponse> {
  const target = findTarget(provider);
  if (target === null) throw new ApiError('upstream_error', 'The provider of this model is not available');
  agent ??= new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: settings().UPSTREAM_FIRST_BYTE_SECONDS * SECOND_MS,
    bodyTimeout: settings().UPSTREAM_IDLE_SECONDS * SECOND_MS,
    keepAliveTimeout: 30_000,
  });
  return agent.request({
    origin: target.origin,
    path: target.basePath + path,
    method: 'POST',
    headers: withKey(target, headers),
    body,
    signal,
  });
}

/** The request was sent and nothing came back: the provider may be working on it, and will bill it. */
export const wasSilent = (error: unknown): boolean => error instanceof errors.HeadersTimeoutError;

/** Our key comes last: no other header of that name goes out. */
function withKey(
  { format, apiKey }: ProviderTarget,
  headers: Record<string, string>,
): Record<string, string> {
  const key = format === 'anthropic' ? { 'x-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
  return Object.assign({}, headers, key);
}

export async function closeUpstreams(): Promise<void> {
  await agent?.close();
  agent = undefined;
}

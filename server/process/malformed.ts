import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../errors';
import { sendRefusal } from '../http/send-refusal';
import { findWidgetFile } from '../http/widget-files';
import { pathnameOf } from './pathname';

/** Refuses a request that the pages would fail on, or answer for another host, and returns true. */
export function refuseMalformed({ method, url }: IncomingMessage, response: ServerResponse): boolean {
  const refusal = method === 'TRACE' ? unknownMethod() : isPath(url) ? null : invalidUrl();
  if (refusal !== null) sendRefusal(response, refusal);
  return refusal !== null;
}

const READS = ['GET', 'HEAD'];

/** Refuses any request for a file except GET and HEAD, and returns true. Next would respond with a 500. */
export function refuseWriteToFile({ method = '', url }: IncomingMessage, response: ServerResponse): boolean {
  if (READS.includes(method) || !isFile(pathnameOf(url))) return false;
  sendRefusal(response, readOnly());
  return true;
}

const isFile = (pathname: string): boolean =>
  pathname.startsWith('/_next/') || pathname === '/icon.svg' || findWidgetFile(pathname) !== null;

/**
 * A whole URL is for proxies: Next would redirect to its host. A path with an invalid percent escape matches
 * nothing, and Next would fail on it; PostgreSQL stores no NUL.
 */
function isPath(url = ''): boolean {
  try {
    return url.startsWith('/') && !decodeURIComponent(pathnameOf(url)).includes('\0');
  } catch {
    return false;
  }
}

const unknownMethod = (): ApiError => new ApiError('invalid_request', 'The method TRACE is not supported.');

const readOnly = (): ApiError =>
  new ApiError('method_not_allowed', 'This URL only accepts GET and HEAD.', { allow: READS });

const invalidUrl = (): ApiError =>
  new ApiError('invalid_request', 'The URL must be a path that begins with / and has valid percent escapes.');

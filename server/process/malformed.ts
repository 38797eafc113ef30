import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../errors';
import { sendRefusal } from '../http/send-refusal';
import { findWidgetFile } from '../http/widget-files';
import { pathnameOf } from './pathname';

/** Refuses a request that the pages would fail on, or answer for another host, and returns true. */
export function refuseMalformed(request: IncomingMessage, response: ServerResponse): boolean {
  const refusal = findFault(request);
  if (refusal !== null) sendRefusal(response, refusal);
  return refusal !== null;
}

function findFault({ method = '', url }: IncomingMessage): ApiError | null {
  if (method === 'TRACE') return unknownMethod();
  if (!isPath(url)) return invalidUrl();
  return isFile(pathnameOf(url)) && !READS.includes(method) ? notAWrite() : null;
}

const READS = ['GET', 'HEAD'];

/** What Next serves from a disk. */
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

const notAWrite = (): ApiError =>
  new ApiError('method_not_allowed', 'This file can only be read, with GET or HEAD.', { allow: READS });

const invalidUrl = (): ApiError =>
  new ApiError('invalid_request', 'The URL must be a path that begins with / and has valid percent escapes.');

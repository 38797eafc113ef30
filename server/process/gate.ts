import type { IncomingMessage } from 'node:http';
import { ApiError } from '../base/errors';
import { findWidgetFile } from '../base/http/widget-files';
import { targetOf } from './target';

/** What every request must be before anything of it is read: whatever it costs us grows with these limits. */

const KILOBYTE = 1024;
const MAX_HEADER_LINES = 100;
const MAX_HEADER_BYTES = 16 * KILOBYTE;
const MAX_URL_BYTES = 8 * KILOBYTE;
const MAX_PARAMETERS = 100;
/** Beyond, Node refuses the request itself, with 431. */
export const MAX_HEAD_BYTES = 4 * MAX_HEADER_BYTES;

/** Admits a request, whose URL is canonical from then on, or returns why it is refused. */
export function findFault(request: IncomingMessage): ApiError | null {
  const { method = '', url = '', rawHeaders } = request;
  if (areTooLarge(rawHeaders)) return headersTooLarge();
  if (url.length > MAX_URL_BYTES) return urlTooLong();
  if (method === 'TRACE') return new ApiError('invalid_request', 'The method TRACE is not supported.');
  if (!hasOneHost(request)) return invalidHost();
  const { pathname, search } = targetOf(request);
  if (!URL_PATH.test(url) || !isPath(pathname)) return invalidUrl();
  if (search.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) return tooManyParameters();
  request.url = pathname + search;
  return READS.includes(method) || !isFile(pathname) ? null : readOnly();
}

/** The colon, the blank and the end of a line. */
const BYTES_BETWEEN = 4;

function areTooLarge(rawHeaders: string[]): boolean {
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) return true;
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + BYTES_BETWEEN / 2;
  return bytes > MAX_HEADER_BYTES;
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function hasOneHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const given = rawHeaders.filter((name, n) => n % 2 === 0 && /^host$/i.test(name));
  return given.length === 1 && HOST.test(headers.host ?? '');
}

/** A whole URL is for proxies: Next would redirect to its host. */
const URL_PATH = /^\/(?:[\w.~!$&'()*+,;=:@/[\]-]|%[\da-f]{2})*(?:\?[!"$-~]*)?$/i;
const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;

/** A path with escapes that are no text matches nothing, and Next would fail on it; PostgreSQL stores no NUL. */
function isPath(pathname: string): boolean {
  try {
    return !DOT_SEGMENT.test(pathname) && !decodeURIComponent(pathname).includes('\0');
  } catch {
    return false;
  }
}

const READS = ['GET', 'HEAD'];

/** Next would respond with a 500 to a request that writes to one. */
const isFile = (pathname: string): boolean =>
  pathname.startsWith('/_next/') || pathname === '/icon.svg' || findWidgetFile(pathname) !== null;

const headersTooLarge = (): ApiError =>
  new ApiError(
    'headers_too_large',
    `The request has more than ${MAX_HEADER_LINES} headers, or more than ${MAX_HEADER_BYTES / KILOBYTE} kB of them.`,
  );

const urlTooLong = (): ApiError =>
  new ApiError('url_too_long', `The URL exceeds the maximum size of ${MAX_URL_BYTES / KILOBYTE} kB.`);

const tooManyParameters = (): ApiError =>
  new ApiError('invalid_request', `The URL has more than ${MAX_PARAMETERS} parameters.`);

const invalidHost = (): ApiError =>
  new ApiError(
    'invalid_request',
    'The request must have one Host header with a host name and an optional port.',
  );

const invalidUrl = (): ApiError =>
  new ApiError(
    'invalid_request',
    'The URL must be a path that begins with /, has no . or .. segments and only valid percent escapes.',
  );

const readOnly = (): ApiError =>
  new ApiError('method_not_allowed', 'This URL only accepts GET and HEAD.', { allow: READS });

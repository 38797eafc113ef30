import type { IncomingMessage } from 'node:http';
import { findWidgetFile } from '../base/http/widget-files';

/** Where a request goes: the one reading of its URL that all code of the process uses. */
export type Target = {
  /** In canonical spelling. */
  pathname: string;
  /** From the question mark on. */
  search: string;
  /** The path of the route file that serves it, or null for pages and files. */
  apiPath: string | null;
};

const TARGET = Symbol('target');

/** Made once per request, and kept on it. */
export function targetOf(request: IncomingMessage & { [TARGET]?: Target }): Target {
  request[TARGET] ??= readTarget(request.url ?? '/');
  return request[TARGET];
}

function readTarget(url: string): Target {
  const end = url.indexOf('?');
  const pathname = toCanonical(end === -1 ? url : url.slice(0, end));
  return { pathname, search: end === -1 ? '' : url.slice(end), apiPath: apiPath(pathname) };
}

/** Letters, digits, `-`, `.`, `_` and `~`: a path with and without these escapes is the same (RFC 3986). */
const NEEDLESS_ESCAPE = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi;

/** Without needless escapes, without repeated slashes and without a slash at the end. */
function toCanonical(path: string): string {
  const decoded = path.includes('%') ? path.replace(NEEDLESS_ESCAPE, decodeURIComponent) : path;
  const single = decoded.includes('//') ? decoded.replace(/\/{2,}/g, '/') : decoded;
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}

/**
 * Clients differ in whether their base URL includes the version: all three spellings reach the same file. What
 * is not supported gets a response with the endpoint to use instead.
 */
const UNVERSIONED =
  /^\/(chat\/completions|messages|messages\/count_tokens|messages\/batches|messages\/batches\/.+|batches|batches\/.+|files|files\/.+|models|models\/.+|completions|embeddings|audio\/speech|audio\/transcriptions|audio\/translations|images\/generations|images\/edits|moderations|ocr|rerank|responses|responses\/.+|videos|videos\/.+)$/;
/** Under the base URL of another service, which no page of this one has. */
const FOREIGN = /^\/(?!_next\/)(.*\/)?(v\d+(beta)?\/|chat\/completions$)/;

/** Sign-in by the standards of OAuth. */
export const OAUTH = /^\/(oauth\/|\.well-known\/oauth-(authorization-server|protected-resource(\/mcp)?)$)/;
/** Some clients look for the metadata of `/mcp` here. */
const OF_WHOLE_HOST = '/.well-known/oauth-protected-resource';

export const FOR_OPERATORS = new Set(['/metrics', '/livez', '/readyz', '/api/health']);

function apiPath(pathname: string): string | null {
  if (pathname === OF_WHOLE_HOST) return `${OF_WHOLE_HOST}/mcp`;
  if (
    pathname === '/auth/token' ||
    pathname === '/mcp' ||
    pathname === '/.well-known/jwks.json' ||
    pathname === '/v1' ||
    OAUTH.test(pathname) ||
    FOR_OPERATORS.has(pathname)
  )
    return pathname;
  if (UNVERSIONED.test(pathname)) return `/v1${pathname}`;
  // The one of Cohere's SDK.
  if (pathname === '/v2/rerank') return '/v1/rerank';
  if (!pathname.startsWith('/v1/')) return FOREIGN.test(pathname) ? pathname : null;
  if (findWidgetFile(pathname)) return null;
  return pathname.startsWith('/v1/v1/') ? pathname.slice(3) : pathname;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { ApiError } from '../errors';
import { type Connection, keepConnection } from '../http/api-request';
import { preflight } from '../http/cors';
import { carriesUserKey } from '../http/credentials';
import type { DirectRoute } from '../http/direct-route';
import type { ErrorFormat } from '../http/error-bodies';
import { respondTo } from '../http/receive-body';
import { errorResponse } from '../http/respond';
import { findWidgetFile } from '../http/widget-files';
import { newId } from '../ids';
import { API_ROUTES } from './api-routes';
import { isUnsupported, missingEndpoint } from './missing-endpoint';
import { pathnameOf } from './pathname';
import { buildRouteTable, findHandler } from './route-table';

/** Serves the API's route files without Next. */

const findRoute = buildRouteTable(API_ROUTES);

/**
 * Clients differ in whether their base URL includes the version: all three spellings reach the same file. What
 * is not supported is answered with the endpoint to use instead.
 */
const UNVERSIONED =
  /^\/(chat\/completions|messages|messages\/count_tokens|models|models\/.+|completions|embeddings|responses|responses\/.+)$/;
/** Under the base URL of another service, which no page of this one has. */
const FOREIGN = /^\/(?!_next\/)(.*\/)?(v\d+(beta)?\/|chat\/completions$)/;
/** Routes of our own pages. */
const OF_PAGES = /^\/(checkout\/)?api\//;

/** Sign-in by the standards of OAuth. */
const OAUTH = /^\/(oauth\/|\.well-known\/oauth-authorization-server$)/;

const FOR_OPERATORS = new Set(['/metrics', '/livez', '/readyz', '/api/health']);

/** The route path that serves a URL path, or null for pages and files. */
export function apiPath(given: string): string | null {
  const pathname = given.endsWith('/') ? given.replace(/\/+$/, '') : given;
  if (
    pathname === '/auth/token' ||
    pathname === '/.well-known/jwks.json' ||
    pathname === '/v1' ||
    OAUTH.test(pathname) ||
    FOR_OPERATORS.has(pathname)
  )
    return pathname;
  if (UNVERSIONED.test(pathname)) return `/v1${pathname}`;
  if (!pathname.startsWith('/v1/')) return FOREIGN.test(pathname) ? pathname : null;
  if (findWidgetFile(pathname)) return null;
  return pathname.startsWith('/v1/v1/') ? pathname.slice(3) : pathname;
}

/** Whether the API answers: by its path, or with an error because only a client of the API sends a user key. */
export const isForApi = ({ url, headers }: IncomingMessage, path: string | null): boolean =>
  path !== null || (carriesUserKey(headers) && !OF_PAGES.test(pathnameOf(url)));

/** Responds to paid requests on their connection, and to all others through a web `Request`. */
export async function apiListener(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const direct = findDirect(incoming);
  return direct === undefined ? listen(incoming, outgoing) : direct({ incoming, outgoing });
}

function findDirect({ method, url }: IncomingMessage): DirectRoute['direct'] | undefined {
  if (method !== 'POST') return undefined;
  const found = findRoute(apiPath(pathnameOf(url)) ?? '/');
  return (found?.module as { POST?: Partial<DirectRoute> } | undefined)?.POST?.direct;
}

const listen = getRequestListener(
  (request, connection) =>
    respondTo(connection as Connection, () => route(request, connection as Connection)),
  {
    errorHandler: (error) => errorResponse('chat', toRefusal(error), newId('req')),
    // It would read up to 64 MB of a body that nobody wants.
    autoCleanupIncoming: false,
  },
) as (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function route(request: Request, connection: Connection): Response | Promise<Response> {
  keepConnection(request, connection);
  const requested = pathnameOf(connection.incoming.url);
  const pathname = apiPath(requested) ?? requested;
  const found = findRoute(pathname);
  const handle = found && findHandler(found.module, request.method);
  if (handle) return handle(request, { params: Promise.resolve(found.params) });
  // A page may see this 404 too: its browser sends a preflight first.
  if (request.method === 'OPTIONS') return preflight(request);
  const audience = FOR_OPERATORS.has(pathname) ? 'same-origin' : 'any-origin';
  const error =
    found && !isUnsupported(pathname) ? wrongMethod(found.module, request) : missingEndpoint(pathname);
  return errorResponse(formatOf(pathname), error, newId('req'), audience);
}

/** Opening an endpoint in a browser shows which methods it accepts. */
function wrongMethod(module: object, { headers }: Request): ApiError {
  const methods = Object.keys(module).filter((name) => /^[A-Z]+$/.test(name) && name !== 'OPTIONS');
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  const only = `This URL only accepts ${methods.join(' and ')}.`;
  const isWebSocket = headers.get('upgrade')?.toLowerCase() === 'websocket';
  const reason = isWebSocket ? `WebSockets are not supported: use server-sent events. ${only}` : only;
  return new ApiError('method_not_allowed', reason, { allow });
}

/** A malformed request, such as one without a host, is the client's error. */
function toRefusal(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  return new ApiError('invalid_request', 'The request has no valid Host header or URL.');
}

function formatOf(pathname: string): ErrorFormat {
  if (OAUTH.test(pathname)) return 'oauth';
  return /\/v1\/messages(\/|$)/.test(pathname) ? 'messages' : 'chat';
}

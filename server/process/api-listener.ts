import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { ApiError } from '../errors';
import { type Connection, keepConnection } from '../http/api-request';
import { preflight } from '../http/cors';
import type { DirectRoute } from '../http/direct-route';
import { respondTo } from '../http/receive-body';
import { errorResponse, notFound } from '../http/respond';
import { findWidgetFile } from '../http/widget-files';
import { newId } from '../ids';
import { API_ROUTES } from './api-routes';
import { pathnameOf } from './pathname';
import { buildRouteTable, findHandler } from './route-table';

/** Serves the API's route files without Next. */

const findRoute = buildRouteTable(API_ROUTES);

/** Clients differ in whether their base URL includes the version: all three spellings reach the same file. */
const UNVERSIONED = /^\/(chat\/completions|messages|messages\/count_tokens|models|models\/.+)$/;

const FOR_OPERATORS = new Set(['/metrics', '/livez', '/readyz', '/api/health']);

/** The route path that serves a URL path, or null for pages and files. */
export function apiPath(pathname: string): string | null {
  if (pathname === '/auth/token' || FOR_OPERATORS.has(pathname)) return pathname;
  if (UNVERSIONED.test(pathname)) return `/v1${pathname}`;
  if (!pathname.startsWith('/v1/') || findWidgetFile(pathname)) return null;
  return pathname.startsWith('/v1/v1/') ? pathname.slice(3) : pathname;
}

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
  const pathname = apiPath(pathnameOf(connection.incoming.url)) ?? '/';
  const found = findRoute(pathname);
  const handle = found && findHandler(found.module, request.method);
  if (handle) return handle(request, { params: Promise.resolve(found.params) });
  // A page may see this 404 too: its browser sends a preflight first.
  if (request.method === 'OPTIONS') return preflight(request);
  const audience = FOR_OPERATORS.has(pathname) ? 'same-origin' : 'any-origin';
  return notFound(formatOf(pathname), found && explainMethod(found.module), audience);
}

/** Opening an endpoint in a browser shows which methods it accepts, not just a 404. */
function explainMethod(module: object): string {
  const methods = Object.keys(module).filter((name) => /^[A-Z]+$/.test(name) && name !== 'OPTIONS');
  return `This URL only accepts ${methods.join(' and ')}.`;
}

/** A malformed request, such as one without a host, is the client's error. */
function toRefusal(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  return new ApiError('invalid_request', 'The request has no valid Host header or URL.');
}

function formatOf(pathname: string): 'chat' | 'messages' {
  return pathname.startsWith('/v1/messages') ? 'messages' : 'chat';
}

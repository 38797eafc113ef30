import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { ApiError } from '../base/errors';
import { type Connection, keepConnection } from '../base/http/api-request';
import { preflight } from '../base/http/cors';
import { carriesUserKey } from '../base/http/credentials';
import type { DirectRoute } from '../base/http/direct-route';
import type { ErrorFormat } from '../base/http/error-bodies';
import { respondTo } from '../base/http/receive-body';
import { errorResponse } from '../base/http/respond';
import { newId } from '../base/ids';
import { API_ROUTES } from './api-routes';
import { isUnsupported, missingEndpoint } from './missing-endpoint';
import { buildRouteTable, findHandler } from './route-table';
import { FOR_OPERATORS, OAUTH, targetOf } from './target';

/** Serves the API's route files without Next. */

const findRoute = buildRouteTable(API_ROUTES);

/** Routes of our own pages. */
const OF_PAGES = /^\/(checkout\/)?api\//;

/** Whether the API responds: by its path, or with an error because only a client of the API sends a user key. */
export function isForApi(request: IncomingMessage): boolean {
  const { pathname, apiPath } = targetOf(request);
  return apiPath !== null || (carriesUserKey(request.headers) && !OF_PAGES.test(pathname));
}

/** Responds to paid requests on their connection, and to all others through a web `Request`. */
export async function apiListener(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const direct = findDirect(incoming);
  return direct === undefined ? listen(incoming, outgoing) : direct({ incoming, outgoing });
}

function findDirect(request: IncomingMessage): DirectRoute['direct'] | undefined {
  if (request.method !== 'POST') return undefined;
  const found = findRoute(targetOf(request).apiPath ?? '/');
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
  const target = targetOf(connection.incoming);
  const pathname = target.apiPath ?? target.pathname;
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

import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { errorResponse, notFound } from '../http/respond';
import { newId } from '../ids';
import { API_ROUTES } from './api-routes';
import { buildRouteTable, findHandler } from './route-table';

/** Serves the API's route files without Next. */

const findRoute = buildRouteTable(API_ROUTES);

/** The widget's script lies under /v1 too, but it is a file. */
const WIDGET_SCRIPT = /^\/v1\/([\d.]+\/)?svc\.js$/;

export function isApiPath(pathname: string): boolean {
  return pathname === '/auth/token' || (pathname.startsWith('/v1/') && !WIDGET_SCRIPT.test(pathname));
}

export const pathnameOf = (url: string | undefined): string => url?.split('?', 1)[0] ?? '/';

export const apiListener = getRequestListener(
  (request, { incoming }) => {
    const pathname = pathnameOf(incoming.url);
    const route = findRoute(pathname);
    const handle = route && findHandler(route.module, request.method);
    return handle ? handle(request, { params: Promise.resolve(route.params) }) : notFound(formatOf(pathname));
  },
  { errorHandler: (error) => errorResponse('chat', error, newId('req')) },
) as (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function formatOf(pathname: string): 'chat' | 'messages' {
  return pathname.startsWith('/v1/messages') ? 'messages' : 'chat';
}

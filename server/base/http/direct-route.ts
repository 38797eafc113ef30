import { ApiError } from '../errors';
import { newId } from '../ids';
import { traceRequest } from '../tracing';
import { type ApiRequest, type Connection, requestOf } from './api-request';
import type { ErrorFormat } from './error-bodies';
import { leaveRest } from './receive-body';
import { type Reply, toResponse, writeReply } from './reply';
import { errorReply, respond } from './respond';

/**
 * The handler of a paid route. Next calls it with a web `Request`; the service calls `direct`, which reads and
 * writes the connection. The web objects in between would take a tenth of the time of a paid request.
 */
export type DirectRoute = ((request: Request) => Promise<Response>) & {
  direct: (connection: Connection) => Promise<void>;
};

type Handle = (request: ApiRequest, requestId: string) => Promise<Reply>;

/** `path` is that of the route file. */
export function directRoute(format: ErrorFormat, path: string, handle: Handle): DirectRoute {
  const forNext = (request: Request): Promise<Response> =>
    respond(format, async (requestId) => toResponse(await handle(request, requestId), request.signal));
  return Object.assign(forNext, {
    direct: (connection: Connection) => respondDirectly(connection, format, path, handle),
  });
}

async function respondDirectly(
  connection: Connection,
  format: ErrorFormat,
  path: string,
  handle: Handle,
): Promise<void> {
  const requestId = newId('req');
  traceRequest(connection, path, requestId);
  let reply: Reply;
  try {
    reply = await handle(requestOf(connection), requestId);
  } catch (error) {
    // Nobody receives it, and what the disconnect interrupted is no failure of a provider or the database.
    if (connection.outgoing.destroyed && error instanceof ApiError) return;
    reply = errorReply(format, error, requestId);
  }
  leaveRest(connection);
  writeReply(connection.outgoing, reply, requestId);
}

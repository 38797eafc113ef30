import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded } from '../errors';
import { isDatabaseBusy } from './database-busy';

/**
 * Next responds with 500 when a page throws and reports the error separately. This module connects
 * the two through a diagnostics channel, because code bundled by Next has its own module instances.
 */
const failures = channel('svc:page-failure');
const currentResponse = new AsyncLocalStorage<ServerResponse>();

failures.subscribe((error) => {
  const response = currentResponse.getStore();
  if (response !== undefined && isDatabaseBusy(error)) sendBusy(response);
});

export function notePageFailure(error: unknown): void {
  failures.publish(error);
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Responds with 503 and `Retry-After` when a page fails because the database is busy. */
export function withBusyStatus(listener: Listener): Listener {
  return (request, response) => currentResponse.run(response, () => listener(request, response));
}

function sendBusy(response: ServerResponse): void {
  const { status: busy, retryAfterSeconds } = overloaded();
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    ...rest: unknown[]
  ) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    // A page that rendered successfully is not changed. A fallback page is.
    if (status !== 500 && !response.hasHeader('retry-after')) return writeHead(status, ...rest);
    response.setHeader('retry-after', String(retryAfterSeconds));
    return writeHead(busy, ...rest);
  };
}

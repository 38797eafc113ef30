import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded } from '../errors';
import { isDatabaseBusy } from './database-busy';

/**
 * Next answers 500 to whatever fails in a page, and tells us of the failure apart from the answer. The
 * two meet here, over a channel: what Next bundles has modules of its own.
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

/** A page that fails because the database is busy says so in its status, and when to ask again. */
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
    // What else went well in a page stays as it is, but not a page that stands in for another.
    if (status !== 500 && !response.hasHeader('retry-after')) return writeHead(status, ...rest);
    response.setHeader('retry-after', String(retryAfterSeconds));
    return writeHead(busy, ...rest);
  };
}

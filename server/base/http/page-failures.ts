import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded } from '../errors';
import { isDatabaseBusy } from './database-busy';

/**
 * Next responds with 500 when a page throws and reports the error separately. This module connects
 * the two through diagnostics channels, because code bundled by Next has its own module instances.
 */
const failures = channel('svc:page-failure');
const actions = channel('svc:action');
const currentResponse = new AsyncLocalStorage<ServerResponse>();
/** The responses to requests with an action whose arguments could be decoded. */
const decoded = new WeakSet<ServerResponse>();

failures.subscribe((error) => {
  const response = currentResponse.getStore();
  if (response !== undefined && isDatabaseBusy(error)) sendBusy(response);
});

actions.subscribe(() => {
  const response = currentResponse.getStore();
  if (response !== undefined) decoded.add(response);
});

export function notePageFailure(error: unknown): void {
  failures.publish(error);
}

/** Every server action calls this first. */
export function noteAction(): void {
  actions.publish(undefined);
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Responds with 503 and `Retry-After` when a page fails because the database is busy, and with 400
 * when Next cannot decode the arguments of an action.
 */
export function withPageStatus(listener: Listener): Listener {
  return (request, response) => {
    if (callsAction(request)) refuseUndecoded(response);
    return currentResponse.run(response, () => listener(request, response));
  };
}

/** As a script or a form on a page does. Our actions never throw. */
const callsAction = ({ headers }: IncomingMessage): boolean =>
  'next-action' in headers || /^multipart\//i.test(headers['content-type'] ?? '');

function refuseUndecoded(response: ServerResponse): void {
  const writeHead = bindWriteHead(response);
  response.writeHead = (status: number, ...rest: unknown[]) =>
    writeHead(status === 500 && !decoded.has(response) ? 400 : status, ...rest);
}

const bindWriteHead = (response: ServerResponse) =>
  response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;

function sendBusy(response: ServerResponse): void {
  const { status: busy, retryAfterSeconds } = overloaded();
  const writeHead = bindWriteHead(response);
  response.writeHead = (status: number, ...rest: unknown[]) => {
    // A page that rendered successfully is not changed. A fallback page is.
    if (status !== 500 && !response.hasHeader('retry-after')) return writeHead(status, ...rest);
    response.setHeader('retry-after', String(retryAfterSeconds));
    return writeHead(busy, ...rest);
  };
}

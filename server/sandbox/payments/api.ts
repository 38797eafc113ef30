import type { IncomingMessage, ServerResponse } from 'node:http';
import { hmacSha256, sameBytes } from '../../ids';
import { readBody, sendJson } from '../loopback-server';
import { type Endpoint, type EndpointCall, findEndpoint } from './endpoints';
import { expandObject } from './expand';
import type { Failures } from './failures';
import { parseForm } from './form-encoding';
import type { IdempotentReplies, Reply } from './idempotency';
import { newStripeId } from './objects';
import type { Emulator } from './sessions';
import { invalidRequest, StripeError } from './stripe-errors';

export type Api = {
  emulator: Emulator;
  replies: IdempotentReplies;
  failures: Failures;
  secretKey: string;
};

/** Serves one API call: key, endpoint, idempotency, response. */
export async function serveApi(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = newStripeId('req');
  try {
    send(request, response, await answer(api, request, requestId));
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    sendJson(response, error.status, { error: error.body }, { 'request-id': requestId });
  }
}

async function answer(api: Api, request: IncomingMessage, requestId: string): Promise<Reply> {
  requireKey(request, api.secretKey);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  const endpoint = findEndpoint(request.method, pathname);
  if (endpoint === null)
    throw invalidRequest(`Unrecognized request URL (${request.method}: ${pathname}).`, { status: 404 });
  api.failures.throwNext(pathname);
  const body = request.method === 'POST' ? await readBody(request) : searchParams.toString();
  const key = request.method === 'POST' ? (request.headers['idempotency-key'] ?? null) : null;
  const idempotencyKey = Array.isArray(key) ? key.join() : key;
  const call = { form: parseForm(body), cause: { requestId, idempotencyKey } };
  const execute = () => run(api.emulator, endpoint, call, endpoint.path.exec(pathname)?.[1] ?? '');
  if (idempotencyKey === null) return { status: 200, body: await execute(), requestId, replayed: false };
  return api.replies.run(idempotencyKey, { path: pathname, body, requestId }, execute);
}

async function run(emulator: Emulator, endpoint: Endpoint, call: EndpointCall, id: string): Promise<object> {
  const paths = [call.form.expand ?? []].flat().filter((path) => typeof path === 'string');
  return paths.reduce(
    (result, path) => expandObject(emulator.records, result, path),
    await endpoint.run(emulator, call, id),
  );
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const key = request.headers['idempotency-key'];
  sendJson(response, reply.status, reply.body, {
    'request-id': reply.requestId,
    ...(typeof key === 'string' && { 'idempotency-key': key }),
    ...(reply.replayed && { 'idempotent-replayed': 'true' }),
  });
}

function requireKey(request: IncomingMessage, secretKey: string): void {
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (given === undefined) throw invalidRequest('You did not provide an API key.', { status: 401 });
  const [left, right] = [given, secretKey].map((key) => hmacSha256('compare', key));
  if (left !== undefined && right !== undefined && sameBytes(left, right)) return;
  throw invalidRequest(`Invalid API Key provided: ${given.slice(0, 8)}****${given.slice(-4)}`, {
    status: 401,
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { hmacSha256, sameBytes } from '../../server/base/ids';
import { readBody, sendJson } from '../loopback-server';
import { requireRight } from './account';
import type { Emulator } from './emulator';
import { findEndpoint } from './endpoints';
import { expandObject } from './expand';
import type { Failures } from './failures';
import { type Form, parseForm } from './form-encoding';
import type { IdempotentReplies, Reply } from './idempotency';
import { newStripeId } from './objects';
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
    const reply = await answer(api, request, requestId);
    sendJson(response, reply.status, reply.body, {
      'request-id': reply.requestId,
      ...(reply.replayed && { 'idempotent-replayed': 'true' }),
    });
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
  requireRight(api.emulator.records, `${request.method} ${pathname.replace('/v1/', '')}`);
  api.failures.throwAboveRate();
  api.failures.throwNext(pathname);
  const body = request.method === 'POST' ? await readBody(request) : searchParams.toString();
  const form = parseForm(body);
  const [, id = '', innerId = ''] = endpoint.path.exec(pathname) ?? [];
  const account = request.headers['stripe-account']?.toString() ?? null;
  const execute = async () =>
    expand(api.emulator, form, await endpoint.run(api.emulator, form, id, innerId, account));
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || typeof key !== 'string')
    return { status: 200, body: await execute(), requestId, replayed: false };
  return api.replies.run(key, { path: pathname, body, requestId }, execute);
}

function expand({ records }: Emulator, form: Form, object: object): object {
  const paths = [form.expand ?? []].flat().filter((path) => typeof path === 'string');
  return paths.reduce((expanded, path) => expandObject(records, expanded, path), object);
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

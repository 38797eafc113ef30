import type { IncomingMessage, ServerResponse } from 'node:http';
import { hmacSha256, sameBytes } from '../../ids';
import { readBody, sendJson } from '../loopback-server';
import { expandObject } from './expand';
import { type Form, parseForm } from './form-encoding';
import type { IdempotentReplies, Reply } from './idempotency';
import { buildList } from './lists';
import { newStripeId } from './objects';
import { createRefund } from './refunds';
import { readSessionParameters } from './session-parameters';
import { createSession, type Emulator, expireSession } from './sessions';
import { invalidRequest, resourceMissing, StripeError } from './stripe-errors';
import type { EventCause } from './webhook-sender';

export type Api = { emulator: Emulator; replies: IdempotentReplies; secretKey: string };
type StripeObject = { id: string; object: string };
type Call = { form: Form; cause: EventCause };
type Endpoint = {
  method: 'GET' | 'POST';
  path: RegExp;
  run(emulator: Emulator, call: Call, id: string): Promise<unknown>;
};

const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions$/,
    run: (emulator, { form }) => createSession(emulator, readSessionParameters(form)),
  },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/(\w+)$/,
    run: async (emulator, _, id) => requireSession(emulator, id).session,
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
    run: (emulator, { cause }, id) => expireSession(emulator, id, cause),
  },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/(\w+)\/line_items$/,
    run: async (emulator, _, id) =>
      buildList(requireSession(emulator, id).lineItems, `/v1/checkout/sessions/${id}/line_items`),
  },
  {
    method: 'GET',
    path: /^\/v1\/payment_intents\/(\w+)$/,
    run: async ({ records }, _, id) => records.require('payment_intent', id, 'intent'),
  },
  {
    method: 'GET',
    path: /^\/v1\/charges\/(\w+)$/,
    run: async ({ records }, _, id) => records.require('charge', id),
  },
  {
    method: 'GET',
    path: /^\/v1\/events\/(\w+)$/,
    run: async ({ records }, _, id) => records.require('event', id).event,
  },
  {
    method: 'POST',
    path: /^\/v1\/refunds$/,
    run: (emulator, { form, cause }) => createRefund(emulator, form, cause),
  },
  {
    method: 'GET',
    path: /^\/v1\/refunds\/(\w+)$/,
    run: async ({ records }, _, id) => records.require('refund', id),
  },
  {
    method: 'GET',
    path: /^\/v1\/refunds$/,
    run: async (emulator, { form }) => listOfPayment(emulator, 'refund', form),
  },
  {
    method: 'GET',
    path: /^\/v1\/disputes$/,
    run: async (emulator, { form }) => listOfPayment(emulator, 'dispute', form),
  },
];

/** One call of the API: key, endpoint, idempotency, answer. */
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
  const endpoint = ENDPOINTS.find(({ method, path }) => method === request.method && path.test(pathname));
  if (endpoint === undefined)
    throw invalidRequest(`Unrecognized request URL (${request.method}: ${pathname}).`, { status: 404 });
  const body = request.method === 'POST' ? await readBody(request) : searchParams.toString();
  const key = request.method === 'POST' ? (request.headers['idempotency-key'] ?? null) : null;
  const idempotencyKey = Array.isArray(key) ? key.join() : key;
  const call = { form: parseForm(body), cause: { requestId, idempotencyKey } };
  const execute = () => run(api.emulator, endpoint, call, endpoint.path.exec(pathname)?.[1] ?? '');
  if (idempotencyKey === null) return { status: 200, body: await execute(), requestId, replayed: false };
  return api.replies.run(idempotencyKey, { path: pathname, body, requestId }, execute);
}

async function run(emulator: Emulator, endpoint: Endpoint, call: Call, id: string): Promise<unknown> {
  const result = await endpoint.run(emulator, call, id);
  const paths = [call.form.expand ?? []].flat().filter((path) => typeof path === 'string');
  return paths.length === 0 ? result : expandObject(emulator.records, result as StripeObject, paths);
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const version = request.headers['stripe-version'];
  const key = request.headers['idempotency-key'];
  sendJson(response, reply.status, reply.body, {
    'request-id': reply.requestId,
    ...(typeof version === 'string' && { 'stripe-version': version }),
    ...(typeof key === 'string' && { 'idempotency-key': key }),
    ...(reply.replayed && { 'idempotent-replayed': 'true', 'original-request': reply.requestId }),
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

/** Newest first, as Stripe lists. */
function listOfPayment({ records }: Emulator, kind: 'refund' | 'dispute', form: Form): object {
  const all: { payment_intent: unknown }[] = records.all(kind);
  const found = all.filter((item) => item.payment_intent === form.payment_intent).reverse();
  return buildList(found, `/v1/${kind}s`);
}

function requireSession({ records }: Emulator, id: string) {
  const record = records.find('session', id);
  if (record === null) throw resourceMissing('checkout.session', id, 'session');
  return record;
}

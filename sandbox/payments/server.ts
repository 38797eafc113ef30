import type { IncomingMessage, ServerResponse } from 'node:http';
import { SECOND_MS } from '../../server/base/clock';
import { describeError, log } from '../../server/base/log';
import { type LoopbackServer, listenOnLoopback } from '../loopback-server';
import { type Api, serveApi } from './api';
import { doDueWork } from './due-work';
import type { Emulator } from './emulator';
import { Failures } from './failures';
import { IdempotentReplies } from './idempotency';
import { Records, type SandboxStore } from './records';
import { serveBank } from './serve-bank';
import { serveConnect } from './serve-connect';
import { serveControl } from './serve-control';
import { servePage } from './serve-pages';
import { resetTime } from './time';
import { WebhookSender } from './webhook-sender';

export type { SandboxStore } from './records';
export type SandboxPaymentsOptions = {
  port?: number;
  secretKey: string;
  webhookUrl: string;
  webhookSecret: string;
  /** Of the endpoint for the events of connected accounts; the same secret unless given. */
  connectWebhookSecret?: string;
  store: SandboxStore;
  /** Tests only: shorter waits between the attempts to deliver a webhook. */
  webhookRetryDelaysMs?: readonly number[];
};

const DUE_WORK_EVERY_MS = 5 * SECOND_MS;

/** A payment processor on loopback with Stripe's API and its own payment page. */
export async function startSandboxPayments(options: SandboxPaymentsOptions): Promise<LoopbackServer> {
  if (!/^(sk|rk)_test_/.test(options.secretKey))
    throw new Error('The payment sandbox needs a secret key that starts with sk_test_');
  resetTime();
  const records = await Records.load(options.store);
  const webhooks = new WebhookSender({
    records,
    url: options.webhookUrl,
    secret: options.webhookSecret,
    connectSecret: options.connectWebhookSecret ?? options.webhookSecret,
    retryDelaysMs: options.webhookRetryDelaysMs,
  });
  let url = '';
  const emulator: Emulator = { records, webhooks, baseUrl: () => url };
  const api: Api = {
    emulator,
    replies: new IdempotentReplies(records),
    failures: new Failures(),
    secretKey: options.secretKey,
  };
  const server = await listenOnLoopback((request, response) => route(api, request, response), options.port);
  url = server.url;
  webhooks.resume();
  const dueWork = setInterval(() => workInBackground(emulator), DUE_WORK_EVERY_MS).unref();
  return {
    url,
    close: async () => {
      clearInterval(dueWork);
      await Promise.all([server.close(), webhooks.stop()]);
    },
  };
}

async function route(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await doDueWork(api.emulator);
  const path = request.url ?? '/';
  if (/^\/v[12]\//.test(path)) return serveApi(api, request, response);
  if (path.startsWith('/__sandbox/')) return serveControl(api, request, response);
  if (path.startsWith('/connect/')) return serveConnect(api.emulator, request, response);
  if (path.startsWith('/bank/')) return serveBank(api.emulator, request, response);
  return servePage(api.emulator, request, response);
}

function workInBackground(emulator: Emulator): void {
  doDueWork(emulator).catch((error: unknown) =>
    log().error({ error: describeError(error) }, 'sandbox work failed'),
  );
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { parseJson, readBody, sendJson } from '../loopback-server';
import { closeDispute } from './disputes';
import { failRefund } from './refunds';
import type { Emulator } from './sessions';
import { StripeError } from './stripe-errors';

const controlSchema = z.strictObject({
  webhooks: z.enum(['on', 'hold', 'twice']).optional(),
  redeliver: z.string().optional(),
  fail_refund: z.string().optional(),
  close_dispute: z.strictObject({ id: z.string(), outcome: z.enum(['won', 'lost']) }).optional(),
});

/** For tests: hold, double or repeat the webhooks, see every event with its delivery, end what a bank decides. */
export async function serveControl(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://sandbox');
  switch (`${request.method} ${pathname}`) {
    case 'GET /__sandbox/events':
      return sendJson(response, 200, { events: emulator.records.all('event').reverse() });
    case 'POST /__sandbox/control':
      return control(emulator, request, response);
    default:
      return sendJson(response, 404, { error: 'not found' });
  }
}

async function control(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { webhooks } = emulator;
  const command = controlSchema.safeParse(parseJson(await readBody(request))?.value);
  if (!command.success) return sendJson(response, 400, { error: z.prettifyError(command.error) });
  if (command.data.webhooks !== undefined) webhooks.setMode(command.data.webhooks);
  try {
    const { redeliver, fail_refund, close_dispute } = command.data;
    if (redeliver !== undefined) await webhooks.redeliver(redeliver);
    if (fail_refund !== undefined) await failRefund(emulator, fail_refund);
    if (close_dispute !== undefined) await closeDispute(emulator, close_dispute.id, close_dispute.outcome);
  } catch (error) {
    if (error instanceof StripeError) return sendJson(response, error.status, { error: error.message });
    throw error;
  }
  sendJson(response, 200, { webhooks: webhooks.mode });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { parseJson, readBody, sendJson } from '../loopback-server';
import type { Emulator } from './sessions';
import { StripeError } from './stripe-errors';

const controlSchema = z.strictObject({
  webhooks: z.enum(['on', 'hold', 'twice']).optional(),
  redeliver: z.string().optional(),
});

/** For tests: hold, double or repeat the webhooks, and see every event with its delivery. */
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
  { webhooks }: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const command = controlSchema.safeParse(parseJson(await readBody(request))?.value);
  if (!command.success) return sendJson(response, 400, { error: z.prettifyError(command.error) });
  if (command.data.webhooks !== undefined) webhooks.setMode(command.data.webhooks);
  try {
    if (command.data.redeliver !== undefined) await webhooks.redeliver(command.data.redeliver);
  } catch (error) {
    if (error instanceof StripeError) return sendJson(response, error.status, { error: error.message });
    throw error;
  }
  sendJson(response, 200, { webhooks: webhooks.mode });
}

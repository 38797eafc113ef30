import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { SECOND_MS } from '../../server/base/clock';
import { parseJson, readBody, sendJson } from '../loopback-server';
import { changeAccount } from './account';
import { accountSchema } from './account-state';
import type { Api } from './api';
import {
  bankPayoutSchema,
  changeConnectedAccount,
  connectAccountSchema,
  payOut,
  setBalance,
} from './connect';
import { moveDispute, openDispute } from './disputes';
import { doDueWork } from './due-work';
import type { Emulator } from './emulator';
import { DISPUTE_STATUSES } from './objects';
import { failRefund, finishRefund, leaveNextRefund } from './refunds';
import { StripeError } from './stripe-errors';
import { advanceTime, resetTime } from './time';

const controlSchema = z.strictObject({
  /** Deletes everything. */
  reset: z.literal(true).optional(),
  webhooks: z.enum(['on', 'hold', 'twice', 'drop']).optional(),
  /** Delivers what is pending, in this order. */
  deliver: z.enum(['oldest_first', 'newest_first']).optional(),
  redeliver: z.string().optional(),
  /** The next calls of the API whose path contains `path` fail. */
  fail_next: z
    .strictObject({
      status: z.literal([409, 429, 500, 503]).default(500),
      times: z.number().int().min(1).default(1),
      path: z.string().optional(),
    })
    .optional(),
  /** Advances the sandbox's clock. */
  advance_seconds: z.number().int().min(1).optional(),
  reset_clock: z.literal(true).optional(),
  /** Leaves the next refund to be decided, by the next two. */
  next_refund: z.enum(['pending', 'requires_action']).optional(),
  finish_refund: z.string().optional(),
  fail_refund: z.string().optional(),
  open_dispute: z.strictObject({ charge: z.string(), status: z.enum(DISPUTE_STATUSES) }).optional(),
  move_dispute: z
    .strictObject({
      id: z.string(),
      status: z.enum(DISPUTE_STATUSES),
      due_in_days: z.number().int().optional(),
    })
    .optional(),
  /** The account's state; what is missing here is as it should be. */
  account: accountSchema.optional(),
  /** Decides about a connected account. */
  connect_account: connectAccountSchema.optional(),
  /** Pays the balance of a connected account out to its bank. */
  bank_payout: bankPayoutSchema.optional(),
  /** What the platform has available for transfers, in cents. */
  balance: z.number().int().optional(),
  /** Refuses more calls than this in any second with 429. */
  rate_limit: z.number().int().min(1).nullable().optional(),
});
type Command = z.output<typeof controlSchema>;

/** Lets tests play networks, banks and time. */
export async function serveControl(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // No web page may control the sandbox, of any origin.
  if (request.headers.origin !== undefined)
    return sendJson(response, 403, { error: 'Web pages cannot control the sandbox.' });
  const { pathname } = new URL(request.url ?? '/', 'http://sandbox');
  switch (`${request.method} ${pathname}`) {
    case 'GET /__sandbox/events':
      return sendJson(response, 200, { events: api.emulator.records.all('event').reverse() });
    case 'POST /__sandbox/control':
      return control(api, request, response);
    default:
      return sendJson(response, 404, { error: 'not found' });
  }
}

async function control(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const command = controlSchema.safeParse(parseJson(await readBody(request))?.value);
  if (!command.success) return sendJson(response, 400, { error: z.prettifyError(command.error) });
  try {
    await execute(api, command.data);
  } catch (error) {
    if (error instanceof StripeError) return sendJson(response, error.status, { error: error.message });
    throw error;
  }
  sendJson(response, 200, { webhooks: api.emulator.webhooks.mode });
}

async function execute({ emulator, failures }: Api, command: Command): Promise<void> {
  const { records, webhooks } = emulator;
  if (command.reset) {
    resetTime();
    failures.clear();
    leaveNextRefund(null);
    webhooks.setMode('on');
    await records.clear();
  }
  if (command.webhooks !== undefined) webhooks.setMode(command.webhooks);
  if (command.fail_next !== undefined) failures.order(command.fail_next);
  if (command.rate_limit !== undefined) failures.limitRate(command.rate_limit);
  if (command.reset_clock) resetTime();
  if (command.advance_seconds !== undefined) {
    advanceTime(command.advance_seconds * SECOND_MS);
    await doDueWork(emulator);
  }
  if (command.next_refund !== undefined) leaveNextRefund(command.next_refund);
  if (command.finish_refund !== undefined) await finishRefund(emulator, command.finish_refund);
  if (command.fail_refund !== undefined) await failRefund(emulator, command.fail_refund);
  if (command.open_dispute !== undefined) {
    const { charge, status } = command.open_dispute;
    await openDispute(emulator, records.require('charge', charge), status);
  }
  if (command.move_dispute !== undefined) {
    const { id, status, due_in_days } = command.move_dispute;
    await moveDispute(emulator, id, status, due_in_days);
  }
  if (command.account !== undefined) await changeAccount(records, command.account);
  await controlPayouts(emulator, command);
  if (command.redeliver !== undefined) await webhooks.redeliver(command.redeliver);
  if (command.deliver !== undefined) await webhooks.deliver(command.deliver);
}

async function controlPayouts(
  emulator: Emulator,
  { connect_account, bank_payout, balance }: Command,
): Promise<void> {
  if (connect_account !== undefined) await changeConnectedAccount(emulator, connect_account);
  if (balance !== undefined) await setBalance(emulator.records, balance);
  if (bank_payout !== undefined) await payOut(emulator, bank_payout);
}

import { z } from 'zod';
import { randomBase62 } from '../../server/base/ids';
import { AUTHENTICATION_FAILED, findOutcome } from './cards';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { newStripeId, type SetupIntent } from './objects';
import { describeRefusal } from './payment-intents';
import { oneOf, readParameters, url } from './read-parameters';
import { requireCard } from './saved-cards';

const setupSchema = z.strictObject({
  allowed_payment_method_types: z.tuple([z.literal('card')]),
  confirm: z.literal('true', { error: 'the sandbox supports true only' }),
  customer: z.string(),
  payment_method: z.string(),
  return_url: url,
  usage: oneOf('off_session'),
});

/** Prepares a saved card for payments without the buyer. No money moves, so the bank never declines it. */
export async function createSetupIntent(emulator: Emulator, form: Form): Promise<SetupIntent> {
  const { records, baseUrl } = emulator;
  const { customer, payment_method, return_url } = readParameters(setupSchema, form);
  records.require('customer', customer, 'customer');
  const { details } = requireCard(records, customer, payment_method);
  const open = buildSetupIntent({ customer, payment_method });
  if (findOutcome(details.number).kind !== 'challenge') return setUp(emulator, open);
  const redirect = { return_url, url: `${baseUrl()}/bank/${open.client_secret ?? ''}` };
  const intent: SetupIntent = {
    ...open,
    next_action: { type: 'redirect_to_url', redirect_to_url: redirect },
    status: 'requires_action',
  };
  await records.save('setup_intent', intent.id, intent);
  return intent;
}

export function buildSetupIntent(given: Pick<SetupIntent, 'customer' | 'payment_method'>): SetupIntent {
  const id = newStripeId('seti');
  return {
    id,
    object: 'setup_intent',
    client_secret: `${id}_secret_${randomBase62(25)}`,
    last_setup_error: null,
    next_action: null,
    status: 'requires_confirmation',
    ...given,
  };
}

async function setUp({ records }: Emulator, open: SetupIntent): Promise<SetupIntent> {
  const intent: SetupIntent = { ...open, next_action: null, status: 'succeeded' };
  await records.save('setup_intent', intent.id, intent);
  const record = records.require('payment_method', intent.payment_method ?? '');
  await records.save('payment_method', record.method.id, { ...record, isSetUp: true });
  return intent;
}

export async function answerBankForSetup(
  emulator: Emulator,
  open: SetupIntent,
  passes: boolean,
): Promise<SetupIntent> {
  if (passes) return setUp(emulator, open);
  const intent: SetupIntent = {
    ...open,
    last_setup_error: describeRefusal(AUTHENTICATION_FAILED),
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
  };
  await emulator.records.save('setup_intent', intent.id, intent);
  return intent;
}

import type { PaymentProcessor } from '../payment-processor';
import { stripe } from './client';
import { readEvent } from './events';
import { readReversals, refund } from './reversals';
import { createSession, expireSession, readSession } from './sessions';

export const stripeProcessor: PaymentProcessor = {
  createCustomer,
  createSession,
  readSession,
  expireSession,
  refund,
  readReversals,
  readEvent,
};

async function createCustomer({
  email,
  creationKey,
}: {
  email: string;
  creationKey: string;
}): Promise<{ processorCustomerId: string }> {
  const { id } = await stripe().customers.create({ email }, { idempotencyKey: creationKey });
  return { processorCustomerId: id };
}

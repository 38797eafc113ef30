import type { PaymentProcessor } from '../payment-processor';
import { stripe } from './client';
import { readEvent } from './events';
import { listReversals, readReversals, refund } from './reversals';
import { createSession, expireSession, listPaidSessions, readSession } from './sessions';

export const stripeProcessor: PaymentProcessor = {
  createCustomer,
  createSession,
  readSession,
  listPaidSessions,
  expireSession,
  refund,
  readReversals,
  listReversals,
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

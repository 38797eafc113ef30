import type { PaymentProcessor, ProcessorPayment } from '../payment-processor';
import {
  cancelCardPayment,
  chargeCard,
  confirmCardPayment,
  listPaidCharges,
  readCardPayment,
} from './card-payments';
import {
  authorizeCard,
  createCardSetup,
  deleteCustomer,
  listCards,
  readAuthorization,
  readCardSetup,
  removeCard,
} from './cards';
import { stripe } from './client';
import { disableDomain, registerDomain } from './domains';
import { readEvent } from './events';
import { listReversals, readReversals, refund } from './reversals';
import { createSession, expireSession, listPaidSessions, readInvoiceUrl, readSession } from './sessions';

export const stripeProcessor: PaymentProcessor = {
  createCustomer,
  createSession,
  readSession,
  readInvoiceUrl,
  listPaidPayments,
  expireSession,
  listCards,
  removeCard,
  createCardSetup,
  readCardSetup,
  authorizeCard,
  readAuthorization,
  chargeCard,
  confirmCardPayment,
  readCardPayment,
  cancelCardPayment,
  deleteCustomer,
  refund,
  readReversals,
  listReversals,
  registerDomain,
  disableDomain,
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

async function* listPaidPayments({ from, to }: { from: Date; to: Date }): AsyncGenerator<ProcessorPayment> {
  const [gte, lt] = [from, to].map((time) => Math.floor(time.getTime() / 1000)) as [number, number];
  yield* listPaidSessions({ gte, lt });
  yield* listPaidCharges({ gte, lt });
}

import { nowDate } from '../../base/clock';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { ApiError } from '../../base/errors';
import { log } from '../../base/log';
import { OUTSIDE_ANY_APP } from '../../ledger';
import { openAlert } from './alerts';
import { fulfil } from './fulfil';
import type { Payment } from './payment';
import type { ProcessorPayment, ProcessorReference } from './payment-processor';
import { readReported } from './reported-payment';

/**
 * Payments that arrived although their checkout session is unknown here, as after a restore from a backup, or
 * had already ended. They open an alert, and an operator can credit them.
 */

/** Opens an alert if the processor's payment is paid and one of ours. */
export async function noteUncreditedPayment(reference: ProcessorReference): Promise<void> {
  const reported = await readReported(reference);
  if (reported?.state !== 'paid' || reported.checkoutSessionId === null) return;
  const { checkoutSessionId, amountMinor, currency } = reported;
  const payment = await prisma().checkoutSession.findUnique({ where: { id: checkoutSessionId } });
  if (payment?.status === 'completed') return;
  log().error(
    { checkout_session_id: checkoutSessionId, amount_minor: amountMinor, currency },
    'a payment was not credited',
  );
  await openAlert({
    id: checkoutSessionId,
    kind: 'uncredited_payment',
    sessionId: checkoutSessionId,
    reference,
    amountMinor,
    currency,
    detail:
      payment === null ? 'the checkout session is unknown' : `the checkout session is ${payment.status}`,
  });
}

/**
 * Credits such a payment: restores or reopens its checkout session, and lets `fulfil` do the rest with all of its
 * checks. `record` runs in the transaction that reopens it.
 */
export async function creditPayment(
  reference: ProcessorReference,
  record: (tx: Tx, payment: Payment) => Promise<void>,
): Promise<Payment> {
  const reported = await readReported(reference);
  if (reported?.state !== 'paid' || reported.checkoutSessionId === null)
    throw new ApiError('invalid_request', 'The payment processor does not report this payment as paid.');
  const id = reported.checkoutSessionId;
  await inTransaction(async (tx) => record(tx, await reopen(tx, id, reported)));
  const payment = await fulfil(id);
  if (payment?.status !== 'completed')
    throw new ApiError(
      'invalid_request',
      'The payment does not match its checkout session. Refund it instead.',
    );
  await prisma().paymentAlert.updateMany({ where: { id, closedAt: null }, data: { closedAt: nowDate() } });
  return payment;
}

async function reopen(tx: Tx, id: string, reported: ProcessorPayment): Promise<Payment> {
  const known = await tx.checkoutSession.findUnique({ where: { id } });
  if (known === null) return restore(tx, id, reported);
  const { reference, method } = reported;
  const { count } = await tx.checkoutSession.updateMany({
    where: {
      id,
      status: { not: 'completed' },
      OR: [{ processorSessionId: null, processorPaymentId: null }, reference],
    },
    data: { status: 'open', failure: null, method, ...reference },
  });
  if (count === 0) throw new ApiError('invalid_request', 'This payment has already been credited.');
  return known;
}

/** The checkout session as it was, from what was stored with the payment. */
async function restore(tx: Tx, id: string, reported: ProcessorPayment): Promise<Payment> {
  const { quote, currency, amountMinor, createdAt, reference, method } = reported;
  const userId = await findBuyer(tx, reported);
  if (userId === null || quote === null || currency === null || amountMinor === null) {
    throw new ApiError(
      'invalid_request',
      'The buyer of this payment does not exist here. Refund it at the payment processor.',
    );
  }
  return tx.checkoutSession.create({
    data: {
      id,
      userId,
      partnerId: quote.partnerId ?? OUTSIDE_ANY_APP,
      currency,
      amountMinor,
      rate: quote.rate,
      credits: quote.credits,
      method,
      ...reference,
      createdAt,
      expiresAt: createdAt,
    },
  });
}

/** The user that the app knows under the stored id, or outside any app, the processor's customer. */
async function findBuyer(tx: Tx, { quote, processorCustomerId }: ProcessorPayment): Promise<string | null> {
  if (quote?.appUserId) {
    const { appUserId, partnerId } = quote;
    const appUser = await tx.userApp.findUnique({ where: { appUserId } });
    return appUser?.partnerId === partnerId ? appUser.userId : null;
  }
  if (processorCustomerId === null) return null;
  return (await tx.paymentCustomer.findFirst({ where: { processorCustomerId } }))?.userId ?? null;
}

import type { Language } from '../../../texts/languages';
import { inTransaction, prisma } from '../../base/db';
import { idFrom } from '../../base/ids';
import { describeError, log } from '../../base/log';
import { OUTSIDE_ANY_APP, openWallet } from '../../ledger';
import { explainNotStarted } from './account-not-ready';
import type { Currency } from './amounts';
import { findCustomer } from './customers';
import type { PaymentFailure } from './failure';
import { finish, isFinished, OPEN, type Payment } from './payment';
import { countPaymentAttempt } from './payment-limit';
import { withQuery } from './payment-pages';
import type { CardBuyer, CardCharge, CardMethod } from './payment-processor';
import { refreshPayment } from './payment-status';
import { describeOrder, quotePayment } from './quote-payment';
import { closeEarlierPayments } from './start';
import { stripeProcessor } from './stripe/processor';

export type CardPaymentRequest = {
  userId: string;
  partnerId: string;
  visitId?: string;
  /** Identifies this purchase: one for each button shown, or for each auto top-up. Repetitions charge once. */
  idempotencyKey: string;
  /** As sent by the caller; validated here. */
  amount: unknown;
  currency: Currency;
  cardId: string;
  language: Language;
  method: CardMethod;
  /** The return URL receives the `session_id`. */
  buyer: CardBuyer;
};

export type CardPayment = { payment: Payment; charge: CardCharge };

/**
 * Buys credits with a saved card of the user. Our row is written first, then the processor's payment is created
 * and its id stored, and only then money moves. So wherever this stops, the sweep finds what was paid, and
 * a request can be repeated.
 */
export async function payWithSavedCard(request: CardPaymentRequest): Promise<CardPayment> {
  if (request.buyer.kind === 'present') await countPaymentAttempt(request.userId);
  const payment = await openPayment(request);
  if (isFinished(payment)) return { payment, charge: describeEnd(payment) };
  if (request.visitId !== undefined) await closeEarlierPayments(request.visitId, payment.id);
  const charge = await chargeOrExplain(payment, request);
  if (charge.kind === 'unknown_card') await finish(prisma(), payment, 'failed', { failure: charge.kind });
  if (charge.kind === 'declined' && charge.paymentId === null)
    await finish(prisma(), payment, 'failed', { failure: charge.failure });
  return { payment: await refreshPayment(payment), charge };
}

/** The checkout session of a purchase. */
export function cardPaymentId({
  userId,
  idempotencyKey,
}: Pick<CardPaymentRequest, 'userId' | 'idempotencyKey'>): string {
  return idFrom('cks', `${userId}\n${idempotencyKey}`);
}

async function openPayment(request: CardPaymentRequest): Promise<Payment> {
  const id = cardPaymentId(request);
  const known = await prisma().checkoutSession.findUnique({ where: { id } });
  if (known !== null) return known;
  if (request.partnerId === OUTSIDE_ANY_APP) await inTransaction((tx) => openWallet(tx, request.userId));
  const row = { ...(await quotePayment(request)), id, method: request.method };
  await prisma().checkoutSession.createMany({ data: row, skipDuplicates: true });
  return prisma().checkoutSession.findUniqueOrThrow({ where: { id } });
}

function describeEnd({ status, failure, processorPaymentId: paymentId }: Payment): CardCharge {
  if (status === 'completed' && paymentId !== null) return { kind: 'paid', paymentId };
  if (failure === 'unknown_card') return { kind: failure };
  return { kind: 'declined', paymentId, failure: (failure as PaymentFailure | null) ?? 'declined' };
}

/** If the processor stops responding once money may have moved, the payment stays open for the sweep. */
async function chargeOrExplain(payment: Payment, request: CardPaymentRequest): Promise<CardCharge> {
  try {
    return await charge(payment, request);
  } catch (cause) {
    const { processorPaymentId: paymentId } = await prisma().checkoutSession.findUniqueOrThrow({
      where: { id: payment.id },
    });
    if (paymentId === null) throw await explainNotStarted(payment.id, cause);
    log().warn({ checkout_session_id: payment.id, error: describeError(cause) }, 'a charge got no response');
    return { kind: 'processing', paymentId };
  }
}

async function charge(
  payment: Payment,
  { cardId, method, buyer: given }: CardPaymentRequest,
): Promise<CardCharge> {
  const { id, userId, processorPaymentId: paymentId } = payment;
  const buyer = withSession(given, id);
  if (paymentId !== null) return stripeProcessor.confirmCardPayment({ paymentId, buyer });
  const processorCustomerId = await findCustomer(userId);
  if (processorCustomerId === null) return { kind: 'unknown_card' };
  const order = { ...(await describeOrder(payment)), processorCustomerId, cardId, method, buyer };
  return stripeProcessor.chargeCard(order, (created) => keepPayment(id, created));
}

function withSession(buyer: CardBuyer, checkoutSessionId: string): CardBuyer {
  if (buyer.kind === 'absent') return buyer;
  return { ...buyer, returnUrl: withQuery(buyer.returnUrl, { session_id: checkoutSessionId }) };
}

/** False if the session has ended, so that nothing may be charged. */
async function keepPayment(id: string, processorPaymentId: string): Promise<boolean> {
  const { count } = await prisma().checkoutSession.updateMany({
    where: { id, status: OPEN, OR: [{ processorPaymentId: null }, { processorPaymentId }] },
    data: { processorPaymentId },
  });
  return count === 1;
}

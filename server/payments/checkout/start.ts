import type { Language } from '../../../texts/languages';
import type { Microcredits } from '../../base/credits';
import { prisma } from '../../base/db';
import { invariant } from '../../base/errors';
import { newId } from '../../base/ids';
import { needsTaxIdInForm } from '../invoices/issue';
import { explainNotStarted } from './account-not-ready';
import type { Currency } from './amounts';
import { forgetCustomer, openCustomer } from './customers';
import { closePayment } from './end-payment';
import type { PaymentFailure } from './failure';
import { OPEN, type Payment } from './payment';
import type {
  OrderCustomer,
  PaymentForm,
  PaymentOrder,
  PaymentPage,
  StartedSession,
} from './payment-processor';
import { describeOrder, quotePayment } from './quote-payment';
import { createWithBonus } from './reserve-bonus';
import { stripeProcessor } from './stripe/processor';

export const CHECKOUT_MODES = ['embedded', 'new_tab', 'manual'] as const;
export type CheckoutMode = (typeof CHECKOUT_MODES)[number];

export type PaymentCustomer = Omit<OrderCustomer, 'processorCustomerId'> | null;

type PaymentRequest = {
  userId: string;
  partnerId: string;
  /** As sent by the caller; validated here. */
  amount: unknown;
  currency: Currency;
  checkoutMode: CheckoutMode;
  visitId?: string;
  keyId?: string;
  returnUrl?: string | undefined;
  /** The language of the pages the buyer sees; null when unknown. */
  language: Language | null;
  /** Set when the user is present: the form then recognises them. */
  customer: PaymentCustomer;
  isFromDeviceApp: boolean;
  /** As typed. */
  promotionCode?: string | undefined;
  /** Where the form appears, given the id of the new checkout session. */
  page: (checkoutSessionId: string) => PaymentPage;
};

/** `bonus` is what its promotion code adds to the credits bought. */
export type StartedPayment = { payment: Payment; bonus: Microcredits; form: PaymentForm };

/**
 * Starts one payment. Our row is written first, so that later processor events find it. It fixes
 * the price and the exchange rate.
 */
export async function startPayment(request: PaymentRequest): Promise<StartedPayment> {
  const { payment, bonus } = await createPayment(request);
  const { processorSessionId, form } = await openProcessorSession(payment, bonus, request);
  const started = await prisma().checkoutSession.update({
    where: { id: payment.id },
    data: { processorSessionId },
  });
  return { payment: started, bonus, form };
}

async function createPayment(request: PaymentRequest): Promise<{ payment: Payment; bonus: Microcredits }> {
  return createWithBonus(
    {
      ...(await quotePayment(request)),
      id: newId('cks'),
      keyId: request.keyId ?? null,
      checkoutMode: request.checkoutMode,
      returnUrl: request.returnUrl ?? null,
    },
    request.promotionCode,
  );
}

async function openProcessorSession(
  payment: Payment,
  bonus: Microcredits,
  request: PaymentRequest,
): Promise<StartedSession> {
  const order: PaymentOrder = {
    ...(await describeOrder(payment, bonus)),
    expiresAt: payment.expiresAt,
    language: request.language,
    customer: null,
    isFromDeviceApp: request.isFromDeviceApp,
    asksForTaxId: await needsTaxIdInForm(payment.userId),
    page: request.page(payment.id),
  };
  try {
    return await createForCustomer(order, request);
  } catch (cause) {
    const failure: PaymentFailure = 'not_started';
    await prisma().checkoutSession.updateMany({
      where: { id: payment.id, status: OPEN },
      data: { status: 'failed', failure },
    });
    throw await explainNotStarted(payment.id, cause);
  }
}

/** A customer that the processor no longer knows does not block a payment. */
async function createForCustomer(
  order: PaymentOrder,
  { userId, customer }: PaymentRequest,
): Promise<StartedSession> {
  if (customer !== null) {
    const processorCustomerId = await openCustomer(userId);
    const started = await stripeProcessor.createSession({
      ...order,
      customer: { ...customer, processorCustomerId },
    });
    if (started !== 'unknown_customer') return started;
    await forgetCustomer(userId, processorCustomerId);
  }
  const started = await stripeProcessor.createSession(order);
  invariant(started !== 'unknown_customer', 'an order without a customer cannot have an unknown one');
  return started;
}

/** Closes earlier payment forms of the visit, so that a purchase cannot be paid twice in two windows. */
export async function closeEarlierPayments(visitId: string, keep: string): Promise<void> {
  const earlier = await prisma().checkoutSession.findMany({
    where: { visitId, status: OPEN, id: { not: keep } },
  });
  await Promise.all(earlier.map(closePayment));
}

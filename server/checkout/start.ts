import { MINUTE_MS, now, nowDate } from '../clock';
import { creditsToJson } from '../credits';
import { prisma } from '../db';
import { settings } from '../env';
import { ApiError, invariant } from '../errors';
import { newId } from '../ids';
import { OUTSIDE_ANY_APP } from '../ledger';
import { describeError, log } from '../log';
import { type Currency, creditsFor, toMinorUnits } from './amounts';
import { forgetCustomer, openCustomer } from './customers';
import { requireUsdRate } from './exchange-rates';
import type { PaymentFailure } from './failure';
import { OPEN, type Payment } from './payment';
import type { PaymentForm, PaymentOrder, PaymentPage, StartedSession } from './payment-processor';
import { stripeProcessor } from './stripe/processor';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

export const CHECKOUT_MODES = ['embedded', 'new_tab', 'manual'] as const;
export type CheckoutMode = (typeof CHECKOUT_MODES)[number];

/** The processor requires at least 30 minutes; the extra minute allows for a slow call. */
const PAYMENT_LIFETIME_MS = 31 * MINUTE_MS;

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
  /** Set when the user is present: the form then recognises them and may save a card. */
  customer: { canSaveCard: boolean } | null;
  isFromDeviceApp: boolean;
  /** Where the form appears, given the id of the new checkout session. */
  page: (checkoutSessionId: string) => PaymentPage;
};

export type StartedPayment = { payment: Payment; form: PaymentForm };

/**
 * Starts one payment. Our row is written first, so that later processor events find it. It fixes
 * the price and the exchange rate.
 */
export async function startPayment(request: PaymentRequest): Promise<StartedPayment> {
  const payment = await createPayment(request);
  const { processorSessionId, form } = await openProcessorSession(payment, request);
  const started = await prisma().checkoutSession.update({
    where: { id: payment.id },
    data: { processorSessionId },
  });
  return { payment: started, form };
}

async function createPayment(request: PaymentRequest): Promise<Payment> {
  const { MINIMUM_PURCHASE: minimum, MAXIMUM_PURCHASE: maximum } = settings();
  const amountMinor = toMinorUnits(request.amount, { minimum, maximum });
  const rate = await requireUsdRate(request.currency);
  return prisma().checkoutSession.create({
    data: {
      id: newId('cks'),
      userId: request.userId,
      partnerId: request.partnerId,
      visitId: request.visitId ?? null,
      keyId: request.keyId ?? null,
      currency: request.currency,
      amountMinor,
      rate,
      credits: creditsFor(amountMinor, rate),
      checkoutMode: request.checkoutMode,
      ...(request.language !== null && { language: request.language }),
      returnUrl: request.returnUrl ?? null,
      createdAt: nowDate(),
      expiresAt: new Date(now() + PAYMENT_LIFETIME_MS),
    },
  });
}

async function openProcessorSession(payment: Payment, request: PaymentRequest): Promise<StartedSession> {
  const appUser = await prisma().userApp.findUnique({
    where: { userId_partnerId: { userId: payment.userId, partnerId: payment.partnerId } },
    select: { appUserId: true },
  });
  const order: PaymentOrder = {
    checkoutSessionId: payment.id,
    currency: payment.currency as Currency,
    amountMinor: payment.amountMinor,
    description: describeGoods(payment),
    expiresAt: payment.expiresAt,
    language: request.language,
    customer: null,
    quote: {
      partnerId: payment.partnerId === OUTSIDE_ANY_APP ? null : payment.partnerId,
      appUserId: appUser?.appUserId ?? null,
      rate: payment.rate.toString(),
      credits: payment.credits,
    },
    isFromDeviceApp: request.isFromDeviceApp,
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
    throw new ApiError('upstream_error', 'The payment could not be started. Please try again.', { cause });
  }
}

/** The name shown in the form and on the card statement, in the buyer's language. */
function describeGoods({ credits, language }: Payment): string {
  const count = new Intl.NumberFormat(language).format(creditsToJson(credits));
  return `${count} ${settings().BRAND_NAME} ${language === 'de' ? 'Credits' : 'credits'}`;
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
    where: { visitId, status: OPEN, id: { not: keep }, processorSessionId: { not: null } },
  });
  await Promise.all(earlier.map(closePayment));
}

async function closePayment({ id, processorSessionId }: Payment): Promise<void> {
  if (processorSessionId === null) return;
  try {
    await stripeProcessor.expireSession(processorSessionId);
  } catch (error) {
    // Either the payment has just been made, or the processor is unreachable. The sweep resolves it.
    log().info({ checkoutSessionId: id, error: describeError(error) }, 'could not close an earlier payment');
  }
}

import { MINUTE_MS, now, nowDate } from '../clock';
import { formatCredits } from '../credits';
import { prisma } from '../db';
import { settings } from '../env';
import { ApiError } from '../errors';
import { newId } from '../ids';
import { describeError, log } from '../log';
import { type Currency, creditsFor, toMinorUnits } from './amounts';
import { requireUsdRate } from './exchange-rates';
import { OPEN, type Payment } from './payment';
import type { PaymentForm, PaymentPage } from './payment-processor';
import { stripeProcessor } from './stripe-processor';

export const CHECKOUT_MODES = ['embedded', 'new_tab', 'manual'] as const;
export type CheckoutMode = (typeof CHECKOUT_MODES)[number];

/** The processor wants 30 minutes at least; one more makes up for a slow call. */
const PAYMENT_LIFETIME_MS = 31 * MINUTE_MS;

type PaymentRequest = {
  userId: string;
  partnerId: string;
  /** As the caller sent it: checked here. */
  amount: unknown;
  currency: Currency;
  checkoutMode: CheckoutMode;
  visitId?: string;
  keyId?: string;
  returnUrl?: string | undefined;
  /** Where the form appears; told the id of the new checkout session. */
  page: (checkoutSessionId: string) => PaymentPage;
};

export type StartedPayment = { payment: Payment; form: PaymentForm };

/**
 * Starts one payment. Our row comes first, so that whatever the processor tells later finds it;
 * price and rate are fixed in it.
 */
export async function startPayment(request: PaymentRequest): Promise<StartedPayment> {
  const payment = await createPayment(request);
  const { processorSessionId, form } = await openProcessorSession(payment, request.page(payment.id));
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
      returnUrl: request.returnUrl ?? null,
      createdAt: nowDate(),
      expiresAt: new Date(now() + PAYMENT_LIFETIME_MS),
    },
  });
}

async function openProcessorSession(
  payment: Payment,
  page: PaymentPage,
): Promise<{ processorSessionId: string; form: PaymentForm }> {
  try {
    return await stripeProcessor.createSession({
      checkoutSessionId: payment.id,
      currency: payment.currency as Currency,
      amountMinor: payment.amountMinor,
      description: `${formatCredits(payment.credits)} ${settings().BRAND_NAME} credits`,
      expiresAt: payment.expiresAt,
      page,
    });
  } catch (cause) {
    await prisma().checkoutSession.updateMany({
      where: { id: payment.id, status: OPEN },
      data: { status: 'failed', failure: 'The payment could not be started.' },
    });
    throw new ApiError('upstream_error', 'The payment could not be started. Please try again.', { cause });
  }
}

/** Closes the visit's earlier payment forms, so that one purchase cannot be paid twice in two windows. */
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
    // Paid in this moment, or the processor is away: the sweeper finds out which.
    log().info({ checkoutSessionId: id, error: describeError(error) }, 'an earlier payment was not closed');
  }
}

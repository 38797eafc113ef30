import type { Currency } from './amounts';
import type { PaymentFailure } from './failure';

/** The functions that the checkout needs from a payment processor, independent of Stripe. */
export interface PaymentProcessor {
  /** Creates a customer for a user. The same key creates only one. */
  createCustomer(customer: { email: string; creationKey: string }): Promise<{ processorCustomerId: string }>;
  createSession(order: PaymentOrder): Promise<StartedSession | 'unknown_customer'>;
  /** Null when the processor has no such session. */
  readSession(processorSessionId: string): Promise<ProcessorPayment | null>;
  /** Expires a session so that it can no longer be paid. */
  expireSession(processorSessionId: string): Promise<void>;
  /** The paid sessions that began in a period, newest first. */
  listPaidSessions(period: { from: Date; to: Date }): AsyncIterable<ProcessorPayment>;
  /** Refunds money. The same key refunds only once. */
  refund(refund: { paymentId: string; amountMinor: number; key: string }): Promise<RefundOutcome>;
  /**
   * Reads the amounts reversed so far; null if the payment is not one of ours. Refunds and disputes are read if
   * the payment has any or `kinds` contains them, fraud warnings only if `kinds` contains them.
   */
  readReversals(paymentId: string, kinds: ReadonlySet<ReversalKind>): Promise<ProcessorReversals | null>;
  /** The reversals reported since a time, also those whose event never arrived. */
  listReversals(since: Date): AsyncIterable<Reversal>;
  /** Checks the signature and returns what to read again, or null for an irrelevant event. */
  readEvent(body: string, signature: string | null): ProcessorEvent | null;
}

export type ProcessorEvent =
  /** `paidSessionId` is the processor's session if the event says that it was completed or paid. */
  | { about: 'session'; checkoutSessionId: string; paidSessionId: string | null }
  | ({ about: 'reversal' } & Reversal);

/** Refunds, disputes and warnings refer to the processor's payment, not our session. */
export type Reversal = { paymentId: string; kind: ReversalKind };
export type ReversalKind = 'refund' | 'dispute' | 'warning';

/** `refundedMinor` is the total refunded of the payment; null when an earlier call made this refund. */
export type RefundOutcome = { ok: true; refundedMinor: number | null } | { ok: false; reason: string };

/** Current sums in minor units, without failed refunds and won disputes. */
export type ProcessorReversals = {
  checkoutSessionId: string;
  refundedMinor: number;
  disputedMinor: number;
  concerns: Concern[];
};

/** Something that an operator should review. */
export type Concern = {
  id: string;
  kind: 'dispute' | 'early_fraud_warning' | 'refund_failed';
  amountMinor: number | null;
  detail: string;
  dueAt: Date | null;
  isOpen: boolean;
  /** Open, and waiting for us and not for the bank. */
  needsResponse: boolean;
  /** The bank has taken the money. */
  takesMoney: boolean;
};

export type PaymentOrder = {
  checkoutSessionId: string;
  currency: Currency;
  amountMinor: number;
  description: string;
  expiresAt: Date;
  /** The language of the processor's form; null uses the browser's. */
  language: string | null;
  customer: OrderCustomer | null;
  /** Stored with the payment, so that it can be credited even if our database loses it. */
  quote: Quote;
  /** The buyer comes from a native app, not from a website. */
  isFromDeviceApp: boolean;
  page: PaymentPage;
};

/** What was sold to whom, in ids that mean nothing outside this installation. */
export type Quote = {
  /** Null outside any app. */
  partnerId: string | null;
  appUserId: string | null;
  /** USD per unit of the currency. */
  rate: string;
  credits: bigint;
};

/** Only for a signed-in user: the form shows their e-mail address. */
export type OrderCustomer = {
  processorCustomerId: string;
  /** Whether the form may offer to save the card and show saved ones. */
  canSaveCard: boolean;
};

/** Where the payment form is shown and where the processor returns the user afterwards. */
export type PaymentPage =
  | { kind: 'framed' }
  | { kind: 'first_party'; returnUrl: string }
  | { kind: 'hosted'; successUrl: string; cancelUrl: string };

export type StartedSession = { processorSessionId: string; form: PaymentForm };

/** How our page displays the form. */
export type PaymentForm =
  | { kind: 'sandbox'; embedUrl: string }
  | { kind: 'stripe'; clientSecret: string; publishableKey: string }
  | { kind: 'hosted'; url: string };

export type ProcessorPayment = {
  processorSessionId: string;
  /** Null when the session is not ours. */
  checkoutSessionId: string | null;
  createdAt: Date;
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  mode: string;
  currency: string | null;
  amountMinor: number | null;
  /** The tax included in the amount. */
  taxMinor: number;
  /** The reason why the last payment attempt failed. */
  failure: PaymentFailure | null;
  /** The payment behind the session, once the user has tried to pay. */
  paymentId: string | null;
  /** Whether part of it has already been refunded or disputed. */
  isReversed: boolean;
  refundedMinor: number;
  processorCustomerId: string | null;
  /** Null for a payment that began before quotes were stored. */
  quote: Quote | null;
};

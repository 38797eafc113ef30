import type { Currency } from './amounts';
import type { PaymentFailure } from './failure';

/** What the checkout needs of a payment processor, in our own words. */
export interface PaymentProcessor {
  /** Makes a user known to the processor; the same key makes one customer only. */
  createCustomer(customer: { email: string; creationKey: string }): Promise<{ processorCustomerId: string }>;
  createSession(order: PaymentOrder): Promise<StartedSession | 'unknown_customer'>;
  /** Null when the processor does not know the session. */
  readSession(processorSessionId: string): Promise<ProcessorPayment | null>;
  /** Closes a session that nobody shall pay any more. */
  expireSession(processorSessionId: string): Promise<void>;
  /** Gives money back; the same key gives it once. */
  refund(refund: { paymentId: string; amountMinor: number; key: string }): Promise<RefundOutcome>;
  /** What was taken back of a payment by now; null when it is not one of ours. */
  readReversals(paymentId: string): Promise<ProcessorReversals | null>;
  /** Checks the signature; what to look at again, or null for an event of no interest. */
  readEvent(body: string, signature: string | null): ProcessorEvent | null;
}

export type ProcessorEvent =
  | { about: 'session'; checkoutSessionId: string }
  /** Refunds, disputes and warnings name the processor's payment, not our session. */
  | { about: 'reversal'; paymentId: string };

export type RefundOutcome = { ok: true } | { ok: false; reason: string };

/** Sums in minor units, of what stands now: failed refunds and won disputes are left out. */
export type ProcessorReversals = {
  checkoutSessionId: string;
  refundedMinor: number;
  disputedMinor: number;
  concerns: Concern[];
};

/** What a person should know of. */
export type Concern = {
  id: string;
  kind: 'dispute' | 'early_fraud_warning' | 'refund_failed';
  amountMinor: number | null;
  detail: string;
  dueAt: Date | null;
  isOpen: boolean;
};

export type PaymentOrder = {
  checkoutSessionId: string;
  currency: Currency;
  amountMinor: number;
  description: string;
  expiresAt: Date;
  /** The language of the processor's form; null lets the browser decide. */
  language: string | null;
  customer: OrderCustomer | null;
  /** The buyer comes from an app on the device, not from a website. */
  isFromDeviceApp: boolean;
  page: PaymentPage;
};

/** Only for somebody who signed in: the form shows their address. */
export type OrderCustomer = {
  processorCustomerId: string;
  /** Whether the form may offer to keep the card, and those that were kept. */
  canSaveCard: boolean;
};

/** Where the payment form is shown, and where the processor sends the user afterwards. */
export type PaymentPage =
  | { kind: 'framed' }
  | { kind: 'first_party'; returnUrl: string }
  | { kind: 'hosted'; successUrl: string; cancelUrl: string };

export type StartedSession = { processorSessionId: string; form: PaymentForm };

/** How our page shows the form. */
export type PaymentForm =
  | { kind: 'sandbox'; embedUrl: string }
  | { kind: 'stripe'; clientSecret: string; publishableKey: string }
  | { kind: 'hosted'; url: string };

export type ProcessorPayment = {
  checkoutSessionId: string | null;
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  mode: string;
  currency: string | null;
  amountMinor: number | null;
  /** What of the amount is tax. */
  taxMinor: number;
  /** Why the last try to pay failed. */
  failure: PaymentFailure | null;
  /** The payment behind the session, once somebody tried to pay. */
  paymentId: string | null;
  /** Whether some of it was refunded or disputed already. */
  isReversed: boolean;
};

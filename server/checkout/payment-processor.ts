import type { Currency } from './amounts';

/** What the checkout needs of a payment processor, in our own words. */
export interface PaymentProcessor {
  createSession(order: PaymentOrder): Promise<{ processorSessionId: string; form: PaymentForm }>;
  /** Null when the processor does not know the session. */
  readSession(processorSessionId: string): Promise<ProcessorPayment | null>;
  /** Closes a session that nobody shall pay any more. */
  expireSession(processorSessionId: string): Promise<void>;
  /** What was taken back of a payment by now; null when it is not one of ours. */
  readReversals(paymentId: string): Promise<ProcessorReversals | null>;
  /** Checks the signature; what to look at again, or null for an event of no interest. */
  readEvent(body: string, signature: string | null): ProcessorEvent | null;
}

export type ProcessorEvent =
  | { about: 'session'; checkoutSessionId: string }
  /** Refunds and disputes name the processor's payment, not our session. */
  | { about: 'reversal'; paymentId: string };

/** Sums in minor units, of what stands now: failed refunds and won disputes are left out. */
export type ProcessorReversals = { checkoutSessionId: string; refundedMinor: number; disputedMinor: number };

export type PaymentOrder = {
  checkoutSessionId: string;
  currency: Currency;
  amountMinor: number;
  description: string;
  expiresAt: Date;
  page: PaymentPage;
};

/** Where the payment form is shown, and where the processor sends the user afterwards. */
export type PaymentPage =
  | { kind: 'framed' }
  | { kind: 'first_party'; returnUrl: string }
  | { kind: 'hosted'; successUrl: string; cancelUrl: string };

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
  /** Why it failed, in words for the buyer. */
  failure: string | null;
  /** The payment, when some of it was refunded or disputed already. */
  reversedPaymentId: string | null;
};

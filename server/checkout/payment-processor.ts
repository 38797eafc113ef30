import type { Currency } from './amounts';

/** What the checkout needs of a payment processor, in our own words. */
export interface PaymentProcessor {
  createSession(order: PaymentOrder): Promise<{ processorSessionId: string; form: PaymentForm }>;
  /** Null when the processor does not know the session. */
  readSession(processorSessionId: string): Promise<ProcessorPayment | null>;
  /** Closes a session that nobody shall pay any more. */
  expireSession(processorSessionId: string): Promise<void>;
  /** Checks the signature; the checkout session to look at again, or null for an event of no interest. */
  readEvent(body: string, signature: string | null): { checkoutSessionId: string } | null;
}

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
};

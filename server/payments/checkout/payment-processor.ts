import type { Language } from '../../../texts/languages';
import type { BuyerFromForm } from '../invoices/issue';
import type { Currency } from './amounts';
import type { PaymentFailure } from './failure';

/** The functions that the checkout needs from a payment processor, independent of Stripe. */
export interface PaymentProcessor {
  /** Creates a customer for a user. The same key creates only one. */
  createCustomer(customer: { email: string; creationKey: string }): Promise<{ processorCustomerId: string }>;
  createSession(order: PaymentOrder): Promise<StartedSession | 'unknown_customer'>;
  /** Null when the processor has no such session. */
  readSession(processorSessionId: string): Promise<ProcessorPayment | null>;
  /** Where the processor shows the invoice that it issued for a session; null if it issued none. */
  readInvoiceUrl(processorSessionId: string): Promise<string | null>;
  /** Expires a session so that it can no longer be paid. */
  expireSession(processorSessionId: string): Promise<void>;
  /** The paid sessions and the paid charges of saved cards that began in a period, newest first of each. */
  listPaidPayments(period: { from: Date; to: Date }): AsyncIterable<ProcessorPayment>;

  /** The customer's cards: the one used last, then the newest first. None when the customer is unknown. */
  listCards(processorCustomerId: string): Promise<SavedCard[]>;
  /** Removes a card, but only one of this customer. */
  removeCard(card: CustomerCard): Promise<'removed' | 'unknown_card'>;
  /** Opens a hosted page on which a card is added for payments while the buyer is absent. */
  createCardSetup(setup: CardSetupPage): Promise<{ setupId: string; url: string } | 'unknown_customer'>;
  readCardSetup(setupId: string): Promise<CardSetup | null>;
  /** Prepares a saved card for payments while the buyer is absent. The same key asks the bank once. */
  authorizeCard(
    card: CustomerCard & { returnUrl: string; key: string },
  ): Promise<CardAuthorization | { kind: 'unknown_card' }>;
  readAuthorization(authorizationId: string): Promise<ReadAuthorization | null>;
  /**
   * Charges a saved card. A repetition for the same checkout session charges once. The payment is created
   * first, then `keepPayment` stores its id, and only then money moves: if it returns false, none does.
   */
  chargeCard(order: CardOrder, keepPayment: (paymentId: string) => Promise<boolean>): Promise<CardCharge>;
  /** Confirms a payment that has not been charged yet, or that an absent buyer could not confirm. */
  confirmCardPayment(payment: { paymentId: string; buyer: CardBuyer }): Promise<CardCharge>;
  readCardPayment(paymentId: string): Promise<ProcessorPayment | null>;
  /** Ends a payment so that it can no longer be made. False if it was made, or is unknown. */
  cancelCardPayment(paymentId: string): Promise<boolean>;
  /** Deletes the customer and their cards. Deleting one that is unknown does nothing. */
  deleteCustomer(processorCustomerId: string): Promise<void>;

  /** Refunds money. The same key refunds only once. */
  refund(refund: { paymentId: string; amountMinor: number; key: string }): Promise<RefundOutcome>;
  /**
   * Reads the amounts reversed so far; null if the payment is not one of ours. Refunds and disputes are read if
   * the payment has any or `kinds` contains them, fraud warnings only if `kinds` contains them.
   */
  readReversals(paymentId: string, kinds: ReadonlySet<ReversalKind>): Promise<ProcessorReversals | null>;
  /** The reversals reported since a time, also those whose event never arrived. */
  listReversals(since: Date): AsyncIterable<Reversal>;
  /** Registers a domain that shows the form, and returns which payment methods are active there. */
  registerDomain(host: string): Promise<DomainState>;
  /** Disables a registered domain. */
  disableDomain(host: string): Promise<void>;
  /** Checks the signature and returns what to read again, or null for an irrelevant event. */
  readEvent(body: string, signature: string | null): Promise<ProcessorEvent | null>;
}

/** `reason` is the processor's, if one of them is inactive. */
export type DomainState = { applePay: boolean; googlePay: boolean; reason: string | null };

export type ProcessorEvent =
  /** `paid` is the processor's payment if the event says that it was completed or paid. */
  | { about: 'session'; checkoutSessionId: string; paid: ProcessorReference | null }
  | ({ about: 'reversal' } & Reversal);

/** Refunds, disputes and warnings refer to the processor's payment, not our session. */
export type Reversal = { paymentId: string; kind: ReversalKind };
export type ReversalKind = 'refund' | 'dispute' | 'warning';

/**
 * `refundedMinor` is the total refunded of the payment; null when an earlier call made this refund. A refund that
 * is pending counts, and can still fail.
 */
export type RefundOutcome =
  | { ok: true; refundedMinor: number | null; isPending: boolean }
  | { ok: false; reason: string };

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
  language: Language | null;
  customer: OrderCustomer | null;
  /** Stored with the payment, so that it can be credited even if our database loses it. */
  quote: Quote;
  /** The buyer comes from a native app, not from a website. */
  isFromDeviceApp: boolean;
  /** Whether the form asks businesses for their tax id. */
  asksForTaxId: boolean;
  page: PaymentPage;
};

export type SavedCard = {
  id: string;
  /** As the processor names it, such as `visa`. */
  brand: string;
  last4: string;
  expiryMonth: number;
  expiryYear: number;
};
export type CustomerCard = { processorCustomerId: string; cardId: string };

export type CardSetupPage = {
  processorCustomerId: string;
  successUrl: string;
  cancelUrl: string;
  /** The language of the page; null uses the browser's. */
  language: Language | null;
  /** The same key opens one page. */
  setupKey: string;
};
export type CardSetup = {
  processorCustomerId: string | null;
  state: 'open' | 'done' | 'expired';
  /** The card that was added, once it is done. */
  cardId: string | null;
};

export type CardAuthorization =
  | { kind: 'ready' }
  /** The bank wants the buyer to confirm, on its own page. */
  | { kind: 'needs_action'; url: string; authorizationId: string }
  | { kind: 'declined'; failure: PaymentFailure };
export type ReadAuthorization = {
  processorCustomerId: string | null;
  cardId: string | null;
  state: 'ready' | 'needs_action' | 'declined';
};

/** Whether the buyer can confirm the payment on a page of the bank, which then returns to ours. */
export type CardBuyer = { kind: 'present'; returnUrl: string } | { kind: 'absent' };
export type CardMethod = 'saved_card' | 'auto_top_up';
export type CardOrder = Pick<
  PaymentOrder,
  'checkoutSessionId' | 'currency' | 'amountMinor' | 'description' | 'quote'
> &
  CustomerCard & { method: CardMethod; buyer: CardBuyer };
export type CardCharge =
  | { kind: 'paid' | 'processing'; paymentId: string }
  /** The bank wants the buyer to confirm. The URL is its page; null while the buyer is absent. */
  | { kind: 'needs_action'; paymentId: string; url: string | null }
  /** Nothing was charged. Without a payment id, the bank was not asked. */
  | { kind: 'declined'; paymentId: string | null; failure: PaymentFailure }
  | { kind: 'unknown_card' };

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
  /** Whether the form may offer to save the card. */
  canSaveCard: boolean;
  /** Whether the form shows saved cards, which then pay any amount, and may remove them. */
  offersSavedCards: boolean;
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

/** Where the processor keeps a payment: a session with its form, or the charge of a saved card. */
export type ProcessorReference = { processorSessionId: string | null; processorPaymentId: string | null };

/** What the processor and its form say about the invoice of a payment. */
export type InvoiceFacts = {
  /** The tax rate in percent, if one applies to the whole amount. */
  taxPercent: string | null;
  /** The buyer owes the tax instead. */
  isReverseCharge: boolean;
  /** The processor issues the invoice. */
  isInvoiced: boolean;
  /** The business that the buyer named in the form. */
  buyer: BuyerFromForm | null;
};

export type CardAttempt = {
  chargeId: string;
  /** The same for the same card number in all payments; null if the processor does not identify the card. */
  cardFingerprint: string | null;
  isDeclined: boolean;
  at: Date;
};

export type ProcessorPayment = {
  reference: ProcessorReference;
  /** How it was paid, as our checkout session stores it. */
  method: 'form' | CardMethod;
  /** Null when the session is not ours. */
  checkoutSessionId: string | null;
  createdAt: Date;
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  mode: string;
  currency: string | null;
  amountMinor: number | null;
  /** The tax included in the amount. */
  taxMinor: number;
  /** Absent for a payment without a form. */
  forInvoice?: InvoiceFacts;
  /** The reason why the last payment attempt failed. */
  failure: PaymentFailure | null;
  /** The payment that refunds and disputes refer to, once the user has tried to pay. */
  paymentId: string | null;
  /** Whether part of it has already been refunded or disputed. */
  isReversed: boolean;
  refundedMinor: number;
  processorCustomerId: string | null;
  /** The latest charge of a card, if there was one. */
  attempt: CardAttempt | null;
  /** Null for a payment that began before quotes were stored. */
  quote: Quote | null;
};

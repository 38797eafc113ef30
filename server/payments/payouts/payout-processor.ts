/** The functions that payouts need from a payment processor, independent of Stripe. */
export interface PayoutProcessor {
  /** Creates an account that receives payouts. The same key creates only one. */
  createAccount(account: {
    teamId: string;
    creationKey: string;
    country: string;
    email: string;
  }): Promise<{ accountId: string }>;
  /** Opens the processor's page on which the payee enters what it needs. The URL works once, for some minutes. */
  openOnboarding(page: {
    accountId: string;
    returnUrl: string;
    refreshUrl: string;
  }): Promise<{ url: string }>;
  /** Opens the processor's page on which the payee sees their account. */
  openDashboard(accountId: string): Promise<{ url: string }>;
  /** Null when the processor has no such account, or we lost the access to it. */
  readAccount(accountId: string): Promise<ProcessorAccount | null>;

  /**
   * Sends the amount (USD cents) to the account. A repetition of the same attempt sends once, for a day; a further
   * attempt may begin once the last one got a response.
   */
  transfer(transfer: PayoutDestination & { amountMinor: number; attempt: number }): Promise<TransferOutcome>;
  /** The transfer of this payout, if the processor made it. */
  findTransfer(destination: PayoutDestination): Promise<string | null>;
  /** Takes a whole transfer back. A repetition reverses once. */
  reverseTransfer(transfer: { payoutId: string; transferId: string }): Promise<ReversalOutcome>;
  /** Null if the processor has no such transfer. */
  readTransfer(transferId: string): Promise<ProcessorTransfer | null>;
  /** The transfers that began in a period. */
  listTransfers(period: { from: Date; to: Date }): AsyncIterable<ProcessorTransfer>;
  /** The account's newest payout to a bank; null before the first. */
  readBankPayout(accountId: string): Promise<BankPayout | null>;

  /** What an event is about; null if it does not concern payouts. */
  readEvent(body: string, signature: string | null): PayoutEvent | null;
}

export type PayoutDestination = { payoutId: string; accountId: string };

export type AccountState = 'onboarding' | 'active' | 'restricted' | 'rejected' | 'closed';
export type ProcessorAccount = {
  state: AccountState;
  /** What the processor still needs, in its words: `individual.id_number`. */
  dueFields: string[];
  disabledReason: string | null;
  country: string;
};

export type TransferOutcome =
  | { kind: 'sent'; transferId: string }
  /** The operator's balance at the processor does not cover it yet. */
  | { kind: 'waiting_for_balance' }
  | { kind: 'refused'; failure: string };

export type ProcessorTransfer = {
  transferId: string;
  /** Null for a transfer that is no payout of ours. */
  payoutId: string | null;
  amountMinor: number;
  currency: string;
  accountId: string | null;
  /** What was taken back, in the same unit. */
  reversedMinor: number;
};

export type ReversalOutcome = { kind: 'reversed' } | { kind: 'refused'; failure: string };

export type BankPayout = {
  state: 'in_transit' | 'paid' | 'failed';
  failure: string | null;
  createdAt: Date;
};

export type PayoutEvent =
  | { about: 'account' | 'bank_payout'; accountId: string }
  | { about: 'transfer'; transferId: string }
  | { about: 'nothing' };

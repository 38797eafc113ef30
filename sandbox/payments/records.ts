import type { AccountState } from './account-state';
import type { CardDetails } from './card-form';
import type {
  AccountLink,
  BankPayout,
  Charge,
  ConnectedAccountRecord,
  Customer,
  DeletedCustomer,
  Dispute,
  FraudWarning,
  Intent,
  PaymentMethod,
  PaymentMethodDomain,
  PlatformBalance,
  Refund,
  SentEvent,
  Session,
  SetupIntent,
  TaxCalculation,
  Transfer,
} from './objects';
import { resourceMissing } from './stripe-errors';

export type SandboxStore = {
  load(): Promise<{ id: string; body: unknown }[]>;
  save(id: string, body: unknown): Promise<void>;
  clear(): Promise<void>;
};

/** A card typed in, to be saved or not, or one that is saved. */
export type CardToUse = CardDetails & { saving?: boolean; savedId?: string; isSetUp?: boolean };

export type SessionRecord = {
  session: Session;
  /** The name of what is sold. */
  product: string;
  /** How a card that a setup saves may be shown again. */
  allowRedisplay?: PaymentMethod['allow_redisplay'];
  /** The rate of the tax that was calculated, if any. */
  taxPercent?: number | 'reverse_charge';
  intentData: { [name: string]: unknown };
  /** The card whose 3-D Secure challenge is open in the payment page. */
  challengedCard: CardToUse | null;
  /** How the bank will decide a debit, and when. */
  pendingDebit?: { succeeds: boolean; decidesAt: number } | null;
};

/** What the bank knows about a saved card, and what Stripe tells of it. */
export type SavedCardRecord = {
  method: PaymentMethod;
  details: CardDetails;
  /** Whether the bank has agreed to payments without the buyer. */
  isSetUp: boolean;
};

type Delivery = {
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  nextAttemptAt: number;
  lastError: string | null;
};
export type EventRecord = { event: SentEvent; delivery: Delivery };
export type ReplyRecord = {
  fingerprint: string;
  status: number;
  body: unknown;
  requestId: string;
  storedAt: number;
};

type Kinds = {
  account: AccountState;
  session: SessionRecord;
  payment_intent: Intent;
  payment_method: SavedCardRecord;
  setup_intent: SetupIntent;
  tax_calculation: TaxCalculation;
  charge: Charge;
  refund: Refund;
  dispute: Dispute;
  customer: Customer;
  deleted_customer: DeletedCustomer;
  early_fraud_warning: FraudWarning;
  transfer: Transfer;
  platform_balance: PlatformBalance;
  connected_account: ConnectedAccountRecord;
  account_link: AccountLink;
  bank_payout: BankPayout;
  payment_method_domain: PaymentMethodDomain;
  event: EventRecord;
  reply: ReplyRecord;
};
type Kind = keyof Kinds;

type Stored = { kind: Kind; value: Kinds[Kind] };

/** The state of the sandbox: in memory, and written through to its store. Ids are unique over all kinds. */
export class Records {
  private readonly stored: Map<string, Stored>;
  private readonly store: SandboxStore;

  private constructor(store: SandboxStore, stored: Map<string, Stored>) {
    this.store = store;
    this.stored = stored;
  }

  static async load(store: SandboxStore): Promise<Records> {
    const rows = await store.load();
    return new Records(store, new Map(rows.map(({ id, body }) => [id, body as Stored])));
  }

  find<K extends Kind>(kind: K, id: string): Kinds[K] | null {
    const found = this.stored.get(id);
    return found?.kind === kind ? (found.value as Kinds[K]) : null;
  }

  require<K extends Kind>(kind: K, id: string, param?: string): Kinds[K] {
    const found = this.find(kind, id);
    if (found === null) throw resourceMissing(kind === 'session' ? 'checkout.session' : kind, id, param);
    return found;
  }

  /** Oldest first. */
  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.stored.values()].filter((one) => one.kind === kind).map(({ value }) => value as Kinds[K]);
  }

  /** Memory changes at once, so two requests never decide on the same old state. */
  async save<K extends Kind>(kind: K, id: string, value: Kinds[K]): Promise<void> {
    const stored: Stored = { kind, value };
    this.stored.set(id, stored);
    await this.store.save(id, stored);
  }

  async clear(): Promise<void> {
    this.stored.clear();
    await this.store.clear();
  }
}

import type { CardDetails } from './card-form';
import type { Customer } from './customers';
import type { Dispute } from './disputes';
import type { FraudWarning } from './fraud-warnings';
import type { Charge, Intent, Session } from './objects';
import type { PaymentMethodDomain } from './payment-method-domains';
import type { Refund } from './refunds';
import { resourceMissing } from './stripe-errors';
import type { Transfer } from './transfers';
import type { SentEvent } from './webhook-sender';

export type SandboxStore = {
  load(): Promise<{ id: string; body: unknown }[]>;
  save(id: string, body: unknown): Promise<void>;
  clear(): Promise<void>;
};

export type SessionRecord = {
  session: Session;
  /** The name of what is sold. */
  product: string;
  intentData: { [name: string]: unknown };
  /** The card whose 3-D Secure challenge is open in the payment page. */
  challengedCard: CardDetails | null;
  /** How the bank will decide a debit, and when. */
  pendingDebit?: { succeeds: boolean; decidesAt: number } | null;
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
  session: SessionRecord;
  payment_intent: Intent;
  charge: Charge;
  refund: Refund;
  dispute: Dispute;
  customer: Customer;
  early_fraud_warning: FraudWarning;
  transfer: Transfer;
  payment_method_domain: PaymentMethodDomain;
  event: EventRecord;
  reply: ReplyRecord;
};
type Kind = keyof Kinds;

/** The state of the sandbox: in memory, and written through to its store. */
export class Records {
  private readonly kept: { [K in Kind]: Map<string, Kinds[K]> } = {
    session: new Map(),
    payment_intent: new Map(),
    charge: new Map(),
    refund: new Map(),
    dispute: new Map(),
    customer: new Map(),
    early_fraud_warning: new Map(),
    transfer: new Map(),
    payment_method_domain: new Map(),
    event: new Map(),
    reply: new Map(),
  };
  private readonly store: SandboxStore;

  private constructor(store: SandboxStore) {
    this.store = store;
  }

  static async load(store: SandboxStore): Promise<Records> {
    const records = new Records(store);
    for (const { id, body } of await store.load()) {
      const { kind, value } = body as { kind: Kind; value: Kinds[Kind] };
      (records.kept[kind] as Map<string, Kinds[Kind]> | undefined)?.set(id, value);
    }
    return records;
  }

  find<K extends Kind>(kind: K, id: string): Kinds[K] | null {
    return this.kept[kind].get(id) ?? null;
  }

  require<K extends Kind>(kind: K, id: string, param?: string): Kinds[K] {
    const found = this.find(kind, id);
    if (found === null) throw resourceMissing(kind === 'session' ? 'checkout.session' : kind, id, param);
    return found;
  }

  /** Oldest first. */
  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.kept[kind].values()];
  }

  /** Memory changes at once, so two requests never decide on the same old state. */
  async save<K extends Kind>(kind: K, id: string, value: Kinds[K]): Promise<void> {
    this.kept[kind].set(id, value);
    await this.store.save(id, { kind, value });
  }

  async clear(): Promise<void> {
    for (const kept of Object.values(this.kept)) kept.clear();
    await this.store.clear();
  }

  forget(kind: Kind, id: string): void {
    this.kept[kind].delete(id);
  }
}

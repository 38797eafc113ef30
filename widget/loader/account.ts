import type { SvcWidget } from '../api';
import { createSvcFetch } from './fetch.js';
import { listen, onSpent, openCheckout, type PageOptions, say, serviceOf, startSvc } from './page.js';

export type Figure = 'balance' | 'spentToday';

/** What the components show, read from the widget and from the service. */
export type Snapshot = {
  /** `signed_out` also when the key was revoked elsewhere. `error`: `error` says what to do. */
  status: 'loading' | 'signed_out' | 'signed_in' | 'error';
  svc: SvcWidget | null;
  error: Error | null;
  userKey: string | null;
  /** Credits that the app can spend now; null while unknown. Read while a component shows it. */
  balance: number | null;
  /** Credits that the app spent since midnight; null while unknown. */
  spentToday: number | null;
  /** Figures that could not be read. */
  unavailable: readonly Figure[];
};

export const INITIAL: Snapshot = {
  status: 'loading',
  svc: null,
  error: null,
  userKey: null,
  balance: null,
  spentToday: null,
  unavailable: [],
};

/** The user of this page. Begins to work with its first subscriber, and rests without any. */
export class Account {
  snapshot: Snapshot = INITIAL;
  readonly fetch: typeof fetch;
  /** How many components show a figure. */
  private readonly shown = { balance: 0, spentToday: 0 };
  private readonly subscribers = new Set<() => void>();
  /** Those that are being read, and whether to read them again after that. */
  private readonly reading = new Map<Figure, { isStale: boolean }>();
  /** A key that the service refused. The widget keeps it until the checkout opens. */
  private deadKey: string | null = null;
  private disconnect = () => {};

  constructor(readonly options: PageOptions) {
    let fetchPaid: typeof fetch | undefined;
    this.fetch = (input, init) => {
      fetchPaid ??= createSvcFetch(options);
      return fetchPaid(input, init);
    };
  }

  get service(): string {
    return serviceOf(this.options);
  }

  subscribe = (notify: () => void): (() => void) => {
    this.subscribers.add(notify);
    if (this.subscribers.size === 1) this.connect();
    return () => {
      this.subscribers.delete(notify);
      if (this.subscribers.size === 0) this.disconnect();
    };
  };

  read = (): Snapshot => this.snapshot;

  show = (figure: Figure): (() => void) => {
    this.shown[figure]++;
    void this.refresh(figure);
    return () => {
      this.shown[figure]--;
    };
  };

  open = async (wish?: Parameters<SvcWidget['open']>[0]): Promise<boolean> => {
    const svc = this.snapshot.svc ?? (await this.start());
    return svc !== null && openCheckout(svc, wish);
  };

  close = (): void => this.snapshot.svc?.close();

  refreshAll = (): void => {
    this.followKey();
    void this.refresh('balance');
    void this.refresh('spentToday');
  };

  private connect(): void {
    const ends = [listen(() => this.refreshAll())];
    // `storage` fires when another tab of the app writes the key.
    for (const event of ['storage', 'focus']) {
      window.addEventListener(event, this.refreshAll);
      ends.push(() => window.removeEventListener(event, this.refreshAll));
    }
    onSpent.add(this.refreshAll);
    ends.push(() => onSpent.delete(this.refreshAll));
    this.disconnect = () => {
      for (const end of ends) end();
    };
    void this.start();
  }

  private async start(): Promise<SvcWidget | null> {
    try {
      const svc = await startSvc(this.options);
      if (svc !== null && svc !== this.snapshot.svc) this.set({ svc, error: null });
      this.refreshAll();
      return svc;
    } catch (error) {
      say((error as Error).message);
      this.set({ status: 'error', error: error as Error });
      return null;
    }
  }

  private followKey(): void {
    const { svc, userKey } = this.snapshot;
    if (svc === null) return;
    const held = svc.getUserKey();
    const next = held === this.deadKey ? null : held;
    const status = next === null ? 'signed_out' : 'signed_in';
    if (next !== userKey) this.set({ userKey: next, status, balance: null, spentToday: null });
    else if (this.snapshot.status !== status) this.set({ status });
  }

  private set(change: Partial<Snapshot>): void {
    this.snapshot = { ...this.snapshot, ...change };
    for (const notify of this.subscribers) notify();
  }

  private async refresh(figure: Figure): Promise<void> {
    const running = this.reading.get(figure);
    if (running) running.isStale = true;
    const { userKey } = this.snapshot;
    if (userKey === null || this.shown[figure] === 0 || running) return;
    const reading = { isStale: false };
    this.reading.set(figure, reading);
    const others = () => this.snapshot.unavailable.filter((name) => name !== figure);
    try {
      const value = await READ[figure]((path) => this.get(path, userKey));
      if (this.snapshot.userKey === userKey) this.set({ [figure]: value, unavailable: others() });
    } catch (error) {
      if (this.deadKey !== userKey) say(`${figure} could not be read: ${(error as Error).message}`);
      this.set({ unavailable: [...others(), figure] });
    }
    this.reading.delete(figure);
    if (reading.isStale) void this.refresh(figure);
  }

  private async get(path: string, userKey: string): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${userKey}` };
    const response = await fetch(this.service + path, { headers, credentials: 'omit', cache: 'no-store' });
    const body = await response.json();
    if (response.ok) return body;
    if (response.status === 401) {
      this.deadKey = userKey;
      say('The user key was revoked. A click on the button signs the user in again.');
      this.followKey();
    }
    throw new Error(body.error?.message ?? `status ${response.status}`);
  }
}

type Get = (path: string) => Promise<Record<string, unknown>>;
type Entry = { type: string; created_at: string; credits: number };

const PAGE = 200;
/** A user with more requests in a day sees what the last ones cost. */
const MAX_PAGES = 10;

const READ: Record<Figure, (get: Get) => Promise<number>> = {
  balance: async (get) => Number((await get('/v1/credits/balance')).balance),
  async spentToday(get) {
    const midnight = new Date().setHours(0, 0, 0, 0);
    let spent = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { data, has_more } = await get(`/v1/credits/history?limit=${PAGE}&offset=${page * PAGE}`);
      const entries = data as Entry[];
      const ofToday = entries.filter(({ created_at }) => Date.parse(created_at) >= midnight);
      for (const { type, credits } of ofToday) if (type === 'usage') spent -= credits;
      if (!has_more || ofToday.length < entries.length) break;
    }
    return Math.round(spent * 1e6) / 1e6;
  },
};

let account: Account | undefined;

/** One for the page, whatever number of providers it has. A second app gets its own, in state `error`. */
export function accountOf(options: PageOptions): Account {
  if (typeof document === 'undefined') return new Account(options);
  account ??= new Account(options);
  return account.options.publishableKey === options.publishableKey ? account : new Account(options);
}

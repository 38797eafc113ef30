import type { Failure } from './api';
import { attempt, succeeds } from './key-store';
import { inOneTab, sleep } from './one-tab';

/**
 * Payments whose end has not been reported to the page yet. They are kept for a day, even when the window,
 * the page or the tab is closed. Exactly one tab reports each of them, once.
 */
export type PendingPayments = {
  /** A payment was started in this checkout. */
  add(sessionId: string, checkout: Watcher): void;
  /** Returns true for the first caller, which then reports the end of this payment. */
  take(sessionId: string): boolean;
  /** Polls now: for payments of an earlier page, and after a window closed or a user signed in. */
  resume(): void;
};

/** The checkout of a payment. An overlay lasts as long as the page; a window may lose contact with it. */
type Watcher = { isOpen(): boolean; isOverlay(): boolean };
const GONE: Watcher = { isOpen: () => false, isOverlay: () => false };

export type PaymentEnd =
  | { status: 'completed'; balance: number; credits_added: number }
  | { status: 'failed'; error: Failure };

type Service = {
  publishableKey: string;
  origin: string;
  readKey(): string | null;
  onEnd(sessionId: string, end: PaymentEnd): void;
};

/** A reported payment stays stored for its day, so that no other tab reports it again. */
type Entry = { id: string; at: number; told: boolean };

const KEPT_MS = 24 * 3_600_000;
const FOLLOWED_MS = 30 * 60_000;
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 10_000;
const KEPT = 50;

export function createPendingPayments(service: Service): PendingPayments {
  const name = `svc:${service.publishableKey}:payments`;
  /** Used when storage cannot be written. */
  let memory: Entry[] | null = null;
  const sleepers = new Set<() => void>();
  const followed = new Set<string>();

  function read(): Entry[] {
    const stored = memory ?? attempt(() => JSON.parse(localStorage.getItem(name) ?? '[]') as unknown);
    const entries = Array.isArray(stored) ? stored.filter(isEntry) : [];
    return entries.filter(({ at }) => Date.now() - at < KEPT_MS);
  }

  function write(entries: Entry[]): void {
    memory = succeeds(() => localStorage.setItem(name, JSON.stringify(entries))) ? null : entries;
  }

  const find = (sessionId: string): Entry | undefined => read().find(({ id }) => id === sessionId);

  function put(entry: Entry): void {
    write([...read().filter(({ id }) => id !== entry.id), entry].slice(-KEPT));
  }

  function take(sessionId: string): boolean {
    const entry = find(sessionId);
    if (entry?.told) return false;
    // The page may have cleared its storage: report the payment anyway.
    put({ id: sessionId, at: entry?.at ?? Date.now(), told: true });
    return true;
  }

  function pause(ms: number): Promise<void> {
    return Promise.race([sleep(ms), new Promise<void>((resolve) => sleepers.add(resolve))]);
  }

  async function follow(sessionId: string, checkout: Watcher): Promise<void> {
    if (followed.has(sessionId)) return;
    followed.add(sessionId);
    await inOneTab(`svc:${sessionId}`, () => poll(sessionId, checkout)).catch(() => {});
    followed.delete(sessionId);
  }

  async function poll(sessionId: string, checkout: Watcher): Promise<void> {
    const until = Date.now() + FOLLOWED_MS;
    let ms = FIRST_PAUSE_MS;
    while (find(sessionId)?.told === false && Date.now() < until) {
      const isWatched = checkout.isOpen() && checkout.isOverlay();
      const end = isWatched ? null : await readEnd(service, sessionId);
      if (end === 'unknown') return;
      // An expired payment is not reported: an open checkout does that itself.
      if (end === 'expired' && !checkout.isOpen()) take(sessionId);
      else if (end !== null && end !== 'expired' && take(sessionId)) service.onEnd(sessionId, end);
      else await pause(ms);
      ms = Math.min(ms * 1.5, MAX_PAUSE_MS);
    }
  }

  function resume(): void {
    for (const wakeUp of sleepers) wakeUp();
    sleepers.clear();
    for (const { id, told } of read()) if (!told) void follow(id, GONE);
  }

  document.addEventListener('visibilitychange', () => document.hidden || resume());

  return {
    add(sessionId, checkout) {
      put({ id: sessionId, at: Date.now(), told: false });
      void follow(sessionId, checkout);
    },
    take,
    resume,
  };
}

/** Null while the payment is pending or cannot be read; `unknown` if this user has no such payment. */
async function readEnd(
  { origin, readKey }: Service,
  sessionId: string,
): Promise<PaymentEnd | 'expired' | 'unknown' | null> {
  const key = readKey();
  if (key === null) return 'unknown';
  try {
    const response = await fetch(`${origin}/v1/credits/checkout/${encodeURIComponent(sessionId)}`, {
      headers: { authorization: `Bearer ${key}` },
      credentials: 'omit',
      cache: 'no-store',
    });
    if (response.status === 401 || response.status === 404) return 'unknown';
    const body = (await response.json()) as Record<string, unknown>;
    if (body.status === 'expired') return 'expired';
    if (body.status === 'failed')
      return { status: 'failed', error: { code: 'payment_failed', message: 'The payment failed.' } };
    if (body.status !== 'completed') return null;
    return { status: 'completed', balance: Number(body.balance), credits_added: Number(body.credits_added) };
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is Entry {
  const { id, at, told } = (value ?? {}) as Record<string, unknown>;
  return typeof id === 'string' && typeof at === 'number' && typeof told === 'boolean';
}

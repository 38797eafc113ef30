import Stripe from 'stripe';
import { now, SECOND_MS } from '../../server/base/clock';
import { describeError, log } from '../../server/base/log';
import { readAccountState } from './account';
import { type EventType, newStripeId, type SentEvent } from './objects';
import type { EventRecord, Records } from './records';
import { toThinEvent } from './thin-events';
import { unixSeconds } from './time';

/** `drop` loses events for good, as an endpoint does that is down longer than the retries last. */
export type WebhookMode = 'on' | 'hold' | 'twice' | 'drop';
export type WebhookOrder = 'oldest_first' | 'newest_first';
const RETRY_DELAYS_MS = [1, 5, 30, 120, 600, 3600].map((seconds) => seconds * SECOND_MS);
const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;

type Options = {
  records: Records;
  url: string;
  secret: string;
  /** Signs the events of connected accounts. */
  connectSecret: string;
  retryDelaysMs?: readonly number[] | undefined;
};

/** Creates events and delivers them, signed, until they are accepted or the retries run out. */
export class WebhookSender {
  private readonly options: Options;
  private readonly retryDelaysMs: readonly number[];
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopped = new AbortController();
  private currentMode: WebhookMode = 'on';

  constructor(options: Options) {
    this.options = options;
    this.retryDelaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS;
  }

  get url(): string {
    return this.options.url;
  }

  get mode(): WebhookMode {
    return this.currentMode;
  }

  setMode(mode: WebhookMode): void {
    this.currentMode = mode;
    if (mode !== 'hold') this.resume();
  }

  /** Schedules what an earlier process, or `hold`, left undelivered. */
  resume(): void {
    for (const record of this.pending()) this.schedule(record);
  }

  /** Delivers everything that is pending now, one by one in this order, even with `hold`. */
  async deliver(order: WebhookOrder): Promise<void> {
    const pending = this.pending();
    for (const { event } of order === 'newest_first' ? pending.reverse() : pending) {
      clearTimeout(this.timers.get(event.id));
      this.timers.delete(event.id);
      await this.attempt(event.id);
    }
  }

  private pending(): EventRecord[] {
    return this.options.records.all('event').filter(({ delivery }) => delivery.state === 'pending');
  }

  async emit(type: EventType, object: object, account?: string): Promise<void> {
    const state = this.currentMode === 'drop' ? 'failed' : 'pending';
    await this.enqueue({ event: buildEvent(type, object, account), delivery: { ...undelivered(), state } });
  }

  /** Sends an event once more, delivered or not, and resets its retries. */
  async redeliver(eventId: string): Promise<void> {
    const { event } = this.options.records.require('event', eventId);
    await this.enqueue({ event, delivery: undelivered() });
  }

  private async enqueue(record: EventRecord): Promise<void> {
    await this.options.records.save('event', record.event.id, record);
    if (record.delivery.state === 'pending') this.schedule(record);
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.running);
  }

  private schedule({ event, delivery }: EventRecord): void {
    if (this.stopped.signal.aborted || this.currentMode === 'hold') return;
    clearTimeout(this.timers.get(event.id));
    const timer = setTimeout(() => this.run(event.id), delivery.nextAttemptAt - now()).unref();
    this.timers.set(event.id, timer);
  }

  private run(eventId: string): void {
    this.timers.delete(eventId);
    if (this.currentMode === 'hold') return;
    const attempt = this.attempt(eventId).catch((error: unknown) =>
      log().error({ error: describeError(error) }, 'sandbox webhook failed'),
    );
    this.running.add(attempt);
    void attempt.finally(() => this.running.delete(attempt));
  }

  private async attempt(eventId: string): Promise<void> {
    const { event, delivery } = this.options.records.require('event', eventId);
    const times = this.currentMode === 'twice' ? 2 : 1;
    let error: string | null = null;
    for (let count = 0; count < times; count++) error = await this.post(event);
    if (this.stopped.signal.aborted && error !== null) return;
    const attempts = delivery.attempts + 1;
    const delayMs = this.retryDelaysMs[delivery.attempts];
    const state = error === null ? 'delivered' : delayMs === undefined ? 'failed' : 'pending';
    await this.enqueue({
      event,
      delivery: { state, attempts, nextAttemptAt: now() + (delayMs ?? 0), lastError: error },
    });
  }

  /** Null if the receiver accepted the event, otherwise the reason why not. */
  private async post(event: SentEvent): Promise<string | null> {
    const isThin = readAccountState(this.options.records).webhook?.style === 'thin';
    const payload = JSON.stringify(isThin ? toThinEvent(event) : event, null, 2);
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: event.account === undefined ? this.options.secret : this.options.connectSecret,
      timestamp: Math.floor(now() / SECOND_MS),
    });
    try {
      const response = await fetch(this.options.url, {
        method: 'POST',
        body: payload,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': signature,
          'user-agent': 'Stripe/1.0 (sandbox)',
        },
        redirect: 'manual',
        signal: AbortSignal.any([this.stopped.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.ok ? null : `status ${response.status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

const undelivered = (): EventRecord['delivery'] => ({
  state: 'pending',
  attempts: 0,
  nextAttemptAt: now(),
  lastError: null,
});

function buildEvent(type: EventType, object: object, account?: string): SentEvent {
  return {
    id: newStripeId('evt'),
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: unixSeconds(),
    data: { object },
    type,
    ...(account !== undefined && { account }),
  };
}

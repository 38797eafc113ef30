import { now, SECOND_MS } from '../../server/base/clock';
import { StripeError } from './stripe-errors';

/** As Stripe answers. 409: another request with the same key is still in progress. */
const FAILURES = {
  409: { type: 'invalid_request_error', code: 'idempotency_key_in_use' },
  429: { type: 'invalid_request_error', code: 'rate_limit' },
  500: { type: 'api_error' },
  503: { type: 'api_error' },
} as const;

export type FailureOrder = { status: keyof typeof FAILURES; times: number; path?: string | undefined };

/** Makes calls fail, like a processor that is down, overloaded or limits its callers. */
export class Failures {
  private ordered: FailureOrder | null = null;
  private callsPerSecond = Infinity;
  private recentCalls: number[] = [];

  order(order: FailureOrder): void {
    this.ordered = { ...order };
  }

  clear(): void {
    this.ordered = null;
    this.callsPerSecond = Infinity;
  }

  /** Refuses more than this many calls in any second; null lifts the limit. */
  limitRate(callsPerSecond: number | null): void {
    this.callsPerSecond = callsPerSecond ?? Infinity;
    this.recentCalls = [];
  }

  throwAboveRate(): void {
    this.recentCalls = this.recentCalls.filter((at) => at > now() - SECOND_MS);
    if (this.recentCalls.length >= this.callsPerSecond) {
      throw new StripeError(429, {
        type: 'invalid_request_error',
        code: 'rate_limit',
        message: 'Request rate limit exceeded.',
      });
    }
    this.recentCalls.push(now());
  }

  throwNext(pathname: string): void {
    const order = this.ordered;
    if (order === null || (order.path !== undefined && !pathname.includes(order.path))) return;
    order.times -= 1;
    if (order.times <= 0) this.ordered = null;
    throw new StripeError(order.status, {
      ...FAILURES[order.status],
      message: 'The sandbox failed this request on demand.',
    });
  }
}

import { StripeError } from './stripe-errors';

export type FailureOrder = { status: 409 | 429 | 500 | 503; times: number; path?: string | undefined };

/** Makes the next calls fail, like a processor that is down or overloaded. */
export class Failures {
  private ordered: FailureOrder | null = null;

  order(order: FailureOrder): void {
    this.ordered = { ...order };
  }

  clear(): void {
    this.ordered = null;
  }

  throwNext(pathname: string): void {
    const order = this.ordered;
    if (order === null || (order.path !== undefined && !pathname.includes(order.path))) return;
    order.times -= 1;
    if (order.times <= 0) this.ordered = null;
    throw new StripeError(order.status, {
      type: order.status === 429 ? 'invalid_request_error' : 'api_error',
      message: 'The sandbox failed this request on demand.',
      ...(order.status === 429 && { code: 'rate_limit' }),
    });
  }
}

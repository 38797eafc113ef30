import type { CheckoutSession } from '../../prisma/client/client';

/** One payment: open → processing → completed | failed | expired. */
export type Payment = CheckoutSession;
export type PaymentStatus = 'open' | 'processing' | 'completed' | 'failed' | 'expired';

export const OPEN: PaymentStatus = 'open';
export const UNFINISHED: PaymentStatus[] = ['open', 'processing'];

export function isFinished(payment: Payment): boolean {
  return !UNFINISHED.includes(payment.status as PaymentStatus);
}

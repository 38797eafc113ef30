import type { CheckoutSession } from '../../../prisma/client/client';
import type { Tx } from '../../base/db';
import type { PaymentFailure } from './failure';

/** One payment: open → processing → completed | failed | expired. */
export type Payment = CheckoutSession;
export type PaymentStatus = 'open' | 'processing' | 'completed' | 'failed' | 'expired';

export const OPEN: PaymentStatus = 'open';
export const UNFINISHED: PaymentStatus[] = ['open', 'processing'];

export function isFinished(payment: Payment): boolean {
  return !UNFINISHED.includes(payment.status as PaymentStatus);
}

/** Ends an `open` or `processing` payment permanently. Returns false when another caller already did. */
export async function finish(
  database: Pick<Tx, 'checkoutSession'>,
  { id }: Payment,
  status: PaymentStatus,
  facts: { failure?: PaymentFailure | null; completedAt?: Date } = {},
): Promise<boolean> {
  const { count } = await database.checkoutSession.updateMany({
    where: { id, status: { in: UNFINISHED } },
    data: { status, ...facts },
  });
  return count === 1;
}

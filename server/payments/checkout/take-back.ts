import { fulfil } from './fulfil';
import type { Reversal } from './payment-processor';
import { applyReversals } from './reversals';

/** A refund may be reported before its payment is, so the purchase is booked first in either case. */
export async function takeBack({ paymentId, kind }: Reversal): Promise<void> {
  const unbooked = await applyReversals(paymentId, kind);
  if (unbooked === null) return;
  const payment = await fulfil(unbooked);
  if (payment?.status === 'completed') await applyReversals(paymentId, kind);
}

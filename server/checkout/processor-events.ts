import { fulfil } from './fulfil';
import { applyReversals } from './reversals';
import { stripeProcessor } from './stripe/processor';

/**
 * Handles an event of the processor. The event only identifies the changed object; its state is read from the
 * processor. Failures are thrown, so that the processor retries the event.
 */
export async function acceptProcessorEvent(body: string, signature: string | null): Promise<void> {
  const event = stripeProcessor.readEvent(body, signature);
  if (event?.about === 'session') await fulfil(event.checkoutSessionId);
  if (event?.about === 'reversal') await takeBack(event.paymentId);
}

/** The refund event may arrive before the payment event, so the purchase is booked first in either case. */
async function takeBack(paymentId: string): Promise<void> {
  const reversals = await stripeProcessor.readReversals(paymentId);
  if (reversals === null) return;
  await fulfil(reversals.checkoutSessionId);
  await applyReversals(paymentId);
}

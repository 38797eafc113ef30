import { fulfil } from './fulfil';
import { applyReversals } from './reversals';
import { stripeProcessor } from './stripe/processor';

/**
 * An event only says where to look: the state is read from the processor. A failure is thrown,
 * so that the processor sends the event again.
 */
export async function acceptProcessorEvent(body: string, signature: string | null): Promise<void> {
  const event = stripeProcessor.readEvent(body, signature);
  if (event?.about === 'session') await fulfil(event.checkoutSessionId);
  if (event?.about === 'reversal') await takeBack(event.paymentId);
}

/** The refund may be told before the payment is: the purchase lands first, whoever brings the news. */
async function takeBack(paymentId: string): Promise<void> {
  const reversals = await stripeProcessor.readReversals(paymentId);
  if (reversals === null) return;
  await fulfil(reversals.checkoutSessionId);
  await applyReversals(paymentId);
}

import { fulfil } from './fulfil';
import { stripeProcessor } from './stripe/processor';
import { takeBack } from './take-back';
import { noteUncreditedPayment } from './uncredited-payments';

/**
 * Handles an event of the processor. The event only identifies the changed object; its state is read from the
 * processor. Failures are thrown, so that the processor retries the event.
 */
export async function acceptProcessorEvent(body: string, signature: string | null): Promise<void> {
  const event = await stripeProcessor.readEvent(body, signature);
  if (event?.about === 'reversal') await takeBack(event);
  if (event?.about !== 'session') return;
  const payment = await fulfil(event.checkoutSessionId);
  if (event.paid === null || payment?.status === 'completed' || payment?.status === 'processing') return;
  await noteUncreditedPayment(event.paid);
}

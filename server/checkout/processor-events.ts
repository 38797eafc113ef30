import { fulfil } from './fulfil';
import { stripeProcessor } from './stripe-processor';

/**
 * An event only says where to look: the state is read from the processor. A failure is thrown,
 * so that the processor sends the event again.
 */
export async function acceptProcessorEvent(body: string, signature: string | null): Promise<void> {
  const event = stripeProcessor.readEvent(body, signature);
  if (event !== null) await fulfil(event.checkoutSessionId);
}

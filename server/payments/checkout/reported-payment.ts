import type { ProcessorPayment, ProcessorReference } from './payment-processor';
import { stripeProcessor } from './stripe/processor';

/** The payment as the processor reports it. Null when the processor does not know it. */
export async function readReported({
  processorSessionId,
  processorPaymentId,
}: ProcessorReference): Promise<ProcessorPayment | null> {
  if (processorPaymentId !== null) return stripeProcessor.readCardPayment(processorPaymentId);
  return processorSessionId === null ? null : stripeProcessor.readSession(processorSessionId);
}

import { describeError, log } from '../../base/log';
import { fulfil } from './fulfil';
import type { Payment } from './payment';
import { stripeProcessor } from './stripe/processor';

/** Ends a payment at the processor, unless it was made in the meantime. */
export async function closePayment({ id, processorSessionId, processorPaymentId }: Payment): Promise<void> {
  try {
    if (processorSessionId !== null) await stripeProcessor.expireSession(processorSessionId);
    if (processorPaymentId !== null) await stripeProcessor.cancelCardPayment(processorPaymentId);
  } catch (error) {
    // Either the payment has just been made, or the processor is unreachable. The sweep resolves it.
    log().info(
      { checkout_session_id: id, error: describeError(error) },
      'could not close an earlier payment',
    );
  }
}

/** The same, and stores what became known of it. */
export async function endPayment(payment: Payment): Promise<void> {
  await closePayment(payment);
  await fulfil(payment.id);
}

import { readText } from '@/server/base/http/read-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { acceptProcessorEvent } from '@/server/payments/checkout/processor-events';
import { acceptPayoutEvent } from '@/server/payments/payouts/events';

const MAX_EVENT_BYTES = 1024 * 1024;

/** Receives events from the payment processor. The signature covers the exact bytes of the body. */
export function POST(request: Request): Promise<Response> {
  return respond(
    'chat',
    async () => {
      const body = await readText(request, MAX_EVENT_BYTES);
      const signature = request.headers.get('stripe-signature');
      if (!(await acceptPayoutEvent(body, signature))) await acceptProcessorEvent(body, signature);
      return privateJson({ received: true });
    },
    'same-origin',
  );
}

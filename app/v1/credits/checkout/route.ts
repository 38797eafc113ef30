import {
  type CheckoutRequest,
  checkoutRequestSchema,
  writeStartedCheckout,
} from '@/server/checkout/api-bodies';
import { startApiPayment } from '@/server/checkout/api-payments';
import { answerOnce, readIdempotencyKey } from '@/server/checkout/idempotency';
import { preflight } from '@/server/http/cors';
import { readBody } from '@/server/http/read-body';
import { privateJson, respond } from '@/server/http/respond';
import { type Caller, requireUserKey } from '@/server/keys/authenticate';

export const OPTIONS = preflight;

/**
 * Starts a purchase on the processor's own page, for whoever the user key belongs to; once per
 * `Idempotency-Key`.
 */
export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    const buyer = await requireUserKey(request);
    const key = readIdempotencyKey(request.headers);
    const body = await readBody(request, checkoutRequestSchema);
    if (key === null) return privateJson(await start(buyer, body));
    const { userId, partnerId } = buyer;
    return privateJson(await answerOnce({ userId, partnerId, key }, body, () => start(buyer, body)));
  });
}

async function start(buyer: Caller, body: CheckoutRequest) {
  const { payment, checkoutUrl } = await startApiPayment(buyer, {
    publishableKey: body.publishable_key,
    amount: body.amount,
    currency: body.currency,
    checkoutMode: body.checkout_mode,
    returnUrl: body.return_url,
    metadata: body.metadata,
  });
  return writeStartedCheckout(payment, { checkoutUrl, keyId: buyer.keyId });
}

import { z } from 'zod';
import { CURRENCIES, toMajorUnits } from '@/server/checkout/amounts';
import { startApiPayment } from '@/server/checkout/api-payments';
import { answerOnce, readIdempotencyKey } from '@/server/checkout/idempotency';
import { CHECKOUT_MODES } from '@/server/checkout/start';
import { DISPLAYS } from '@/server/checkout/visits';
import { creditsToJson } from '@/server/credits';
import { preflight } from '@/server/http/cors';
import { readBody } from '@/server/http/read-body';
import { privateJson, respond } from '@/server/http/respond';
import { metadataSchema } from '@/server/identity/metadata';
import { type Caller, requireUserKey } from '@/server/keys/authenticate';

export const OPTIONS = preflight;

const bodySchema = z.object({
  publishable_key: z.string().max(200).optional(),
  amount: z.unknown(),
  currency: z.enum(CURRENCIES).default('usd'),
  checkout_mode: z.enum(CHECKOUT_MODES).default('new_tab'),
  display: z.enum(DISPLAYS).optional(),
  return_url: z.url({ error: 'expected a URL' }).max(2000).optional(),
  metadata: metadataSchema.optional(),
});

type Wish = z.output<typeof bodySchema>;

/**
 * Starts a purchase on the processor's own page, for whoever the user key belongs to; once per
 * `Idempotency-Key`.
 */
export function POST(request: Request): Promise<Response> {
  return respond('chat', async () => {
    const buyer = await requireUserKey(request);
    const key = readIdempotencyKey(request.headers);
    const body = await readBody(request, bodySchema);
    if (key === null) return privateJson(await start(buyer, body));
    const { userId, partnerId } = buyer;
    return privateJson(await answerOnce({ userId, partnerId, key }, body, () => start(buyer, body)));
  });
}

async function start(buyer: Caller, body: Wish) {
  const { payment, checkoutUrl } = await startApiPayment(buyer, {
    publishableKey: body.publishable_key,
    amount: body.amount,
    currency: body.currency,
    checkoutMode: body.checkout_mode,
    returnUrl: body.return_url,
    metadata: body.metadata,
  });
  return {
    session_id: payment.id,
    checkout_url: checkoutUrl,
    status: payment.status,
    amount: toMajorUnits(payment.amountMinor),
    currency: payment.currency,
    credits: creditsToJson(payment.credits),
    expires_at: payment.expiresAt.toISOString(),
    // The caller holds a key already: none is minted here.
    user_key: null,
    key_id: buyer.keyId,
  };
}

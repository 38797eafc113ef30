import {
  type CheckoutRequest,
  checkoutRequestSchema,
  readCheckoutSignIn,
  writeStartedCheckout,
} from '@/server/api/checkout';
import { preflight } from '@/server/base/http/cors';
import { hasKey, missingApiKey } from '@/server/base/http/credentials';
import { readIdempotencyKey } from '@/server/base/http/idempotency-key';
import { readBody, readJsonObject, validate } from '@/server/base/http/read-body';
import { SMALL_BODY_BYTES } from '@/server/base/http/receive-body';
import { privateJson, respond } from '@/server/base/http/respond';
import { type Buyer, startApiPayment } from '@/server/payments/checkout/api-payments';
import { mintFirstKey, requireSignInGrant } from '@/server/payments/checkout/first-checkout';
import { runOnce } from '@/server/payments/checkout/idempotency';
import { requireOrdinaryKey } from '@/server/people/access/authenticate';
import type { TokenExchange } from '@/server/people/sign-in-tokens';

export const OPTIONS = preflight;

/**
 * Starts a purchase on the processor's hosted page, once per `Idempotency-Key`: for the owner of the
 * user key, or for a user who has just signed in and receives a first key in the response.
 */
export function POST(request: Request): Promise<Response> {
  return respond('chat', () => (hasKey(request) ? buyWithKey(request) : buyWithSignIn(request)));
}

async function buyWithKey(request: Request): Promise<Response> {
  const buyer = await requireOrdinaryKey(request);
  const body = await readBody(request, checkoutRequestSchema);
  const result = await once(request, buyer, body, async () => {
    const { payment, checkoutUrl } = await start(buyer, body);
    return writeStartedCheckout(payment, { checkoutUrl, keyId: buyer.keyId });
  });
  return privateJson(result);
}

async function buyWithSignIn(request: Request): Promise<Response> {
  const { body, signIn } = await readSignIn(request);
  const buyer = await requireSignInGrant(signIn);
  // Returned only to this caller: a repeated request gets the stored response, which contains no key.
  let user_key: string | null = null;
  const result = await once(request, buyer, body, async () => {
    const { payment, checkoutUrl } = await start(buyer, body);
    const { userKey, keyId } = await mintFirstKey(signIn, payment.id);
    user_key = userKey;
    return writeStartedCheckout(payment, { checkoutUrl, keyId });
  });
  return privateJson({ ...result, user_key });
}

/** A request with neither a user key nor a sign-in is missing a key, whatever else is wrong with it. */
async function readSignIn(request: Request): Promise<{ body: CheckoutRequest; signIn: TokenExchange }> {
  const json = await readJsonObject(request, SMALL_BODY_BYTES).catch(() => null);
  const body = json?.token === undefined ? null : validate(checkoutRequestSchema, json);
  const signIn = body && readCheckoutSignIn(body, request.headers.get('origin'));
  if (!body || !signIn) throw missingApiKey();
  return { body, signIn };
}

async function once<Result extends object>(
  request: Request,
  { userId, partnerId }: Buyer,
  body: CheckoutRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = readIdempotencyKey(request);
  return key === null ? work() : runOnce({ userId, partnerId, key }, body, work);
}

function start(buyer: Buyer, body: CheckoutRequest) {
  return startApiPayment(buyer, {
    publishableKey: body.publishable_key,
    amount: body.amount,
    currency: body.currency,
    checkoutMode: body.checkout_mode,
    returnUrl: body.return_url,
    metadata: body.metadata,
  });
}

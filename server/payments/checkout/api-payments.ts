import { inTransaction } from '../../base/db';
import { ApiError, invariant } from '../../base/errors';
import { requireAllowedOrigin } from '../../partners/origins';
import { requirePartner } from '../../partners/partner';
import { openAppUser } from '../../people/app-users';
import type { Metadata } from '../../people/metadata';
import type { Currency } from './amounts';
import type { Payment } from './payment';
import { countPaymentAttempt } from './payment-limit';
import { hostedPage, returnPageUrl } from './payment-pages';
import { type CheckoutMode, startPayment } from './start';
import { isWebsite } from './visits';

/** The buyer: identified by a user key, or just signed in without one. */
export type Buyer = { userId: string; partnerId: string; keyId?: string };
type ApiOrder = {
  publishableKey?: string | undefined;
  amount: unknown;
  currency: Currency;
  checkoutMode: CheckoutMode;
  returnUrl?: string | undefined;
  metadata?: Metadata | undefined;
};

/** Starts a payment on behalf of an app for its user, on the processor's hosted page. */
export async function startApiPayment(
  buyer: Buyer,
  request: ApiOrder,
): Promise<{ payment: Payment; checkoutUrl: string }> {
  const { userId, partnerId, keyId } = buyer;
  const { publishableKey, returnUrl, metadata, ...order } = request;
  await countPaymentAttempt(userId);
  if (publishableKey !== undefined) await requireOwnPartner(publishableKey, partnerId);
  if (returnUrl !== undefined) await requireAllowedOrigin(partnerId, originOf(returnUrl));
  const { payment, form } = await startPayment({
    ...order,
    userId,
    partnerId,
    ...(keyId !== undefined && { keyId }),
    returnUrl,
    language: null,
    // A key does not prove that the user is present, so the form must not show their e-mail address.
    customer: null,
    isFromDeviceApp: returnUrl !== undefined && !isWebsite(returnUrl),
    page: (checkoutSessionId) => hostedPage(returnUrl ?? returnPageUrl(), checkoutSessionId),
  });
  if (metadata !== undefined) await inTransaction((tx) => openAppUser(tx, { userId, partnerId, metadata }));
  invariant(form.kind === 'hosted', 'the requested hosted page was created');
  return { payment, checkoutUrl: form.url };
}

async function requireOwnPartner(publishableKey: string, partnerId: string): Promise<void> {
  const { id } = await requirePartner(publishableKey);
  if (id !== partnerId) {
    throw new ApiError(
      'invalid_publishable_key',
      'The publishable key belongs to a different app than the user key.',
    );
  }
}

/** `URL` reports no origin for custom schemes. */
function originOf(address: string): string {
  const { origin, protocol, host } = new URL(address);
  return origin === 'null' ? `${protocol}//${host}` : origin;
}

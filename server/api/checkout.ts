import { z } from 'zod';
import { creditsToJson } from '../base/credits';
import { ApiError } from '../base/errors';
import { CURRENCIES, toMajorUnits } from '../payments/checkout/amounts';
import type { Payment } from '../payments/checkout/payment';
import type { PaymentReport } from '../payments/checkout/payment-status';
import { CHECKOUT_MODES } from '../payments/checkout/start';
import { DISPLAYS } from '../payments/checkout/visits';
import { metadataSchema } from '../people/metadata';
import type { TokenExchange } from '../people/sign-in-tokens';

/** Requests and responses of the API's checkout endpoints. */

export const checkoutRequestSchema = z.object({
  publishable_key: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'If present, it must belong to the same app as the user key.' }),
  token: z.string().max(200).optional().meta({
    description: 'A sign-in token, instead of a user key. The purchase then creates the user’s key.',
  }),
  code_verifier: z.string().max(200).optional().meta({
    description: 'Required with `token`: the secret whose S256 challenge opened the sign-in window.',
  }),
  amount: z.unknown().meta({
    type: 'number',
    exclusiveMinimum: 0,
    description:
      'The amount to pay in `currency`, with up to two decimals: from 5 to 500, unless the operator sets other limits.',
  }),
  currency: z.enum(CURRENCIES).default('usd'),
  checkout_mode: z
    .enum(CHECKOUT_MODES)
    .default('new_tab')
    .meta({ description: 'Stored with the purchase. The payment page is the same in every mode.' }),
  display: z
    .enum(DISPLAYS)
    .optional()
    .meta({ description: 'Accepted for compatibility with the widget. It has no effect here.' }),
  return_url: z
    .url({ error: 'must be a full URL such as https://app.example.com/credits' })
    .max(2000)
    .optional()
    .meta({
      description:
        'The URL to return the user to, on one of the app’s registered origins. `session_id` is added to the query, and `status=cancelled` if the user did not pay. Defaults to a page of this service that tells the user to return to the app.',
    }),
  metadata: metadataSchema.optional(),
});

export type CheckoutRequest = z.output<typeof checkoutRequestSchema>;

/** The sign-in token in a request without a user key, or null. */
export function readCheckoutSignIn(
  { publishable_key, token, code_verifier, metadata }: CheckoutRequest,
  origin: string | null,
): TokenExchange | null {
  if (token === undefined) return null;
  if (publishable_key === undefined || code_verifier === undefined) {
    const param = publishable_key === undefined ? 'publishable_key' : 'code_verifier';
    throw new ApiError('invalid_request', `${param}: is required when token is present`, { param });
  }
  return { publishableKey: publishable_key, token, codeVerifier: code_verifier, origin, metadata };
}

const status = z.enum(['open', 'processing', 'completed', 'failed', 'expired']);

export const startedCheckoutSchema = z.object({
  session_id: z.string(),
  checkout_url: z.string().meta({ description: 'The URL of the payment page. Open it for the user.' }),
  status,
  amount: z.number(),
  currency: z.enum(CURRENCIES),
  credits: z.number().meta({ description: 'The credits the user receives, at the fixed exchange rate.' }),
  expires_at: z.iso.datetime(),
  user_key: z
    .string()
    .nullable()
    .meta({ description: 'The new user key, if this call created one; otherwise null.' }),
  key_id: z.string(),
});

export function writeStartedCheckout(
  payment: Payment,
  { checkoutUrl, keyId }: { checkoutUrl: string; keyId: string },
): z.output<typeof startedCheckoutSchema> {
  return {
    session_id: payment.id,
    checkout_url: checkoutUrl,
    status: status.parse(payment.status),
    amount: toMajorUnits(payment.amountMinor),
    currency: z.enum(CURRENCIES).parse(payment.currency),
    credits: creditsToJson(payment.credits),
    expires_at: payment.expiresAt.toISOString(),
    // The caller already has a key, so none is created.
    user_key: null,
    key_id: keyId,
  };
}

export const checkoutStatusSchema = z.object({
  session_id: z.string(),
  status: status.meta({ description: '`completed` means the payment succeeded and the credits were added.' }),
  credits_added: z.number().meta({ description: 'How much this purchase increased the app’s balance.' }),
  balance: z.number().meta({ description: 'Credits this app can spend for this user now.' }),
});

export function writeCheckoutStatus(report: PaymentReport): z.output<typeof checkoutStatusSchema> {
  return {
    session_id: report.sessionId,
    status: report.status,
    credits_added: creditsToJson(report.creditsAdded),
    balance: creditsToJson(report.balance),
  };
}

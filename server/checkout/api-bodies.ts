import { z } from 'zod';
import { creditsToJson } from '../credits';
import { metadataSchema } from '../identity/metadata';
import { CURRENCIES, toMajorUnits } from './amounts';
import type { Payment } from './payment';
import type { PaymentReport } from './payment-status';
import { CHECKOUT_MODES } from './start';
import { DISPLAYS } from './visits';

/** Requests and answers of the API's checkout endpoints. */

export const checkoutRequestSchema = z.object({
  publishable_key: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'When given, it must be of the app that the user key belongs to.' }),
  token: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Instead of a user key: a sign-in token. The purchase then mints the user’s key.' }),
  code_verifier: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'With `token`: the secret whose S256 challenge opened the sign-in window.' }),
  amount: z.unknown().meta({
    type: 'number',
    description: 'What to pay, in the currency, with at most two decimals.',
  }),
  currency: z.enum(CURRENCIES).default('usd'),
  checkout_mode: z
    .enum(CHECKOUT_MODES)
    .default('new_tab')
    .meta({ description: 'Kept with the purchase. The payment page is the same in every mode.' }),
  display: z
    .enum(DISPLAYS)
    .optional()
    .meta({ description: 'As the widget has it; it changes nothing here.' }),
  return_url: z
    .url({ error: 'must be a whole address, such as https://app.example.com/credits' })
    .max(2000)
    .optional()
    .meta({
      description:
        'Where the user comes back to, with `session_id` in the query, and `status=cancelled` if they did not pay; on an origin that the app registered. By default a page of ours, which tells them to go back to the app.',
    }),
  metadata: metadataSchema.optional(),
});

export type CheckoutRequest = z.output<typeof checkoutRequestSchema>;

const status = z.enum(['open', 'processing', 'completed', 'failed', 'expired']);

export const startedCheckoutSchema = z.object({
  session_id: z.string(),
  checkout_url: z.string().meta({ description: 'The payment page: open it for the user.' }),
  status,
  amount: z.number(),
  currency: z.enum(CURRENCIES),
  credits: z.number().meta({ description: 'What the user gets for it; the exchange rate is fixed.' }),
  expires_at: z.iso.datetime(),
  user_key: z
    .string()
    .nullable()
    .meta({ description: 'Present only when this call minted a key; else null.' }),
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
    // The caller holds a key already: none is minted here.
    user_key: null,
    key_id: keyId,
  };
}

export const checkoutStatusSchema = z.object({
  session_id: z.string(),
  status: status.meta({ description: '`completed` means paid and credited.' }),
  credits_added: z.number().meta({ description: 'How much the app’s balance grew by this purchase.' }),
  balance: z.number().meta({ description: 'Credits that this app can spend for this user now.' }),
});

export function writeCheckoutStatus(report: PaymentReport): z.output<typeof checkoutStatusSchema> {
  return {
    session_id: report.sessionId,
    status: report.status,
    credits_added: creditsToJson(report.creditsAdded),
    balance: creditsToJson(report.balance),
  };
}

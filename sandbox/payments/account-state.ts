import { z } from 'zod';

/** What the account behind the key is set up for; by default, everything. */
export const accountSchema = z.strictObject({
  charges_enabled: z.boolean().default(true),
  payouts_enabled: z.boolean().default(true),
  currently_due: z.array(z.string()).default([]),
  statement_descriptor: z.string().nullable().default('SANDBOX'),
  /** The fields that the tax settings lack. */
  tax_missing: z.array(z.string()).default([]),
  tax_registrations: z.number().int().min(0).default(1),
  /** Whether the public details contain the address of the terms. */
  has_terms: z.boolean().default(true),
  /** The webhook endpoint; null without one. */
  webhook: z
    .strictObject({
      status: z.enum(['enabled', 'disabled']).default('enabled'),
      events: z.array(z.string()).default(['*']),
      style: z.enum(['snapshot', 'thin']).default('snapshot'),
      url: z.string().optional(),
    })
    .nullable()
    .prefault({}),
  country: z.string().default('AT'),
  default_currency: z.string().default('usd'),
  /** The second webhook endpoint, for the events of connected accounts; null without one. */
  connect_webhook: z
    .strictObject({
      status: z.enum(['enabled', 'disabled']).default('enabled'),
      events: z.array(z.string()).default(['*']),
    })
    .nullable()
    .prefault({}),
  /** Whether the platform is signed up for Connect. */
  has_connect: z.boolean().default(true),
  /** The domains that Apple does not accept. */
  apple_refuses: z.array(z.string()).default([]),
  /** The calls that the key may not make, such as `POST refunds`. */
  forbidden: z.array(z.string()).default([]),
});
export type AccountState = z.output<typeof accountSchema>;

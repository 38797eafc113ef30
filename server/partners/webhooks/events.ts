import { z } from 'zod';

/** The event types and their data, as sent. */

const metadata = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const key = { key_id: z.string().startsWith('key_'), user_id: z.string().startsWith('au_'), metadata };

const REVOKE_REASONS = ['user_revoked', 'session_revoked', 'evicted', 'leaked', 'holder_revoked'] as const;
export type RevokeReason = (typeof REVOKE_REASONS)[number];

const credits = {
  user_id: z.string().startsWith('au_'),
  metadata,
  /** The credits that the app can spend now. */
  balance: z.number(),
  credits_added: z.number().min(0),
};

export const EVENT_DATA = {
  'user_key.created': z.strictObject({ user_key: z.string().startsWith('svc_sk_'), ...key }),
  'user_key.revoked': z.strictObject({ ...key, reason: z.enum(REVOKE_REASONS) }),
  'credits.added': z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('purchase'), ...credits, transaction_id: z.string() }),
    z.strictObject({ type: z.literal('permission'), ...credits, granted_credits: z.number().min(0) }),
  ]),
  test: z.strictObject({ partner_id: z.string(), message: z.string() }),
} as const;

export type EventType = keyof typeof EVENT_DATA;
export type EventData<T extends EventType> = z.input<(typeof EVENT_DATA)[T]>;

/** The body of a delivery, byte for byte the same on every retry. */
export type Envelope<T extends EventType = EventType> = {
  id: string;
  type: T;
  created_at: string;
  data: EventData<T>;
};

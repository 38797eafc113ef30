import { z } from 'zod';
import { creditsToJson, parseCredits } from '../base/credits';
import type { RunSum } from '../ledger';
import { MAX_LIFETIME_SECONDS, type RunKey } from '../people/keys/run-keys';

/** Requests and responses of run keys, and of runs. */

const HOURS_24 = 86_400;
const MAX_MODELS = 100;

export const runKeyRequestSchema = z.strictObject({
  credits: z
    .number()
    .transform((credits, { addIssue }) => {
      const parsed = parseCredits(String(credits));
      if (parsed !== null && parsed > 0n) return parsed;
      addIssue({ code: 'custom', message: 'must be a number of credits above 0 with at most 6 decimals' });
      return z.NEVER;
    })
    .meta({ description: 'The most that the key, with the keys it mints, may spend.', example: 200 }),
  expires_in: z.int().min(1).max(MAX_LIFETIME_SECONDS).default(HOURS_24).meta({
    description:
      'Seconds until the key ends, at most 30 days. A key ends no later than the one that minted it.',
  }),
  models: z
    .array(z.string().regex(/^[\x21-\x7e]{1,200}$/, { error: 'must be the id of a model' }))
    .min(1)
    .max(MAX_MODELS)
    .optional()
    .meta({
      description:
        'The only models that it may use, among those of the key that mints it. Without it, all of those.',
    }),
  requests: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .meta({ description: 'The most requests that may be charged to it.' }),
  label: z
    .string()
    .regex(/^[^\p{C}]{1,100}$/u, { error: 'must be 1 to 100 printable characters' })
    .optional()
    .meta({ description: 'A name of your choice, which the user sees.' }),
});

const keyFields = {
  key_id: z.string(),
  credits: z.number().meta({ description: 'Its budget.' }),
  expires_at: z.iso.datetime(),
  label: z.string().nullable(),
};

export const runKeySchema = z.object({
  user_key: z.string().meta({ description: 'The run key. Returned only once.' }),
  ...keyFields,
  models: z.array(z.string()).nullable().meta({ description: 'Null for all models.' }),
  requests: z.int().nullable().meta({ description: 'Null for no limit.' }),
});

export const writeRunKey = ({
  userKey,
  keyId,
  credits,
  expiresAt,
  label,
  models,
  requests,
}: RunKey & { userKey: string }): z.output<typeof runKeySchema> => ({
  user_key: userKey,
  key_id: keyId,
  credits: creditsToJson(credits),
  expires_at: expiresAt.toISOString(),
  label,
  models,
  requests,
});

export const runSchema = z.object({
  id: z.string(),
  requests: z.int().meta({ description: 'Requests that were charged or are running.' }),
  credits: z.number().meta({ description: 'What they were charged.' }),
  held: z.number().meta({ description: 'What running requests hold.' }),
  max_credits: z
    .number()
    .nullable()
    .meta({ description: 'The ceiling that this key set for it; null for none.' }),
  left: z.number().nullable().meta({ description: 'What the ceiling leaves; null for no ceiling.' }),
  first_request_at: z.iso.datetime(),
  last_request_at: z.iso.datetime(),
});

export const writeRun = (
  id: string,
  { used, spent, held, credits, left, firstAt, lastAt }: RunSum,
): z.output<typeof runSchema> => ({
  id,
  requests: used,
  credits: creditsToJson(spent),
  held: creditsToJson(held),
  max_credits: credits === null ? null : creditsToJson(credits),
  left: left === null ? null : creditsToJson(left),
  first_request_at: firstAt.toISOString(),
  last_request_at: lastAt.toISOString(),
});

import { z } from 'zod';

const MAX_CHARACTERS = 500;
/** PostgreSQL can store neither of these. */
const UNSTORABLE = /\0|\p{Cs}/u;

const NOT_STORABLE = 'must be text without NUL characters or unpaired surrogates';
const text = z.string().refine((value) => !UNSTORABLE.test(value), { error: NOT_STORABLE });

/** The metadata that a partner attaches to its user. Opaque to us, and included in every event. */
export const metadataSchema = z
  .record(
    text,
    z.union([text, z.number(), z.boolean()], { error: 'must be a string, a finite number, true or false' }),
    {
      error: ({ code }) =>
        code === 'invalid_key'
          ? NOT_STORABLE
          : 'must be a flat object of strings, finite numbers and booleans',
    },
  )
  .refine((value) => JSON.stringify(value).length <= MAX_CHARACTERS, {
    error: `must have at most ${MAX_CHARACTERS} characters as JSON`,
  })
  .meta({
    description: `A flat object with your own values, at most ${MAX_CHARACTERS} characters as JSON. Every webhook event about the user includes the latest value.`,
  });

export type Metadata = z.output<typeof metadataSchema>;

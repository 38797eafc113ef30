import { z } from 'zod';

const MAX_CHARACTERS = 500;
/** PostgreSQL keeps neither of the two. */
const UNSTORABLE = /\0|\p{Cs}/u;

const text = z
  .string()
  .refine((value) => !UNSTORABLE.test(value), { error: 'must be text without NUL or half characters' });

/** What a partner attaches to its user: opaque to us, given back in every event. */
export const metadataSchema = z
  .record(
    text,
    z.union([text, z.number(), z.boolean()], { error: 'must be a string, a finite number, true or false' }),
    {
      error: 'must be a flat object of strings, finite numbers and booleans',
    },
  )
  .refine((value) => JSON.stringify(value).length <= MAX_CHARACTERS, {
    error: `must have at most ${MAX_CHARACTERS} characters as JSON`,
  })
  .meta({
    description: `A flat object of your own, at most ${MAX_CHARACTERS} characters as JSON. Every webhook event about the user carries the latest one given.`,
  });

export type Metadata = z.output<typeof metadataSchema>;

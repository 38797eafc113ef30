import { expect, test } from 'vitest';
import { z } from 'zod';
import { validate } from './read-body';

const schema = z.object({
  amount: z.unknown().refine((value) => value !== undefined),
  email: z.string().max(20),
  currency: z.enum(['usd', 'eur']).optional(),
  grant: z.literal('signin_token').optional(),
  seats: z.int().min(1).max(9).optional(),
  origins: z.array(z.string()).optional(),
  mode: z.string({ error: 'is one of ours' }).optional(),
});
const good = { amount: 5, email: 'ada@example.com' };

test.each([
  [{ email: good.email }, 'amount: is required'],
  [{ amount: 5 }, 'email: is required'],
  [{ ...good, email: null }, 'email: must be a string'],
  [{ ...good, email: 'x'.repeat(21) }, 'email: must have at most 20 characters'],
  [{ ...good, currency: 'gbp' }, 'currency: must be one of usd, eur'],
  [{ ...good, grant: 'password' }, 'grant: must be signin_token'],
  [{ ...good, seats: 1.5 }, 'seats: must be a whole number'],
  [{ ...good, seats: '2' }, 'seats: must be a number'],
  [{ ...good, seats: 0 }, 'seats: must be at least 1'],
  [{ ...good, seats: 10 }, 'seats: must be at most 9'],
  [{ ...good, origins: ['a', {}] }, 'origins.1: must be a string'],
  [{ ...good, mode: 7 }, 'mode: is one of ours'],
])('%j is refused with the field and the reason', (given, message) => {
  expect(() => validate(schema, given)).toThrow(message);
});

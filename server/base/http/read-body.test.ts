import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { readCutJson, validate } from './read-body';

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

test('a body that arrives byte by byte is kept in few buffers @attack', async () => {
  const text = JSON.stringify({ text: 'é'.repeat(10_000) });
  const body = new ReadableStream({
    start(controller) {
      for (const byte of Buffer.from(text)) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const request = new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit);
  const digest = createHash('sha256');
  const update = vi.spyOn(digest, 'update');
  const { cut, source } = await readCutJson(request, 1_000_000, { key: '', isLarge: false, digest });
  expect(cut.text).toBe(text);
  expect(source.bytes.toString()).toBe(text);
  expect(update.mock.calls.length).toBeLessThan(10);
});

import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { seedDemo } from '@/server/process/seed-demo';
import { newDatabase } from '../harness';

await newDatabase();

test('instances that start at once on a new database create one demo app', async () => {
  await Promise.all(Array.from({ length: 4 }, seedDemo));
  const include = { rates: true, origins: true, redirects: true };
  const [partner, ...others] = await prisma().partner.findMany({ include });
  expect(others).toEqual([]);
  expect([partner?.rates.length, partner?.origins.length, partner?.redirects.length]).toEqual([1, 1, 1]);
});

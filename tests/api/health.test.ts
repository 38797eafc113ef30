import { expect, test } from 'vitest';
import { GET } from '@/app/api/health/route';
import { closeDatabase } from '@/server/db';
import { newDatabase } from '../harness';

await newDatabase();

test('the health check succeeds while the database responds', async () => {
  const response = await GET();
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  await closeDatabase();
});

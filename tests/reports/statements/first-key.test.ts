import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { newDatabase } from '../../harness';
import { newPerson } from '../../harness/people';
import { runVerifier, startStatementWorld } from './statement-world';

await newDatabase();
const { url, generate } = await startStatementWorld();

test('the first receipt that a service signs is confirmed, although its key is made for it', async () => {
  const { userKey } = await newPerson({ credits: 100 });
  const requestId = await generate(userKey);
  expect(await prisma().signingKey.count()).toBe(0);
  const { code, text } = await runVerifier([`${url}/v1/credits/receipts/${requestId}`], userKey);
  expect([code, text]).toEqual([0, expect.stringContaining('Everything matches.')]);
});

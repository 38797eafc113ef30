import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { claimTopUp, findDue } from '@/server/payments/checkout/top-up/claim';
import { saveLowBalanceMail } from '@/server/payments/checkout/top-up/low-balance';
import { saveBillingDetails } from '@/server/payments/invoices/billing-details';
import { deleteAccount } from '@/server/people/delete-account';
import { newDatabase } from '../../harness';
import { startCheckout } from '../../payments/checkout/checkout-world';
import { newBuyer, turnOn } from '../../payments/top-up/buyer';
import { newTopUpUser, setMoney } from '../../payments/top-up/users';

/** What a user saves in one window while they delete the account in another. */

await newDatabase();
await startCheckout();

const GONE = 'This account has been deleted.';

test('auto top-up that is turned on while the account is deleted is not saved @attack', async () => {
  const buyer = await newBuyer();
  const { authorizeCard } = stripeProcessor;
  stripeProcessor.authorizeCard = async (card) => {
    const authorization = await authorizeCard.call(stripeProcessor, card);
    await deleteAccount(buyer.userId);
    return authorization;
  };
  try {
    await expect(turnOn(buyer)).rejects.toThrow(GONE);
  } finally {
    stripeProcessor.authorizeCard = authorizeCard;
  }
  expect(await prisma().autoTopUp.findUnique({ where: { userId: buyer.userId } })).toBeNull();
});

test('a deleted account is never charged, even if its auto top-up was left on @attack', async () => {
  const userId = await newTopUpUser();
  await setMoney(userId, 0);
  expect(await findDue([userId])).toEqual([userId]);
  await prisma().user.update({ where: { id: userId }, data: { deletedAt: new Date() } });
  expect(await findDue([userId])).toEqual([]);
  expect(await claimTopUp(userId)).toBe(false);
});

test('billing details and the low-balance mail are not saved for a deleted account', async () => {
  const { userId } = await newBuyer();
  await deleteAccount(userId);
  const details = { name: 'Ada', address: 'Street 1', country: 'DE', taxId: '', reference: '' };
  await expect(saveBillingDetails(userId, details)).rejects.toThrow(GONE);
  await expect(saveLowBalanceMail(userId, 100)).rejects.toThrow(GONE);
  expect(await prisma().billingDetails.count({ where: { userId } })).toBe(0);
  expect(await prisma().lowBalanceMail.count({ where: { userId } })).toBe(0);
});

import { expect, test } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, prisma } from '@/server/base/db';
import { checkLedger, OUTSIDE_ANY_APP, openWallet } from '@/server/ledger';
import { listPromotions } from '@/server/operator/promotions';
import { startOwnPayment } from '@/server/payments/checkout/own-payments';
import { deleteAccount } from '@/server/people/delete-account';
import { untaggedAddress } from '@/server/people/email';
import { hashMailbox, openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import {
  addLink,
  bookWithBonus,
  newGift,
  newPromotion,
  redeemGiftLink,
  startWithCode,
} from '../../harness/promotions';
import { present } from '../../people/account/person';
import { startCheckout } from './checkout-world';

/** Promotions count all accounts of one mailbox as one user. */

await newDatabase();
await startCheckout();

const signIn = (email: string): Promise<string> =>
  inTransaction(async (tx) => {
    const { id } = await openUser(tx, email);
    await openWallet(tx, id);
    return id;
  });

const orderOf = (userId: string) => ({ userId, partnerId: OUTSIDE_ANY_APP, credits: wholeCredits(1000) });

async function buy(userId: string, code: string | null): Promise<void> {
  const started = await startWithCode(orderOf(userId), code ?? '');
  if ('refusal' in started) throw new Error(started.refusal);
  await bookWithBonus({ ...orderOf(userId), sessionId: started.sessionId });
}

test('the limits per user and to first purchases outlast the account and hold for its +tags @attack', async () => {
  const once = await newPromotion();
  const first = await newPromotion({ isFirstPurchase: true, maxPerUser: 10 });
  const gift = await newGift();
  const user = await signIn('mallory@example.com');
  await buy(user, first.code);
  await buy(user, once.code);
  await redeemGiftLink(user, gift.code);
  const tagged = await signIn('mallory+2@example.com');
  await deleteAccount(user);
  const again = await signIn('mallory@example.com');
  expect(again).not.toBe(user);
  for (const account of [tagged, again]) {
    expect(await startWithCode(orderOf(account), once.code ?? '')).toMatchObject({ refusal: 'used' });
    expect(await startWithCode(orderOf(account), first.code ?? '')).toMatchObject({
      refusal: 'not_first_purchase',
    });
    expect(await redeemGiftLink(account, await addLink(gift.id))).toEqual({ refusal: 'used' });
  }
  const other = await signIn('alice@example.com');
  await buy(other, first.code);
  await buy(other, once.code);
  expect((await checkLedger()).differences).toEqual([]);
});

test('so do they for every spelling that the provider delivers to the same mailbox', async () => {
  const gift = await newGift();
  const spellings = ['al.pha@gmail.com', 'al.pha+x@gmail.com', 'alpha@gmail.com', 'a.l.p.h.a@googlemail.com'];
  const accounts = await Promise.all(spellings.map(signIn));
  expect(new Set(accounts).size).toBe(spellings.length);
  const [first = '', ...others] = accounts;
  expect(await redeemGiftLink(first, await addLink(gift.id))).toMatchObject({ credits: 500_000_000n });
  for (const account of others)
    expect(await redeemGiftLink(account, await addLink(gift.id))).toEqual({ refusal: 'used' });
});

test('an account of before such addresses were folded is found by the hash of that time', async () => {
  const address = 'o.l.d@gmail.com';
  const user = await signIn(address);
  const [legacy] = hashMailbox(address, untaggedAddress(address));
  await prisma().user.update({ where: { id: user }, data: { mailboxHash: legacy } });
  await deleteAccount(user);
  const again = await signIn('o.l.d+x@gmail.com');
  const found = await prisma().user.findUniqueOrThrow({ where: { id: again } });
  expect(Buffer.from(found.mailboxHash ?? [])).toEqual(Buffer.from(legacy));
});

test('accounts of one mailbox cannot redeem two codes for first purchases at once @attack', async () => {
  const codes = await Promise.all([1, 2, 3, 4].map(() => newPromotion({ isFirstPurchase: true })));
  const accounts = await Promise.all([1, 2, 3, 4].map((n) => signIn(`eve+${n}@example.com`)));
  const started = await Promise.all(
    accounts.map((account, n) => startWithCode(orderOf(account), codes[n]?.code ?? '')),
  );
  expect(started.filter((one) => 'bonus' in one)).toHaveLength(1);
});

const pay = (userId: string, code: string | null) =>
  startOwnPayment(present(userId), { amount: 10, currency: 'usd', promotionCode: code ?? undefined });

const reservedOf = async (id: string) =>
  (await listPromotions()).promotions.find((promotion) => promotion.id === id)?.reserved.redemptions;

test('unpaid payments of one mailbox reserve one bonus, also when they start at once @attack', async () => {
  const { id, code } = await newPromotion({ maxPerUser: 10, maxRedemptions: 5 });
  const accounts = await Promise.all([1, 2, 3, 4].map((n) => signIn(`trudy+${n}@example.com`)));
  await pay(accounts[0] ?? '', code);
  await pay(accounts[1] ?? '', code);
  expect(await reservedOf(id)).toBe(1);
  await Promise.allSettled(accounts.map((account) => pay(account, code)));
  expect(await reservedOf(id)).toBe(1);
});

test('a mailbox starts at most 10 payments with a code a day, and may then buy without one @attack', async () => {
  const { id, code } = await newPromotion();
  const account = await signIn('victor@example.com');
  for (let n = 0; n < 10; n++) await pay(account, code);
  const tagged = await signIn('victor+2@example.com');
  await expect(pay(tagged, code)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await pay(tagged, null)).toMatchObject({ checkoutUrl: expect.any(String) });
  await prisma().checkoutSession.updateMany({ where: { userId: account }, data: { status: 'expired' } });
  expect(await reservedOf(id)).toBe(0);
});

import { expect, test } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { checkLedger, readPockets, readSpendable } from '@/server/ledger';
import { setAllowance } from '@/server/payments/checkout/allowance';
import { findOwnPayment, startOwnPayment } from '@/server/payments/checkout/own-payments';
import { newDatabase } from '../../harness';
import { payByCard, startCheckout } from '../../payments/checkout/checkout-world';
import { joinApp, newUser, present } from './person';

/** Credits bought on the account's own pages, paid at the sandbox payment processor. */

await newDatabase();
await startCheckout();

async function start(userId: string) {
  const { checkoutUrl } = await startOwnPayment(present(userId), { amount: 10, currency: 'usd' });
  const { id } = await prisma().checkoutSession.findFirstOrThrow({ where: { userId } });
  return { checkoutUrl, id };
}

test('credits bought on the account pages belong to no app: none can spend them without an allowance, and none is notified', async () => {
  const userId = await newUser();
  const { checkoutUrl, id } = await start(userId);
  expect(await payByCard(checkoutUrl)).toMatchObject({ status: 'complete' });
  expect(await findOwnPayment(userId, id)).toMatchObject({
    status: 'completed',
    creditsAdded: 1_000_000_000n,
  });
  expect(await readPockets(userId)).toMatchObject({
    money: 1_000_000_000n,
    pockets: [{ partnerId: '', own: 1_000_000_000n }],
  });
  expect(await prisma().event.count()).toBe(0);

  const { partnerId } = await joinApp(userId, 'Notes');
  expect(await readSpendable(userId, partnerId)).toMatchObject({
    balance: 0n,
    status: 'partner_not_permitted',
  });
  await setAllowance({ userId, partnerId, saveId: newId('req') }, wholeCredits(400));
  expect(await readSpendable(userId, partnerId)).toMatchObject({ balance: 400_000_000n, status: 'ok' });
  expect((await checkLedger()).differences).toEqual([]);
});

test('a payment is credited once, however often the page polls', async () => {
  const userId = await newUser();
  const { checkoutUrl, id } = await start(userId);
  expect(await findOwnPayment(userId, id)).toMatchObject({ status: 'open' });
  await payByCard(checkoutUrl);
  await Promise.all(Array.from({ length: 5 }, () => findOwnPayment(userId, id)));
  expect((await readPockets(userId)).money).toBe(1_000_000_000n);
});

test("another user's payment is not found", async () => {
  const { id } = await start(await newUser());
  expect(await findOwnPayment(await newUser(), id)).toBeNull();
});

test.each([4, 501, '10', 10.005, Number.NaN])(
  'an amount of %s is refused before anything is written',
  async (amount) => {
    const userId = await newUser();
    await expect(startOwnPayment(present(userId), { amount, currency: 'usd' })).rejects.toMatchObject({
      param: 'amount',
    });
    expect(await prisma().checkoutSession.count({ where: { userId } })).toBe(0);
  },
);

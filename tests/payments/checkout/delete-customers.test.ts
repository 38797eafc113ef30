import { afterEach, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { sweepDeletedCustomers } from '@/server/payments/checkout/delete-customers';
import { startOwnPayment } from '@/server/payments/checkout/own-payments';
import { deleteAccount } from '@/server/people/delete-account';
import { newDatabase } from '../../harness';
import { addCard, buyWithForm, control, newBuyer } from './cards-world';
import { payByCard, SECRET_KEY, startCheckout } from './checkout-world';

/** The customers of deleted accounts at the processor, with Stripe's SDK against the sandbox. */

await newDatabase();
const world = await startCheckout();
afterEach(() => setClock());

async function readCustomerId(userId: string): Promise<string> {
  const { processorCustomerId } = await prisma().paymentCustomer.findUniqueOrThrow({ where: { userId } });
  return processorCustomerId ?? '';
}

/** The customer's cards as the processor lists them; the status is 404 once it is deleted. */
async function readCustomer(customerId: string): Promise<{ status: number; cards: number }> {
  const response = await fetch(`${world.sandboxUrl}/v1/customers/${customerId}/payment_methods?type=card`, {
    headers: { authorization: `Bearer ${SECRET_KEY}` },
  });
  const { data = [] } = (await response.json()) as { data?: unknown[] };
  return { status: response.status, cards: data.length };
}

const isKnown = async (userId: string) => (await prisma().paymentCustomer.count({ where: { userId } })) > 0;

test('a deleted account’s customer is deleted at the processor with its cards, and its purchases stay', async () => {
  const buyer = await newBuyer(world);
  await addCard(buyer);
  await buyWithForm(await buyer.openPopup(), 10);
  const customerId = await readCustomerId(buyer.userId);
  await sweepDeletedCustomers();
  expect(await readCustomer(customerId)).toEqual({ status: 200, cards: 1 });
  await deleteAccount(buyer.userId);
  await sweepDeletedCustomers();
  expect(await readCustomer(customerId)).toMatchObject({ status: 404 });
  expect(await isKnown(buyer.userId)).toBe(false);
  expect(await prisma().purchase.count({ where: { userId: buyer.userId } })).toBe(1);
});

test('while the processor does not answer, the deletion is repeated after 1, 2, 4 … minutes, later daily @attack', async () => {
  const buyer = await newBuyer(world);
  await addCard(buyer);
  const customerId = await readCustomerId(buyer.userId);
  const start = now();
  setClock(() => start);
  await deleteAccount(buyer.userId);
  // At the given time, one attempt fails. Returns when the next one is due.
  async function fail(at: number): Promise<number> {
    setClock(() => at);
    // The SDK repeats a call twice.
    await control(world, { fail_next: { status: 503, times: 3, path: 'customers' } });
    await sweepDeletedCustomers();
    const { deletionDueAt } = await prisma().paymentCustomer.findUniqueOrThrow({
      where: { userId: buyer.userId },
    });
    const due = deletionDueAt?.getTime() ?? 0;
    setClock(() => due - 1);
    await sweepDeletedCustomers();
    return due;
  }
  const waits: number[] = [];
  for (let at = start; waits.length < 4; ) {
    const due = await fail(at);
    waits.push((due - at) / MINUTE_MS);
    at = due;
  }
  expect(waits).toEqual([1, 1, 2, 4]);
  const monthLater = start + 30 * DAY_MS;
  expect((await fail(monthLater)) - monthLater).toBe(DAY_MS);
  expect(await readCustomer(customerId)).toMatchObject({ status: 200 });
  setClock(() => start + 365 * DAY_MS);
  await sweepDeletedCustomers();
  expect(await readCustomer(customerId)).toMatchObject({ status: 404 });
  expect(await isKnown(buyer.userId)).toBe(false);
});

test('a crash after the processor deleted the customer, and two sweeps at once, do no harm @attack', async () => {
  const buyer = await newBuyer(world);
  await addCard(buyer);
  const row = await prisma().paymentCustomer.findUniqueOrThrow({ where: { userId: buyer.userId } });
  await deleteAccount(buyer.userId);
  await Promise.all([sweepDeletedCustomers(), sweepDeletedCustomers()]);
  expect(await isKnown(buyer.userId)).toBe(false);
  // As if the process had died before it removed the row.
  await prisma().paymentCustomer.create({ data: { ...row, deletionDueAt: new Date(now()) } });
  await sweepDeletedCustomers();
  expect(await isKnown(buyer.userId)).toBe(false);
});

test('open payments are closed first, and one that the bank decides about is waited for @attack', async () => {
  const buyer = await newBuyer(world);
  await addCard(buyer);
  const customerId = await readCustomerId(buyer.userId);
  const { checkoutUrl } = await startOwnPayment(buyer.session, { amount: 10, currency: 'usd' });
  const [open] = await prisma().checkoutSession.findMany({ where: { userId: buyer.userId } });
  const debited = await (await buyer.openPopup()).startPayment({ amount: 5, currency: 'eur' });
  const iban = { iban: 'AT32 1904 3002 3547 3204', name: 'Ada Lovelace' };
  await fetch(debited.payment.embed_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(iban),
  });
  await deleteAccount(buyer.userId);
  await sweepDeletedCustomers();
  const statusOf = async (id: string) =>
    (await prisma().checkoutSession.findUniqueOrThrow({ where: { id } })).status;
  expect([await statusOf(open?.id ?? ''), await statusOf(debited.session_id)]).toEqual([
    'expired',
    'processing',
  ]);
  expect(await payByCard(checkoutUrl)).toMatchObject({ status: 'expired' });
  expect(await readCustomer(customerId)).toMatchObject({ status: 200 });

  await control(world, { advance_seconds: 180 });
  const later = now() + 2 * MINUTE_MS;
  setClock(() => later);
  await sweepDeletedCustomers();
  expect(await statusOf(debited.session_id)).toBe('completed');
  expect(await readCustomer(customerId)).toMatchObject({ status: 404 });
});

test('a customer whose creation had not been answered is forgotten an hour later, and found if it was', async () => {
  const buyers = [await newBuyer(world), await newBuyer(world)];
  const [silent, late] = buyers.map(({ userId }) => userId) as [string, string];
  for (const userId of [silent, late])
    await prisma().paymentCustomer.create({ data: { userId, creationKey: `customer_${userId}` } });
  await addCard(buyers[1] as (typeof buyers)[number]);
  const customerId = await readCustomerId(late);
  await prisma().paymentCustomer.update({ where: { userId: late }, data: { processorCustomerId: null } });
  for (const userId of [silent, late]) await deleteAccount(userId);
  await sweepDeletedCustomers();
  expect([await isKnown(silent), await isKnown(late)]).toEqual([true, true]);
  await prisma().paymentCustomer.update({
    where: { userId: late },
    data: { processorCustomerId: customerId },
  });
  const later = now() + HOUR_MS;
  setClock(() => later);
  await sweepDeletedCustomers();
  expect([await isKnown(silent), await isKnown(late)]).toEqual([false, false]);
  expect(await readCustomer(customerId)).toMatchObject({ status: 404 });
});

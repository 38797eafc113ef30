import Stripe from 'stripe';
import { expect, test, vi } from 'vitest';
import { DAY_MS, now } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { reversePayout } from '@/server/operator/change-payouts';
import { acceptPayoutEvent } from '@/server/payments/payouts/events';
import { findPayoutFacts } from '@/server/payments/payouts/operator-list';
import { reconcilePayouts } from '@/server/payments/payouts/reconcile';
import { sendPayouts } from '@/server/payments/payouts/send';
import { stripePayouts } from '@/server/payments/payouts/stripe/processor';
import { refreshTransfer, sweepTransfers } from '@/server/payments/payouts/transfers';
import { newDatabase } from '../../harness';
import { until } from '../../harness/until';
import { control, newPlannedPayout, readPayout, startPayouts } from './payout-world';

/** Transfers that an operator takes back in Stripe's dashboard. */

await newDatabase();
const world = await startPayouts();
const { stripe } = world;

async function newSentPayout(cents = 12_500) {
  const payout = await newPlannedPayout(cents);
  await sendPayouts();
  const { processorTransferId } = await readPayout(payout.payoutId);
  return { ...payout, transferId: String(processorTransferId) };
}

const booksOf = async (payoutId: string) =>
  (await prisma().payoutTransaction.findMany({ where: { payoutId }, orderBy: { createdAt: 'asc' } })).map(
    ({ kind }) => kind,
  );
const logOf = (subject: string) =>
  prisma().auditEntry.findMany({ where: { subject, teamId: { not: null } } });
const stateBecomes = (payoutId: string, state: string) =>
  until(
    () => readPayout(payoutId),
    (payout) => payout.state === state,
  );

test('a transfer that was reversed in Stripe’s dashboard is booked back once, however often Stripe says so @attack', async () => {
  const { payoutId, transferId } = await newSentPayout();
  await control(world, { webhooks: 'twice' });
  await stripe.transfers.createReversal(transferId);
  expect((await stateBecomes(payoutId, 'returned')).failure).toMatch(/reversed in Stripe’s dashboard/);
  await control(world, { webhooks: 'on' });
  await Promise.all([1, 2, 3].map(() => refreshTransfer(transferId)));
  await sweepTransfers();
  expect(await booksOf(payoutId)).toEqual(['payout', 'payout_return']);
  expect(await logOf(payoutId)).toMatchObject([
    { actor: 'service', what: 'payout.reversed', before: { state: 'sent' }, after: { state: 'returned' } },
  ]);
  expect((await findPayoutFacts(payoutId))?.attention).toBe('returned');
  expect(await prisma().payout.count({ where: { id: payoutId, reversedMinor: null } })).toBe(1);
});

test('an event only says where to look: what Stripe did not reverse stays sent, and other signatures are refused @attack', async () => {
  const { payoutId, transferId } = await newSentPayout();
  const lie = { id: transferId, object: 'transfer', amount: 12_500, amount_reversed: 12_500, reversed: true };
  const send = async (secret: string, id = transferId, extra = {}) => {
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'transfer.reversed',
      data: { object: { ...lie, id } },
    };
    const payload = JSON.stringify({ ...event, ...extra });
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
    const request = { method: 'POST', body: payload, headers: { 'stripe-signature': signature } };
    return (await fetch(`${world.url}/api/stripe`, request)).status;
  };
  expect(await send('whsec_of_somebody_else')).toBe(400);
  expect(await send('whsec_payout_tests')).toBe(200);
  expect(await send('whsec_payout_tests', 'tr_unknown')).toBe(200);
  // A connected account reports transfers of its own, not those to it.
  await control(world, { webhooks: 'drop' });
  await stripe.transfers.createReversal(transferId);
  await control(world, { webhooks: 'on' });
  expect(await send('whsec_payout_tests_connect', transferId, { account: 'acct_1' })).toBe(200);
  expect((await readPayout(payoutId)).state).toBe('sent');
  expect(await send('whsec_payout_tests')).toBe(200);
  expect((await readPayout(payoutId)).state).toBe('returned');
});

test('with one secret for both endpoints, as the Stripe CLI has, events of payments are not taken for those of accounts', async () => {
  const secret = 'whsec_payout_tests';
  const before = settings().STRIPE_CONNECT_WEBHOOK_SECRET;
  Object.assign(settings(), { STRIPE_CONNECT_WEBHOOK_SECRET: secret });
  const accept = (event: object) => {
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', data: { object: {} }, ...event });
    return acceptPayoutEvent(payload, Stripe.webhooks.generateTestHeaderString({ payload, secret }));
  };
  expect(await accept({ type: 'checkout.session.completed' })).toBe(false);
  expect(await accept({ type: 'account.updated', account: 'acct_unknown' })).toBe(true);
  Object.assign(settings(), { STRIPE_CONNECT_WEBHOOK_SECRET: before });
});

test('a transfer that was reversed in part changes no books and waits for an operator, who reverses the rest @attack', async () => {
  const { payoutId, transferId } = await newSentPayout();
  await stripe.transfers.createReversal(transferId, { amount: 4_000 });
  await until(
    () => readPayout(payoutId),
    ({ reversedMinor }) => reversedMinor === 4_000n,
  );
  expect(await booksOf(payoutId)).toEqual(['payout']);
  expect(await findPayoutFacts(payoutId)).toMatchObject({ state: 'sent', attention: 'reversed_in_part' });
  const period = { from: new Date(now() - DAY_MS), to: new Date(now() + DAY_MS) };
  const { differences } = await reconcilePayouts(period);
  expect(differences.filter((found) => found.payoutId === payoutId)).toMatchObject([
    { what: 'transferred, but reversed there in part, and sent here' },
  ]);
  await reversePayout({ operator: 'boss@example.com', payoutId, reason: 'the rest' });
  expect((await stripe.transfers.retrieve(transferId)).amount_reversed).toBe(12_500);
  expect(await booksOf(payoutId)).toEqual(['payout', 'payout_return']);
  expect((await findPayoutFacts(payoutId))?.attention).toBe('returned');
});

test('without events, the sweep finds what was reversed, and what was reversed in part and then as a whole', async () => {
  await control(world, { webhooks: 'drop' });
  const [whole, part, kept] = [await newSentPayout(), await newSentPayout(), await newSentPayout()];
  await stripe.transfers.createReversal(whole.transferId);
  await stripe.transfers.createReversal(part.transferId, { amount: 1 });
  await sweepTransfers();
  expect((await readPayout(whole.payoutId)).state).toBe('returned');
  expect(await readPayout(part.payoutId)).toMatchObject({ state: 'sent', reversedMinor: 1n });
  await stripe.transfers.createReversal(part.transferId);
  await sweepTransfers();
  expect((await readPayout(part.payoutId)).state).toBe('returned');
  expect(await readPayout(kept.payoutId)).toMatchObject({ state: 'sent', reversedMinor: null });
  await control(world, { webhooks: 'on' });
});

test('a transfer whose answer was lost and that was then reversed is recorded as sent, and booked back', async () => {
  const payout = await newPlannedPayout(3_000);
  await stripePayouts.transfer({ ...payout, amountMinor: 3_000, attempt: 1 });
  const died = { state: 'sending', attempts: 1, leaseUntil: new Date('2100-01-01') };
  await prisma().payout.update({ where: { id: payout.payoutId }, data: died });
  const transferId = String(await stripePayouts.findTransfer(payout));
  await stripe.transfers.createReversal(transferId);
  const returned = await stateBecomes(payout.payoutId, 'returned');
  expect(returned).toMatchObject({ processorTransferId: transferId, leaseUntil: null });
  expect(await booksOf(payout.payoutId)).toEqual(['payout', 'payout_return']);
});

test('a second transfer in the name of a payout, or one to another account, says nothing about it', async () => {
  const [one, other] = [await newSentPayout(700), await newSentPayout(700)];
  const copy = { amount: 700, currency: 'usd', transfer_group: `payout_${one.payoutId}` };
  const [second, foreign] = [
    await stripe.transfers.create({ ...copy, destination: one.accountId }),
    await stripe.transfers.create({ ...copy, destination: other.accountId }),
  ];
  for (const { id } of [second, foreign]) {
    await stripe.transfers.createReversal(id);
    await refreshTransfer(id);
  }
  expect(await readPayout(one.payoutId)).toMatchObject({ state: 'sent', reversedMinor: null });
});

test('of an operator’s reversal whose event arrives first, their reason and both logs remain, each once @attack', async () => {
  const { payoutId, transferId } = await newSentPayout();
  await control(world, { webhooks: 'drop' });
  const reverse = stripePayouts.reverseTransfer;
  const spy = vi.spyOn(stripePayouts, 'reverseTransfer').mockImplementation(async (given) => {
    const outcome = await reverse(given);
    await refreshTransfer(transferId);
    return outcome;
  });
  await reversePayout({ operator: 'boss@example.com', payoutId, reason: 'the app was taken over' });
  spy.mockRestore();
  await control(world, { webhooks: 'on' });
  expect(await readPayout(payoutId)).toMatchObject({ state: 'returned', failure: 'the app was taken over' });
  expect(await logOf(payoutId)).toMatchObject([{ actor: 'operator', what: 'payout.reversed' }]);
  const actions = await prisma().auditEntry.findMany({
    where: { teamId: null, subject: payoutId },
    orderBy: { id: 'asc' },
  });
  expect(actions).toMatchObject([
    { what: 'payout.reverse_asked' },
    { what: 'payout.reversed', before: { state: 'sent' }, after: { state: 'returned' } },
  ]);
});

import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { changePayout, planAgain, reversePayout, viewDestination } from '@/server/operator/change-payouts';
import { runCommand } from '@/server/operator/cli/run';
import { savePayeeDetails } from '@/server/payments/payouts/payee-details';
import { reconcilePayouts } from '@/server/payments/payouts/reconcile';
import { sendPayouts } from '@/server/payments/payouts/send';
import { readMetrics } from '@/server/process/metrics/metrics';
import { newDatabase } from '../../harness';
import { newPayout } from './payout-in-state';
import { control, newPlannedPayout, readPayout, startPayouts } from './payout-world';

/** What operators do about payouts, with the real SDK against the payment sandbox. */

await newDatabase();
const world = await startPayouts();
const { stripe } = world;

const OPERATOR = 'boss@example.com';
const asked = (payoutId: string) => ({ operator: OPERATOR, payoutId, reason: 'the app was taken over' });

async function newSentPayout(cents = 12_500) {
  const payout = await newPlannedPayout(cents);
  await sendPayouts();
  const { processorTransferId } = await readPayout(payout.payoutId);
  return { ...payout, transferId: String(processorTransferId) };
}

const actionsOf = async (subject: string) =>
  (await prisma().auditEntry.findMany({ where: { teamId: null, subject }, orderBy: { id: 'asc' } })).map(
    ({ what }) => what,
  );

const reconcile = () => reconcilePayouts({ from: new Date(now() - DAY_MS), to: new Date(now() + DAY_MS) });
const differencesOf = async (payoutId: string) =>
  (await reconcile()).differences.filter((found) => found.payoutId === payoutId).map(({ what }) => what);

async function svc(...words: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
  const status = await runCommand(words, terminal);
  return { status, out: out.join(''), err: err.join('') };
}
const svcJson = async (...words: string[]) => JSON.parse((await svc(...words, '--json')).out);

test('of five operators who reverse a payout at once, one books it back, and Stripe reverses once @attack', async () => {
  const { payoutId, transferId, teamId } = await newSentPayout();
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => reversePayout(asked(payoutId))));
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  expect(await stripe.transfers.retrieve(transferId)).toMatchObject({
    reversed: true,
    amount_reversed: 12_500,
  });
  expect(await readPayout(payoutId)).toMatchObject({ state: 'returned', failure: 'the app was taken over' });
  expect((await actionsOf(payoutId)).filter((what) => what === 'payout.reversed')).toHaveLength(1);
  expect(await prisma().auditEntry.findMany({ where: { teamId, subject: payoutId } })).toMatchObject([
    { actor: 'operator', what: 'payout.reversed', before: { state: 'sent' }, after: { state: 'returned' } },
  ]);
  await expect(reversePayout(asked(payoutId))).rejects.toThrow('This payout is returned');
  expect(await differencesOf(payoutId)).toEqual([]);
  const books = await prisma().payoutTransaction.findMany({ where: { payoutId } });
  expect(books.map(({ kind }) => kind).sort()).toEqual(['payout', 'payout_return']);
});

test('a reversal that was interrupted after Stripe made it is completed by repeating it @attack', async () => {
  // Otherwise an event, even one of the transfer itself that arrives late, would book it back first.
  await control(world, { webhooks: 'drop' });
  onTestFinished(() => control(world, { webhooks: 'on' }));
  const { payoutId, transferId } = await newSentPayout();
  await stripe.transfers.createReversal(transferId);
  expect(await differencesOf(payoutId)).toEqual(['transferred, but reversed there, and sent here']);
  await reversePayout(asked(payoutId));
  expect((await readPayout(payoutId)).state).toBe('returned');
  expect((await stripe.transfers.retrieve(transferId)).amount_reversed).toBe(12_500);
});

test('a reversal that Stripe refuses leaves the payout sent, with the reason and the request in the audit log', async () => {
  const { payoutId, accountId } = await newSentPayout();
  await control(world, { bank_payout: { account: accountId, outcome: 'paid' } });
  await expect(reversePayout(asked(payoutId))).rejects.toThrow(/^Stripe refuses the reversal: /);
  expect((await readPayout(payoutId)).state).toBe('sent');
  expect(await actionsOf(payoutId)).toEqual(['payout.reverse_asked']);
});

test('only a payout that Stripe has sent can be reversed', async () => {
  const planned = await newPlannedPayout(1_000);
  await expect(reversePayout(asked(planned.payoutId))).rejects.toThrow('This payout is planned');
  const manual = await newPayout({ state: 'sent', method: 'manual' });
  await expect(reversePayout(asked(manual.id))).rejects.toThrow('record it as returned');
});

test('reconcile finds what is missing, foreign, doubled, of another amount, or in another state', async () => {
  const missing = await newPayout({ state: 'sent', method: 'stripe' });
  await prisma().payout.update({ where: { id: missing.id }, data: { sentAt: new Date(now()) } });
  expect(await differencesOf(missing.id)).toEqual(['sent here, but not transferred by Stripe']);
  await prisma().payout.update({ where: { id: missing.id }, data: { sentAt: new Date('2026-01-01') } });

  const { payoutId, accountId: destination, transferId } = await newSentPayout(700);
  expect(await differencesOf(payoutId)).toEqual([]);
  const group = `payout_${payoutId}`;
  await stripe.transfers.create({ amount: 700, currency: 'usd', destination, transfer_group: group });
  await stripe.transfers.create({ amount: 699, currency: 'usd', destination, transfer_group: group });
  expect((await differencesOf(payoutId)).sort()).toEqual([
    'transferred, but 699 usd instead of 700 usd',
    `transferred, but recorded here as ${transferId}`,
  ]);

  await stripe.transfers.create({
    amount: 5,
    currency: 'usd',
    destination,
    transfer_group: 'payout_po_lost',
  });
  expect(await differencesOf('po_lost')).toEqual(['transferred, but the payout is unknown here']);
  const { foreign } = await reconcile();
  await stripe.transfers.create({ amount: 5, currency: 'usd', destination, transfer_group: 'rent' });
  expect((await reconcile()).foreign).toBe(foreign + 1);

  const failed = await newSentPayout(300);
  await prisma().payout.update({ where: { id: failed.payoutId }, data: { state: 'failed' } });
  expect(await differencesOf(failed.payoutId)).toEqual(['transferred, but failed here']);
  await prisma().payout.update({ where: { id: failed.payoutId }, data: { state: 'sent' } });
  const found = await svc('payouts', 'reconcile');
  expect([found.status, found.out]).toEqual([1, expect.stringContaining('the payout is unknown here')]);
});

test('a payout that waits for balance is sent as soon as an operator asks', async () => {
  const { payoutId } = await newPlannedPayout(900);
  await control(world, { balance: 0 });
  await sendPayouts();
  await control(world, { balance: 10_000_000 });
  await sendPayouts();
  expect((await readPayout(payoutId)).state).toBe('waiting_for_balance');
  expect(await readMetrics()).toMatch(/svc_payouts_needing_attention\{due="waiting_for_balance"\} 1\n/);
  await changePayout({ ...asked(payoutId), change: { do: 'send_now' } });
  await sendPayouts();
  expect((await readPayout(payoutId)).state).toBe('sent');
});

test('after a payout failed, an operator plans another one once the cause is fixed', async () => {
  setClock(() => Date.UTC(2026, 10, 5));
  const { payoutId, teamId, accountId } = await newPlannedPayout(5_000);
  await changePayout({ ...asked(payoutId), change: { do: 'failed' } });
  await control(world, { connect_account: { id: accountId, state: 'restricted' } });
  await prisma().payoutAccount.update({ where: { teamId }, data: { state: 'restricted' } });
  const again = { operator: OPERATOR, teamId, reason: 'fixed' };
  await expect(planAgain(again)).rejects.toThrow('account at Stripe is not active');
  await prisma().payoutAccount.update({ where: { teamId }, data: { state: 'active' } });
  await planAgain(again);
  await expect(planAgain(again)).rejects.toThrow('already has a payout in this month');
  expect(await prisma().payout.count({ where: { teamId, state: 'planned' } })).toBe(1);
});

test('an operator sees the destination of a planned payout only, and the audit log records each look @attack', async () => {
  const { id, teamId } = await newPayout({ state: 'planned', method: 'manual' });
  await expect(viewDestination(OPERATOR, id)).rejects.toThrow('has not entered a bank account');
  const details = { name: 'Ada', address: 'Street 1\n1010 Vienna', country: 'AT', taxId: '' };
  const saved = await savePayeeDetails(
    teamId,
    { ...details, destination: 'AT61 1904 3002 3457 3201' } as never,
    async () => {},
  );
  expect(saved).toMatchObject({ ok: true });
  expect(await viewDestination(OPERATOR, id)).toBe('AT61 1904 3002 3457 3201');
  expect(await actionsOf(id)).toEqual(['payout.destination']);
  const logged = await prisma().auditEntry.findMany({ where: { teamId: null, subject: id } });
  expect(JSON.stringify(logged)).not.toContain('3201');
  // The change took the approval back.
  await changePayout({ ...asked(id), change: { do: 'approve' } });
  await changePayout({ ...asked(id), change: { do: 'failed' } });
  await expect(viewDestination(OPERATOR, id)).rejects.toThrow('This payout is failed');
  const byStripe = await newPayout({ state: 'planned', method: 'stripe' });
  await expect(viewDestination(OPERATOR, byStripe.id)).rejects.toThrow('Stripe knows');
});

test('the command line plans, sends, lists and exports payouts', async () => {
  // What other tests have planned.
  await sendPayouts();
  const { payoutId, teamId } = await newPlannedPayout(3_300);
  expect(await svcJson('payouts', 'run')).toMatchObject({ sent: 1, failed: 0 });
  expect((await svcJson('payouts', 'list', '--search', payoutId)).payouts).toMatchObject([
    { payout_id: payoutId, state: 'sent', amount: 33, reference: expect.stringMatching(/^tr_/) },
  ]);
  const year = new Date(now()).getUTCFullYear();
  const exported = await svc('payouts', 'export', '--year', String(year));
  expect(exported.out).toMatch(/^year,team id,/);
  expect(exported.out).toContain(teamId);
  expect(await svc('payouts', 'export', '--year', 'last')).toMatchObject({ status: 1 });
  for (const period of [
    ['--from', '1'],
    ['--to', '2026-02-31'],
    ['--from', '2026-12-01', '--to', '2026-12-01'],
  ])
    expect(await svc('payouts', 'reconcile', ...period)).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/^Invalid /),
    });
});

import { expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, nowDate } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { makeMailDue } from '@/server/base/due-mails';
import { refreshBankPayout, sweepBankPayouts } from '@/server/payments/payouts/bank-payouts';
import { notePayoutMails } from '@/server/payments/payouts/mails';
import { sendPayouts } from '@/server/payments/payouts/send';
import { stripePayouts } from '@/server/payments/payouts/stripe/processor';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { until } from '../../harness/until';
import {
  advance,
  type CaughtMail,
  control,
  earn,
  newPlannedPayout,
  readPayout,
  startPayouts,
} from './payout-world';

await newDatabase();
const world = await startPayouts();
const { stripe } = world;

const transfersTo = async (destination: string) => (await stripe.transfers.list({ destination })).data;
const mailsTo = async (email: string): Promise<CaughtMail[]> => {
  await notePayoutMails();
  await sendMails('payout');
  const response = await fetch(`${world.mailUrl}/mails?to=${encodeURIComponent(email)}`);
  return (await response.json()) as CaughtMail[];
};
/** What the books say that the app was paid. */
async function paidOut(partnerId: string): Promise<bigint> {
  const [row] = await prisma().$queryRaw<{ paid: bigint }[]>`
    SELECT coalesce(sum((p ->> 'amount')::bigint), 0)::bigint AS paid
    FROM payout_transaction t, jsonb_array_elements(t.postings) p
    WHERE p ->> 'account' = 'partner_paid_out' AND p ->> 'partner_id' = ${partnerId}`;
  return row?.paid ?? 0n;
}

test('several instances send an approved payout once, and the owner and finance members receive a mail', async () => {
  const payout = await newPlannedPayout(4_250);
  await Promise.all([sendPayouts(), sendPayouts(), sendPayouts()]);
  await sendPayouts();
  expect(await transfersTo(payout.accountId)).toMatchObject([
    { amount: 4_250, currency: 'usd', metadata: { payout: payout.payoutId } },
  ]);
  expect(await readPayout(payout.payoutId)).toMatchObject({ state: 'sent', attempts: 1, leaseUntil: null });
  await Promise.all([notePayoutMails(), notePayoutMails()]);
  await Promise.all([sendMails('payout'), sendMails('payout')]);
  for (const email of [payout.owner, payout.finance]) {
    const mails = await mailsTo(email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Your payout of $42.50 is on its way']);
    expect(mails[0]?.text).toContain(`/payouts/${payout.payoutId}`);
  }
  expect(await mailsTo(payout.owner.replace('owner', 'developer'))).toEqual([]);
});

test.each<[string, object]>([
  ['waits for its approval', { approvedBy: null }],
  ['is held', { heldAt: new Date('2026-11-01'), heldReason: 'Review' }],
])('a payout that %s is not sent', async (_, data) => {
  const payout = await newPlannedPayout(1_000, data);
  await sendPayouts();
  expect(await readPayout(payout.payoutId)).toMatchObject({ state: 'planned' });
  await prisma().payout.update({
    where: { id: payout.payoutId },
    data: { approvedBy: 'operator', heldAt: null },
  });
  await sendPayouts();
  expect(await readPayout(payout.payoutId)).toMatchObject({ state: 'sent' });
});

test('a payout of a team that is held is not sent, but one that was sent before is found @attack', async () => {
  const [unsent, sent] = [await newPlannedPayout(1_000), await newPlannedPayout(2_000)];
  const teams = { where: { id: { in: [unsent.teamId, sent.teamId] } } };
  await prisma().team.updateMany({ ...teams, data: { payoutsHeldAt: nowDate() } });
  // As two processes leave them that died before and after the transfer.
  const died = { state: 'sending', attempts: 1, leaseUntil: new Date(0) };
  await prisma().payout.updateMany({ where: { id: { in: [unsent.payoutId, sent.payoutId] } }, data: died });
  await stripePayouts.transfer({ ...sent, amountMinor: 2_000, attempt: 1 });
  await sendPayouts();
  expect((await readPayout(sent.payoutId)).state).toBe('sent');
  expect((await readPayout(unsent.payoutId)).state).toBe('sending');
  expect(await transfersTo(unsent.accountId)).toEqual([]);
  await prisma().team.updateMany({ ...teams, data: { payoutsHeldAt: null } });
  advance(6 * MINUTE_MS);
  await sendPayouts();
  expect((await readPayout(unsent.payoutId)).state).toBe('sent');
});

test('a payout waits while the balance at the processor is too low, and is tried again the next day, or when an operator asks', async () => {
  const [one, other] = [await newPlannedPayout(30_000), await newPlannedPayout(20_000)];
  await control(world, { balance: 10_000 });
  await sendPayouts();
  for (const { payoutId } of [one, other])
    expect(await readPayout(payoutId)).toMatchObject({ state: 'waiting_for_balance', leaseUntil: null });
  expect(await paidOut(one.partnerId)).toBe(30_000_000_000n);

  await control(world, { balance: 10_000_000 });
  await sendPayouts();
  expect((await readPayout(one.payoutId)).state).toBe('waiting_for_balance');
  await prisma().payout.update({ where: { id: one.payoutId }, data: { nextLookAt: nowDate() } });
  await sendPayouts();
  expect((await readPayout(one.payoutId)).state).toBe('sent');
  expect((await readPayout(other.payoutId)).state).toBe('waiting_for_balance');
  advance(DAY_MS);
  await sendPayouts();
  expect(await readPayout(other.payoutId)).toMatchObject({ state: 'sent', failure: null });
  expect(await transfersTo(other.accountId)).toHaveLength(1);
});

test.each<['restricted' | 'deauthorized', RegExp]>([
  ['restricted', /cannot receive money now\. Complete what Stripe asks for/],
  ['deauthorized', /no longer exists, or is no longer connected\. Set up a new one/],
])(
  'a payout to an account that is %s fails with what to do, and the money is booked back',
  async (state, reason) => {
    const payout = await newPlannedPayout(5_000);
    await control(world, { webhooks: 'drop', connect_account: { id: payout.accountId, state } });
    await control(world, { webhooks: 'on' });
    expect(await paidOut(payout.partnerId)).toBe(5_000_000_000n);
    await sendPayouts();
    const failed = await readPayout(payout.payoutId);
    expect(failed).toMatchObject({ state: 'failed', failure: expect.stringMatching(reason) });
    expect(failed.failure).not.toContain('acct_');
    expect(await paidOut(payout.partnerId)).toBe(0n);
    const mails = await mailsTo(payout.owner);
    expect(mails.map(({ subject }) => subject)).toContain('Your payout of $50.00 failed');
    expect(mails.find(({ subject }) => subject.includes('failed'))?.text).toMatch(reason);
  },
);

test('while Stripe cannot be reached, a payout stays on its way and is sent later', async () => {
  const payout = await newPlannedPayout(6_000);
  await control(world, { fail_next: { status: 500, times: 10, path: 'transfers' } });
  await sendPayouts();
  expect((await readPayout(payout.payoutId)).state).toBe('sending');
  await control(world, { fail_next: { status: 500, times: 1, path: 'nothing' } });
  await sendPayouts();
  expect((await readPayout(payout.payoutId)).state).toBe('sending');
  advance(6 * MINUTE_MS);
  await sendPayouts();
  expect((await readPayout(payout.payoutId)).state).toBe('sent');
  expect(await transfersTo(payout.accountId)).toHaveLength(1);
});

test('while Stripe still works on the same transfer, a payout stays on its way, and is not booked back @attack', async () => {
  const payout = await newPlannedPayout(6_100);
  await control(world, { fail_next: { status: 409, times: 3, path: 'transfers' } });
  await sendPayouts();
  expect((await readPayout(payout.payoutId)).state).toBe('sending');
  expect(await paidOut(payout.partnerId)).toBe(6_100_000_000n);
  advance(6 * MINUTE_MS);
  await sendPayouts();
  expect((await readPayout(payout.payoutId)).state).toBe('sent');
});

test('how the bank accepts a payout is shown and mailed, and is not booked', async () => {
  const payout = await newPlannedPayout(7_000);
  await sendPayouts();
  await control(world, { bank_payout: { account: payout.accountId, outcome: 'failed' } });
  const refused = await until(
    () => readPayout(payout.payoutId),
    ({ bankState }) => bankState === 'failed',
  );
  expect(refused).toMatchObject({ state: 'sent', bankFailure: 'The bank account has been closed.' });
  expect(await paidOut(payout.partnerId)).toBe(7_000_000_000n);
  const [mail] = await mailsTo(payout.finance);
  expect(mail?.subject).toBe('Your bank did not accept your payout of $70.00');

  // The next attempt, of which no event arrives.
  await control(world, { webhooks: 'drop' });
  await control(world, { bank_payout: { account: payout.accountId, outcome: 'in_transit' } });
  await refreshBankPayout(payout.accountId);
  expect(await readPayout(payout.payoutId)).toMatchObject({ bankState: 'in_transit', bankFailure: null });
  await control(world, { bank_payout: { account: payout.accountId, outcome: 'paid' } });
  await control(world, { webhooks: 'on' });
  await sweepBankPayouts();
  expect(await readPayout(payout.payoutId)).toMatchObject({ bankState: 'paid' });
});

test('a transfer is reversed as a whole, once, and only while the account still has the money', async () => {
  const payout = await newPlannedPayout(8_000);
  await sendPayouts();
  const transferId = String((await readPayout(payout.payoutId)).processorTransferId);
  const given = { payoutId: payout.payoutId, transferId };
  await control(world, { bank_payout: { account: payout.accountId, outcome: 'in_transit' } });
  expect(await stripePayouts.reverseTransfer(given)).toMatchObject({ kind: 'refused' });
  await control(world, { bank_payout: { account: payout.accountId, outcome: 'failed' } });
  expect(await stripePayouts.reverseTransfer(given)).toEqual({ kind: 'reversed' });
  expect(await stripePayouts.reverseTransfer(given)).toEqual({ kind: 'reversed' });
  expect(await stripe.transfers.retrieve(transferId)).toMatchObject({ amount_reversed: 8_000 });
});

test('a mail is not sent to a member who has left', async () => {
  const payout = await newPlannedPayout(9_000);
  await earn(payout, 1);
  await sendPayouts();
  await prisma().$executeRaw`UPDATE payout SET mailed_state = 'sent' WHERE id = ${payout.payoutId}`;
  const ref = { payoutId: payout.payoutId, kind: 'sent', email: payout.finance };
  await makeMailDue(prisma(), 'payout', ref);
  await prisma().teamMember.deleteMany({ where: { email: payout.finance } });
  expect(await mailsTo(payout.finance)).toEqual([]);
  expect(await prisma().dueMail.count({ where: { ref: { equals: ref } } })).toBe(0);
});

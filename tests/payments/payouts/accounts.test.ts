import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, nowDate, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import {
  openDashboard,
  readPayoutAccount,
  refreshAccount,
  startOnboarding,
  sweepAccounts,
} from '@/server/payments/payouts/accounts';
import { describeAccount } from '@/server/payments/payouts/describe-account';
import { notePayoutMails } from '@/server/payments/payouts/mails';
import { disconnectByMember } from '@/server/payments/payouts/member-requests';
import { requestPayout } from '@/server/payments/payouts/plan';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { until } from '../../harness/until';
import {
  advance,
  type CaughtMail,
  CONNECT_SECRET,
  control,
  newPayee,
  newPlannedPayout,
  onboard,
  REFRESH_URL,
  RETURN_URL,
  readPayout,
  startPayouts,
} from './payout-world';

await newDatabase();
const world = await startPayouts();
const links = { returnUrl: RETURN_URL, refreshUrl: REFRESH_URL };
const stateOf = async (teamId: string) => (await readPayoutAccount(teamId))?.state;
const accountsOf = (teamId: string) =>
  [...world.kept]
    .filter(([id, body]) => id.startsWith('acct_') && JSON.stringify(body).includes(teamId))
    .map(([id]) => id);

test('members who ask at the same time create one account', async () => {
  const { teamId, owner, finance } = await newPayee();
  const asked = [owner, finance, owner, finance].map((email) =>
    startOnboarding({ teamId, country: 'AT', email, ...links }),
  );
  const urls = new Set((await Promise.all(asked)).map(({ url }) => url));
  expect(urls.size).toBe(4);
  expect(accountsOf(teamId)).toEqual([(await readPayoutAccount(teamId))?.processorAccountId]);
});

test('an account is a recipient across regions only, and its country can change until it is used', async () => {
  const { teamId, owner } = await newPayee();
  for (const [country, agreement] of [
    ['DE', 'full'],
    ['US', 'recipient'],
  ] as const) {
    await startOnboarding({ teamId, country, email: owner, ...links });
    const id = String((await readPayoutAccount(teamId))?.processorAccountId);
    expect(await world.stripe.accounts.retrieve(id)).toMatchObject({
      country,
      email: owner,
      metadata: { team: teamId },
      tos_acceptance: { service_agreement: agreement },
    });
  }
  expect(accountsOf(teamId)).toHaveLength(2);
  await expect(startOnboarding({ teamId, country: 'BR', email: owner, ...links })).rejects.toMatchObject({
    param: 'country',
  });
});

test('an event makes an account active as soon as it can be paid', async () => {
  const payee = await newPayee();
  await onboard(payee);
  await until(
    () => stateOf(payee.teamId),
    (state) => state === 'active',
  );
  expect(await openDashboard(payee.teamId)).toMatchObject({
    url: expect.stringContaining('/connect/dashboard/'),
  });
});

test('a link to the onboarding works once and for minutes, and then asks for a new one', async () => {
  const { teamId, owner } = await newPayee();
  const open = () => startOnboarding({ teamId, country: 'AT', email: owner, ...links });
  const { url } = await open();
  const finish = () =>
    fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ answer: 'later' }) });
  expect((await finish()).headers.get('location')).toBe(RETURN_URL);
  expect((await finish()).headers.get('location')).toBe(REFRESH_URL);
  const old = await open();
  advance(6 * MINUTE_MS);
  expect((await fetch(old.url, { redirect: 'manual' })).headers.get('location')).toBe(REFRESH_URL);
});

test('without events, the sweep learns what changed', async () => {
  const payee = await newPayee();
  await control(world, { webhooks: 'drop' });
  const id = await onboard(payee);
  expect(await stateOf(payee.teamId)).toBe('onboarding');
  await sweepAccounts();
  expect(await stateOf(payee.teamId)).toBe('active');
  await control(world, { connect_account: { id, state: 'restricted' } });
  await control(world, { webhooks: 'on' });
  await sweepAccounts();
  expect(await stateOf(payee.teamId)).toBe('active');
  advance(DAY_MS + HOUR_MS);
  await sweepAccounts();
  expect(await stateOf(payee.teamId)).toBe('restricted');
});

async function mailsTo(email: string): Promise<CaughtMail[]> {
  await notePayoutMails();
  await sendMails('payout_account');
  const response = await fetch(`${world.mailUrl}/mails?to=${encodeURIComponent(email)}`);
  return (await response.json()) as CaughtMail[];
}

test('what an account lacks is said in words, on the page and once by mail', async () => {
  const payee = await newPayee();
  const accountId = await onboard(payee, 'later');
  await refreshAccount(payee.teamId);
  const words = async () => {
    const account = await readPayoutAccount(payee.teamId);
    return account && describeAccount(account);
  };
  const needed = 'Until Stripe has it, you are not paid: an identity document.';
  expect(await words()).toEqual({ title: 'Restricted', text: needed });
  const mails = () => mailsTo(payee.owner);
  expect(await mails()).toMatchObject([
    { subject: 'Your payout account needs your attention', text: expect.stringContaining(needed) },
  ]);
  const decide = async (change: object) => {
    await control(world, { connect_account: { id: accountId, ...change } });
    return refreshAccount(payee.teamId);
  };
  await decide({ state: 'restricted', due: ['individual.address.city', 'person_1.verification.document'] });
  expect((await words())?.text).toContain('your address, an identity document');
  await decide({ state: 'pending' });
  expect((await words())?.text).toBe('Stripe is checking your details.');
  expect(await mails()).toHaveLength(1);
  await decide({ state: 'rejected' });
  expect(await words()).toMatchObject({ title: 'Rejected' });
  expect((await mails())[0]?.subject).toBe('Your payout account was rejected');
});

test('an account that its owner disconnects is closed, and the team can begin again', async () => {
  const payee = await newPayee();
  const id = await onboard(payee);
  await until(
    () => stateOf(payee.teamId),
    (state) => state === 'active',
  );
  await control(world, { connect_account: { id, state: 'deauthorized' } });
  await until(
    () => stateOf(payee.teamId),
    (state) => state === 'closed',
  );
  expect(await openDashboard(payee.teamId)).toBeNull();
  const next = await onboard(payee);
  expect(next).not.toBe(id);
  await refreshAccount(payee.teamId);
  expect(await stateOf(payee.teamId)).toBe('active');
});

test('an owner replaces an account that still exists: what was not sent fails, and the first payout to the new one waits @attack', async () => {
  const payout = await newPlannedPayout(5_000);
  const waiting = await newPlannedPayout(6_000, { state: 'waiting_for_balance' });
  const sending = await newPlannedPayout(7_000, { state: 'sending', leaseUntil: new Date('2100-01-01') });
  const ask = ({ teamId }: { teamId: string }) => disconnectByMember({ teamId, actor: 'usr_owner' });
  for (const { teamId, payoutId } of [payout, waiting]) {
    expect(await ask({ teamId })).toBe(true);
    expect(await readPayout(payoutId)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('was disconnected'),
    });
    const booked = await prisma().payoutTransaction.findMany({ where: { payoutId } });
    expect(booked.map(({ kind }) => kind).sort()).toEqual(['payout', 'payout_return']);
    expect(await ask({ teamId })).toBe(false);
    expect(await prisma().auditEntry.findMany({ where: { teamId } })).toMatchObject([
      { actor: 'usr_owner', what: 'payouts.disconnect', before: { country: 'AT' } },
    ]);
  }
  await expect(ask(sending)).rejects.toThrow('A payout is being sent to this account');
  expect(await prisma().payoutAccount.findUnique({ where: { teamId: sending.teamId } })).toMatchObject({
    processorAccountId: sending.accountId,
  });

  // Nothing that Stripe still reports about the old account brings it back.
  await control(world, { connect_account: { id: payout.accountId, state: 'active' } });
  await refreshAccount(payout.teamId);
  expect(await stateOf(payout.teamId)).toBe('closed');
  const mails = await mailsTo(payout.owner);
  expect(mails.map(({ subject }) => subject)).toContain('Your payout account was closed');

  const next = await onboard(payout);
  expect(next).not.toBe(payout.accountId);
  await refreshAccount(payout.teamId);
  setClock(() => Date.parse('2026-11-23T12:00:00Z'));
  expect(await requestPayout(payout.teamId)).toMatchObject({ outcome: 'created' });
  const planned = await prisma().payout.findFirst({ where: { teamId: payout.teamId, state: 'planned' } });
  expect(planned).toMatchObject({ processorAccountId: next, approvedBy: null, amount: 5_000_000_000n });
});

test('an account that is disconnected while a caller still creates it is not stored again @attack', async () => {
  const payee = await newPayee();
  await onboard(payee, 'later');
  const { creationKey } = await prisma().payoutAccount.findUniqueOrThrow({ where: { teamId: payee.teamId } });
  await disconnectByMember({ teamId: payee.teamId, actor: 'usr_owner' });
  const row = await prisma().payoutAccount.findUniqueOrThrow({ where: { teamId: payee.teamId } });
  expect(row).toMatchObject({ state: 'closed', processorAccountId: null });
  expect(row.creationKey).not.toBe(creationKey);
});

test('an account that was closed without our knowledge is replaced when a member comes back', async () => {
  const payee = await newPayee();
  const id = await onboard(payee, 'later');
  await control(world, { webhooks: 'drop', connect_account: { id, state: 'deauthorized' } });
  await control(world, { webhooks: 'on' });
  expect(await onboard(payee)).not.toBe(id);
});

test('a reading that began before the last one does not replace it', async () => {
  const payee = await newPayee();
  await control(world, { webhooks: 'drop' });
  await onboard(payee);
  await control(world, { webhooks: 'on' });
  const checkedAt = new Date(nowDate().getTime() + HOUR_MS);
  await prisma().payoutAccount.update({
    where: { teamId: payee.teamId },
    data: { checkedAt, state: 'restricted' },
  });
  await refreshAccount(payee.teamId);
  expect(await stateOf(payee.teamId)).toBe('restricted');
});

async function sendEvent(event: object, secret = CONNECT_SECRET): Promise<number> {
  const payload = JSON.stringify(event);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
  const response = await fetch(`${world.url}/api/stripe`, {
    method: 'POST',
    body: payload,
    headers: { 'stripe-signature': signature },
  });
  return response.status;
}

test('an event only says where to look: unknown accounts are accepted, other signatures are not @attack', async () => {
  const payee = await newPayee();
  await control(world, { webhooks: 'drop' });
  const account = await onboard(payee, 'later');
  await control(world, { webhooks: 'on' });
  const lie = { id: account, object: 'account', capabilities: { transfers: 'active' } };
  const event = { id: 'evt_1', object: 'event', type: 'account.updated', account, data: { object: lie } };
  expect(await sendEvent(event, 'whsec_of_somebody_else')).toBe(400);
  expect(await stateOf(payee.teamId)).toBe('onboarding');
  expect(await sendEvent({ ...event, account: 'acct_unknown' })).toBe(200);
  expect(await sendEvent({ ...event, type: 'payout.paid', account: 'acct_unknown' })).toBe(200);
  expect(await sendEvent({ ...event, type: 'person.updated' })).toBe(200);
  // The endpoint for payments may not say anything about accounts.
  expect(await sendEvent(event, 'whsec_payout_tests')).toBe(200);
  expect(await stateOf(payee.teamId)).toBe('onboarding');
  expect(await sendEvent(event)).toBe(200);
  expect(await stateOf(payee.teamId)).toBe('restricted');
});

test('an event with a thin payload is understood as well', async () => {
  const payee = await newPayee();
  await control(world, { webhooks: 'drop' });
  const context = await onboard(payee);
  await control(world, { webhooks: 'on' });
  const thin = {
    id: 'evt_2',
    object: 'v2.core.event',
    type: 'v1.account.updated',
    context,
    created: nowDate().toISOString(),
    livemode: false,
    related_object: { id: context, type: 'account', url: `/v1/accounts/${context}` },
  };
  expect(await sendEvent(thin)).toBe(200);
  expect(await stateOf(payee.teamId)).toBe('active');
});

import { beforeEach, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { returnPayout } from '@/server/ledger';
import { disconnectAccount, refreshAccount } from '@/server/payments/payouts/accounts';
import { savePayeeDetails } from '@/server/payments/payouts/payee-details';
import { planPayouts, requestPayout } from '@/server/payments/payouts/plan';
import { newDatabase } from '../../harness';
import { until } from '../../harness/until';
import { earn, newPayee, onboard, type Payee, readPayout, startPayouts } from './payout-world';

await newDatabase();
await startPayouts();

const payoutsOf = ({ teamId }: Payee) =>
  prisma().payout.findMany({ where: { teamId }, orderBy: { createdAt: 'asc' } });
const at = (time: string) => setClock(() => Date.parse(time));
beforeEach(() => {
  Object.assign(settings(), { PAYOUTS: 'stripe', PAYOUT_SCHEDULE: 'monthly' });
  at('2026-11-05T12:00:00Z');
});

async function newReadyPayee(cents: number): Promise<Payee> {
  const payee = await newPayee();
  await onboard(payee);
  await refreshAccount(payee.teamId);
  await earn(payee, cents);
  return payee;
}

test('a team has one payout per month, however many instances plan it and members ask for it @attack', async () => {
  const payee = await newReadyPayee(5_000);
  await Promise.all([
    ...[1, 2, 3].map(() => planPayouts()),
    ...[1, 2, 3].map(() => requestPayout(payee.teamId)),
  ]);
  expect(await payoutsOf(payee)).toMatchObject([
    { amount: 5_000_000_000n, method: 'stripe', state: 'planned', approvedBy: null },
  ]);
  await earn(payee, 4_000);
  await planPayouts();
  expect(await requestPayout(payee.teamId)).toMatchObject({ outcome: 'exists' });
  expect(await payoutsOf(payee)).toHaveLength(1);
});

test('the first payout to an account waits for an approval, and later ones to it do not @attack', async () => {
  const payee = await newReadyPayee(5_000);
  await planPayouts();
  const [first] = await payoutsOf(payee);
  expect(first?.approvedBy).toBeNull();
  await prisma().payout.update({
    where: { id: String(first?.id) },
    data: { approvedBy: 'operator', state: 'sent' },
  });
  at('2026-12-01T00:00:01Z');
  await earn(payee, 5_000);
  await planPayouts();
  expect((await payoutsOf(payee)).map(({ approvedBy }) => approvedBy)).toEqual(['operator', 'service']);
  // Another account of the same team.
  await disconnectAccount(payee.teamId, async () => {});
  await onboard(payee);
  await refreshAccount(payee.teamId);
  at('2027-01-01T00:00:01Z');
  await earn(payee, 5_000);
  await planPayouts();
  expect((await payoutsOf(payee)).map(({ approvedBy }) => approvedBy)).toEqual(['operator', 'service', null]);
});

test('what is below the minimum waits: that of the installation, or the team’s own', async () => {
  const [small, own] = [await newReadyPayee(2_400), await newReadyPayee(2_400)];
  await prisma().team.update({ where: { id: own.teamId }, data: { payoutMinimum: 1_000_000_000n } });
  await planPayouts();
  expect(await payoutsOf(small)).toEqual([]);
  expect(await payoutsOf(own)).toMatchObject([{ amount: 2_400_000_000n }]);
  await earn(small, 100);
  await planPayouts();
  expect(await payoutsOf(small)).toMatchObject([{ amount: 2_500_000_000n }]);
});

test('a team without an account is not paid, nor one whose payouts are held', async () => {
  const [bare, held] = [await newPayee(), await newReadyPayee(5_000)];
  await earn(bare, 5_000);
  await prisma().team.update({ where: { id: held.teamId }, data: { payoutsHeldAt: new Date() } });
  await planPayouts();
  expect([await payoutsOf(bare), await payoutsOf(held)]).toEqual([[], []]);
  Object.assign(settings(), { PAYOUT_SCHEDULE: 'on_request' });
  expect(await requestPayout(bare.teamId)).toEqual({ outcome: 'not_ready', what: 'account' });
  expect(await requestPayout(held.teamId)).toEqual({ outcome: 'held' });
});

test('a payout that failed is not planned again by itself in that month, but a member may ask for it', async () => {
  const payee = await newReadyPayee(5_000);
  expect(await requestPayout(payee.teamId)).toEqual({ outcome: 'not_allowed' });
  await planPayouts();
  const [first] = await payoutsOf(payee);
  const payoutId = String(first?.id);
  await returnPayout({ payoutId, from: ['planned'], to: 'failed', failure: 'The account is closed.' });
  await planPayouts();
  expect(await payoutsOf(payee)).toHaveLength(1);
  const again = await requestPayout(payee.teamId);
  expect(again).toMatchObject({ outcome: 'created', amount: 5_000_000_000n });
  expect((await readPayout(payoutId)).state).toBe('failed');
});

test('with the schedule on request, nothing is planned until a member asks, once a month', async () => {
  Object.assign(settings(), { PAYOUT_SCHEDULE: 'on_request' });
  const payee = await newReadyPayee(5_000);
  await planPayouts();
  expect(await payoutsOf(payee)).toEqual([]);
  expect(await requestPayout(payee.teamId)).toMatchObject({ outcome: 'created' });
  expect(await requestPayout(payee.teamId)).toMatchObject({ outcome: 'exists' });
});

test('manual payouts need payee details with a destination, and a new approval after these change @attack', async () => {
  Object.assign(settings(), { PAYOUTS: 'manual' });
  const payee = await newPayee();
  await earn(payee, 5_000);
  await planPayouts();
  expect(await payoutsOf(payee)).toEqual([]);
  const { teamId } = payee;
  const given = { name: 'Harbour Ltd', address: 'Pier 1', country: 'AT', taxId: '' };
  const save = (destination: string) => savePayeeDetails(teamId, { ...given, destination }, async () => {});
  await save('AT61 1904 3002 3457 3201');
  await planPayouts();
  expect(await payoutsOf(payee)).toMatchObject([
    { method: 'manual', approvedBy: null, processorAccountId: null, payee: { name: 'Harbour Ltd' } },
  ]);
  await prisma().payout.updateMany({ where: { teamId }, data: { approvedBy: 'operator', state: 'sent' } });
  const months = ['2026-12', '2027-01'];
  for (const month of months) {
    at(`${month}-01T00:00:01Z`);
    await earn(payee, 5_000);
    if (month === '2027-01') await save('DE89 3704 0044 0532 0130 00');
    await planPayouts();
    await prisma().payout.updateMany({ where: { teamId }, data: { state: 'sent' } });
  }
  expect((await payoutsOf(payee)).map(({ approvedBy }) => approvedBy)).toEqual(['operator', 'service', null]);
});

async function newManualPayee(day?: string) {
  Object.assign(settings(), { PAYOUTS: 'manual', PAYOUT_SCHEDULE: 'on_request' });
  const payee = await newPayee();
  const { teamId } = payee;
  const given = { name: 'Harbour Ltd', address: 'Pier 1', country: 'AT', taxId: '' };
  const save = (destination: string, record: () => Promise<void> = async () => {}) =>
    savePayeeDetails(teamId, { ...given, destination }, record);
  await save('AT61 1904 3002 3457 3201');
  await earn(payee, 5_000, day);
  await requestPayout(teamId);
  await prisma().payout.updateMany({ where: { teamId }, data: { approvedBy: 'operator', state: 'sent' } });
  await earn(payee, 5_000, day);
  return { ...payee, save };
}

test('payee details that change after the payout that was approved need an approval, whatever the clocks say @attack', async () => {
  // The database has the real time.
  at('2020-01-05T12:00:00Z');
  const payee = await newManualPayee('2019-01-02');
  await payee.save('DE89 3704 0044 0532 0130 00');
  at('2020-02-05T12:00:00Z');
  expect(await requestPayout(payee.teamId)).toMatchObject({ outcome: 'created' });
  expect((await payoutsOf(payee)).map(({ approvedBy }) => approvedBy)).toEqual(['operator', null]);
});

test('payee details that are saved while a payout is planned are in it, and need an approval @attack', async () => {
  const payee = await newManualPayee();
  at('2026-12-05T12:00:00Z');
  let planned: Promise<unknown> | undefined;
  await payee.save('DE89 3704 0044 0532 0130 00', async () => {
    planned = requestPayout(payee.teamId);
    await until(countWaitingForLocks, (count) => count > 0);
  });
  expect(await planned).toMatchObject({ outcome: 'created' });
  const [, last] = await payoutsOf(payee);
  expect(last).toMatchObject({ approvedBy: null, payee: { destinationEnding: '3000' } });
});

async function countWaitingForLocks(): Promise<number> {
  const [row] = await prisma().$queryRaw<{ waiting: number }[]>`
    SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.waiting ?? 0;
}

import { expect, test } from 'vitest';
import { pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { readEarnings, returnPayout } from '@/server/ledger';
import { requestByMember, setUpAccount } from '@/server/payments/payouts/member-requests';
import { readOutlook } from '@/server/payments/payouts/outlook';
import { savePayeeDetails } from '@/server/payments/payouts/payee-details';
import { newDatabase } from '../../harness';
import { newTeam } from './payout-rows';

/** What a team's page says about the next payout, where an operator pays on request. */

await newDatabase();
Object.assign(process.env, { PAYOUTS: 'manual', PAYOUT_SCHEDULE: 'on_request', PAYOUT_MINIMUM: '2' });

const DETAILS = {
  name: 'Ada Ltd',
  address: 'Street 1',
  country: 'AT',
  taxId: '',
  destination: 'AT611904300234573201',
};
const actor = newId('usr');

/** Matured long ago. */
const earn = (partnerId: string, amount: bigint) =>
  pool().query(
    `INSERT INTO earnings_day (partner_id, day, model, kind, requests, amount) VALUES ($1, '2026-01-01', $2, 'earned', 1, $3)`,
    [partnerId, `sandbox/${newId('req')}`, amount],
  );

const waitsOf = async (teamId: string) => {
  const { waits, canRequest } = await readOutlook(teamId);
  return [waits.map(({ what }) => what), canRequest];
};

test('the next payout waits for a destination, the minimum, the operator, and after a failure for a request', async () => {
  const { teamId, apps } = await newTeam('Harbour', 'Pier');
  const [one = '', two = ''] = apps;
  expect(await waitsOf(teamId)).toEqual([['destination', 'below_minimum'], false]);
  await earn(one, 199_999_999n);
  expect(await waitsOf(teamId)).toEqual([['destination', 'below_minimum'], false]);
  await earn(two, 1n);
  expect(await waitsOf(teamId)).toEqual([['destination'], false]);
  expect(await requestByMember({ teamId, actor })).toEqual({ outcome: 'not_ready', what: 'payee_details' });
  await savePayeeDetails(teamId, DETAILS, async () => {});
  expect(await waitsOf(teamId)).toEqual([[], true]);

  await prisma().team.update({ where: { id: teamId }, data: { payoutReserve: 1n } });
  expect(await waitsOf(teamId)).toEqual([['below_minimum'], false]);
  await prisma().team.update({
    where: { id: teamId },
    data: { payoutReserve: 0n, payoutsHeldAt: new Date() },
  });
  expect(await waitsOf(teamId)).toEqual([['held'], false]);
  expect(await requestByMember({ teamId, actor })).toEqual({ outcome: 'held' });
  await prisma().team.update({ where: { id: teamId }, data: { payoutsHeldAt: null } });

  const asked = await requestByMember({ teamId, actor });
  expect(asked).toMatchObject({ outcome: 'created', amount: 200_000_000n });
  expect(await waitsOf(teamId)).toEqual([['below_minimum'], false]);
  const outlook = await readOutlook(teamId);
  expect(outlook).toMatchObject({
    payable: 0n,
    paidOut: 200_000_000n,
    current: { state: 'planned', isApproved: false },
  });
  const { payable, paidOut } = await readEarnings(one);
  expect([payable, paidOut]).toEqual([0n, 199_999_999n]);

  const payoutId = asked.outcome === 'created' ? asked.payoutId : '';
  await returnPayout({ payoutId, from: ['planned'], to: 'failed', failure: 'The bank refused it.' });
  expect(await waitsOf(teamId)).toEqual([['ended'], true]);
  expect(await readOutlook(teamId)).toMatchObject({ payable: 200_000_000n, paidOut: 0n });
  const log = await prisma().auditEntry.findMany({
    where: { teamId },
    select: { actor: true, what: true, subject: true },
  });
  expect(log).toEqual([{ actor, what: 'payouts.request', subject: payoutId }]);
});

test('where an operator pays, no account is opened at the processor', async () => {
  const { teamId } = await newTeam('Quay');
  const page = 'http://localhost/payouts';
  const given = { teamId, actor, country: 'AT', email: 'ada@example.com', returnUrl: page, refreshUrl: page };
  expect(await setUpAccount(given)).toBeNull();
  expect(await prisma().payoutAccount.count()).toBe(0);
  expect((await readOutlook(teamId)).waits.map(({ what }) => what)).not.toContain('account');
});

import { expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { sendPayouts } from '@/server/payments/payouts/send';
import { newDatabase } from '../../harness';
import { bundleProgram, type Death, dieAt } from '../../harness/programs';
import { advance, newPayee, newPlannedPayout, onboard, readPayout, startPayouts } from './payout-world';

/** Processes that die while a payout is sent or an account is created, between any two steps outside the database. */

await newDatabase();
const world = await startPayouts();
const { stripe } = world;

const bundle = bundleProgram('tests/payments/payouts/payout-process.ts');

const runUntilDeath = (teamId: string, death: Death): Promise<void> =>
  dieAt(death, { program: bundle, argument: teamId, processorUrl: world.sandboxUrl });

const TRANSFER = /^POST \/v1\/transfers$/;
const LOOK_UP = /^GET \/v1\/transfers\?/;
const DEATHS: [string, Death][] = [
  ['after the claim', { call: TRANSFER, when: 'before it arrives' }],
  ['after the money moved, before its id was stored', { call: TRANSFER, when: 'before the answer' }],
  ['never', { call: /nothing/, when: 'never' }],
];
/** Within the day in which Stripe repeats its answer to a key, and afterwards. */
const LATER: [string, number][] = [
  ['minutes', 6 * MINUTE_MS],
  ['two days', 2 * DAY_MS],
];

test.each(LATER.flatMap(([later, ms]) => DEATHS.map(([when, death]) => ({ later, ms, when, death }))))(
  'a payout whose process died $when is sent once, $later later @attack',
  async ({ ms, death }) => {
    const { payoutId, accountId } = await newPlannedPayout(12_345);
    await runUntilDeath('', death);
    advance(ms);
    // Another one dies while it looks for the transfer.
    if (death.when !== 'never') await runUntilDeathAt(ms);
    await Promise.all([sendPayouts(), sendPayouts(), sendPayouts()]);
    const { data } = await stripe.transfers.list({ destination: accountId });
    expect(data).toMatchObject([{ amount: 12_345, transfer_group: `payout_${payoutId}` }]);
    expect(await readPayout(payoutId)).toMatchObject({
      state: 'sent',
      processorTransferId: data[0]?.id,
      failure: null,
    });
  },
);

async function runUntilDeathAt(ms: number): Promise<void> {
  // The other process has the real time, so its claim is due for it now and for us later.
  await prisma().payout.updateMany({ where: { state: 'sending' }, data: { leaseUntil: new Date(0) } });
  await runUntilDeath('', { call: LOOK_UP, when: 'before the answer' });
  advance(ms);
}

test.each<[string, Death['when']]>([
  ['before the account was created', 'before it arrives'],
  ['after the account was created, before its id was stored', 'before the answer'],
])('a process that dies %s leaves one account', async (_, when) => {
  const payee = await newPayee();
  await runUntilDeath(payee.teamId, { call: /^POST \/v1\/accounts$/, when });
  const accountId = await onboard(payee);
  const ofTeam = [...world.kept.entries()].filter(([, body]) =>
    JSON.stringify(body).includes(`"metadata":{"team":"${payee.teamId}"}`),
  );
  expect(ofTeam.map(([id]) => id).filter((id) => id.startsWith('acct_'))).toEqual([accountId]);
});

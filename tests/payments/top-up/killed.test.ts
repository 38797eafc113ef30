import { afterEach, expect, test } from 'vitest';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { checkLedger, readPockets } from '@/server/ledger';
import { sweepPayments } from '@/server/payments/checkout/sweep';
import { advanceTopUps, beginTopUps } from '@/server/payments/checkout/top-up/advance';
import { newDatabase } from '../../harness';
import { bundleProgram, type Death, dieAt } from '../../harness/programs';
import { sandboxStripe } from '../../harness/sandbox-stripe';
import { SECRET_KEY, setWebhooks, startCheckout } from '../checkout/checkout-world';
import { newTopUpBuyer } from './buyer';
import { readTopUp, setMoney } from './users';

/** Processes that die in the middle of a top-up, between any two of their steps outside the database. */

await newDatabase();
const world = await startCheckout();
const stripe = sandboxStripe(world.sandboxUrl, SECRET_KEY);

const bundle = bundleProgram('tests/payments/top-up/top-up-process.ts');
afterEach(() => setClock());

const runUntilDeath = (userId: string, death: Death): Promise<void> =>
  dieAt(death, { program: bundle, argument: userId, processorUrl: world.sandboxUrl });

const CREATION = /^POST \/v1\/payment_intents$/;
const CHARGE = /^POST \/v1\/payment_intents\/\w+\/confirm$/;
const READING = /^GET \/v1\/payment_intents\//;

test.each<[string, Death]>([
  ['after the claim', { call: CREATION, when: 'before it arrives' }],
  ['after the payment was created, before its id was stored', { call: CREATION, when: 'before the answer' }],
  ['after the id was stored', { call: CHARGE, when: 'before it arrives' }],
  ['after the card was charged', { call: CHARGE, when: 'before the answer' }],
  ['before the credits were booked', { call: READING, when: 'before the answer' }],
  ['never', { call: /nothing/, when: 'never' }],
])('a process that dies %s charges once and loses no credits @attack', async (_, death) => {
  await setWebhooks(world, 'hold');
  const buyer = await newTopUpBuyer();
  const { userId, customer } = buyer;
  const before = Number((await readPockets(userId)).money) / 1e6;
  await setMoney(userId, 100);
  await runUntilDeath(userId, death);
  await setMoney(userId, before + Number((await readPockets(userId)).money) / 1e6 - 100);

  setClock(
    (
      (at) => () =>
        at
    )(now() + 2 * MINUTE_MS),
  );
  await Promise.all([advanceTopUps(), advanceTopUps(), beginTopUps([userId]), sweepPayments()]);
  await Promise.all([advanceTopUps(), advanceTopUps()]);

  const payments = await stripe.paymentIntents.list({ limit: 100 });
  const paid = payments.data.filter(
    (intent) => intent.customer === customer && intent.status === 'succeeded',
  );
  expect(paid).toHaveLength(1);
  expect(await readTopUp(userId)).toMatchObject({ state: 'on', sessionId: null, monthMinor: 1_000 });
  expect(await prisma().purchase.count({ where: { userId, partnerId: '' } })).toBe(1);
  expect(Number((await readPockets(userId)).money) / 1e6).toBe(before + 1_000);
  expect((await checkLedger()).differences).toEqual([]);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build } from 'esbuild';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS, now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { checkLedger, readPockets } from '@/server/ledger';
import { sweepPayments } from '@/server/payments/checkout/sweep';
import { advanceTopUps, beginTopUps } from '@/server/payments/checkout/top-up/advance';
import { newDatabase } from '../../harness';
import { SECRET_KEY, setWebhooks, startCheckout } from '../checkout/checkout-world';
import { newTopUpBuyer } from './buyer';
import { readTopUp, setMoney } from './users';

/** Processes that die in the middle of a top-up, between any two of their steps outside the database. */

await newDatabase();
const world = await startCheckout();
const stripe = new Stripe(SECRET_KEY, {
  host: '127.0.0.1',
  port: new URL(world.sandboxUrl).port,
  protocol: 'http',
  telemetry: false,
});

const bundle = path.resolve(`.build/top-up-process-${process.pid}.mjs`);
beforeAll(() =>
  build({
    entryPoints: ['tests/payments/top-up/top-up-process.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { '@': path.resolve('.') },
    logLevel: 'silent',
  }),
);
afterAll(() => rmSync(bundle, { force: true }));
afterEach(() => setClock());

type Death = { call: RegExp; when: 'before it arrives' | 'before the answer' | 'never' };

/** Runs the process behind a wire on which it dies at one call. */
async function runUntilDeath(userId: string, { call, when }: Death): Promise<void> {
  let child: ChildProcess | undefined;
  const die = () => child?.kill('SIGKILL');
  const wire = createServer(async (given, answer) => {
    const isCall = call.test(`${given.method} ${given.url}`);
    if (isCall && when === 'before it arrives') return die();
    const { hostname, port } = new URL(world.sandboxUrl);
    const { method, url: target, headers } = given;
    const sent = request({ hostname, port, method, path: target, headers }, (reply) => {
      if (isCall && when === 'before the answer') return reply.resume().on('end', die);
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      return reply.pipe(answer);
    });
    given.pipe(sent);
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
  child = spawn(process.execPath, [bundle, userId], {
    env: { ...process.env, STRIPE_API_BASE: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  wire.closeAllConnections();
  wire.close();
  expect({ code, signal }).toEqual(
    when === 'never' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
  );
}

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

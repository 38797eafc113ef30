import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { sendPayouts } from '@/server/payments/payouts/send';
import { newDatabase } from '../../harness';
import { advance, newPayee, newPlannedPayout, onboard, readPayout, startPayouts } from './payout-world';

/** Processes that die while a payout is sent or an account is created, between any two steps outside the database. */

await newDatabase();
const world = await startPayouts();
const { stripe } = world;

const bundle = path.resolve(`.build/payout-process-${process.pid}.mjs`);
beforeAll(() =>
  build({
    entryPoints: ['tests/payments/payouts/payout-process.ts'],
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

type Death = { call: RegExp; when: 'before it arrives' | 'before the answer' | 'never' };

/** Runs the process behind a wire on which it dies at one call. */
async function runUntilDeath(teamId: string, { call, when }: Death): Promise<void> {
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
  child = spawn(process.execPath, [bundle, teamId], {
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

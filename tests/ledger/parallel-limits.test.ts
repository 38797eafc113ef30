import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chargeFor } from '@/server/base/credits';
import { inTransaction, openLedgerPool, pool } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { openBatches } from '@/server/ledger/batch';
import { findDifferences } from '@/server/ledger/differences';
import { LIMIT_INVARIANT, POCKET_INVARIANT, WALLET_INVARIANTS } from '@/server/ledger/invariants';
import { saveDefaultLimits } from '@/server/partners/user-limits';
import { newDatabase } from '../harness/database';
import { replaceLimitClock, setTime } from './limit-clock';
import { type By, instant, LimitModel, limit, limitUsers, NO_LIMITS, ZONES } from './limit-model';
import { receipt } from './receipt';
import { buy, exactly, newWallet, type Wallet } from './wallets';

/** Limits, with requests that several instances admit and settle at the same time. */

process.env.LIMIT_RUNNING_PER_USER = '5000';
await newDatabase();
beforeAll(replaceLimitClock);

/** Each batches on connections of its own, as a process does. */
const connections = Array.from({ length: 3 }, () => openLedgerPool(settings().DATABASE_URL ?? ''));
const instances = connections.map((connection) => openBatches((batch) => connection.query(batch)));
afterAll(() => Promise.all(connections.map((connection) => connection.end())));

type Request = { app: string; credits: number; instance: number };
type Running = Request & { userId: string; requestId: string };

/** Holds all that it asks for, or nothing. */
async function admit(wallet: Wallet, { app, credits, instance }: Request) {
  const request = {
    keyHash: wallet.apps[app]?.keyHash ?? Buffer.alloc(0),
    requestId: newId('req'),
    model: 'test/model',
    need: exactly(credits),
    want: exactly(credits),
  };
  for (;;) {
    const outcome = (await instances[instance]?.submitAdmission(request))?.outcome;
    // Another request of the user was in the same batch.
    if (outcome === 'again') continue;
    return { app, credits, instance, userId: wallet.userId, requestId: request.requestId, outcome };
  }
}

const settle = ({ userId, requestId, instance }: Running, credits: number) =>
  instances[instance]?.submitSettlement(
    credits === 0
      ? { userId, requestId }
      : { userId, requestId, charge: chargeFor(exactly(credits), 0), receipt: receipt() },
  );

const app = fc.constantFrom('A', 'B');
const amounts = { day: fc.integer({ min: 1, max: 30 }), month: fc.integer({ min: 1, max: 60 }) };
const requests = fc.array(
  fc.record({ app, credits: fc.integer({ min: 1, max: 5 }), instance: fc.nat({ max: 2 }) }),
  { minLength: 1, maxLength: 16 },
);
const wave = fc.record({
  requests,
  /** Arrive while those of the wave are settled. */
  late: requests,
  percent: fc.constantFrom(0, 50, 100),
  /** Until the next wave. */
  minutes: fc.integer({ min: 0, max: 2_000 }),
});

const ofUsers = fc.record({
  by: fc.constantFrom<By>('partner', 'partner for one', 'ceiling', 'default'),
  app,
  limits: fc.record(amounts, { requiredKeys: [] }),
});

/** What the model says is left for each app; never less than nothing. */
function expectWithin(model: LimitModel<Request>): void {
  for (const name of ['A', 'B']) expect(model.left(name).now).toBeGreaterThanOrEqual(0);
}

test('parallel requests of several instances never pass a limit, and none is refused while it would fit', {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ZONES),
      instant,
      fc.record({
        all: fc.record({ ...amounts, week: fc.integer({ min: 1, max: 40 }) }, { requiredKeys: ['day'] }),
        A: fc.record(amounts, { requiredKeys: [] }),
      }),
      fc.array(ofUsers, { maxLength: 2 }),
      fc.array(wave, { minLength: 1, maxLength: 4 }),
      async (zone, at, limits, byPartner, waves) => {
        const wallet = await newWallet(['A', 'B']);
        for (const name of ['A', 'B']) await buy(wallet, name, 1_000);
        const model = new LimitModel<Request>(zone, at);
        await setTime(new Date(at));
        for (const [scope, ofScope] of Object.entries(limits)) {
          model.limits.set(scope, ofScope);
          await limit(wallet, scope, ofScope, zone);
        }
        for (const { by, app: name, limits: set } of byPartner) {
          model.limitUsers(by, name, set);
          await limitUsers(wallet, name, by, set);
        }

        for (const { requests: asked, late, percent, minutes } of waves) {
          const answers = await Promise.all(asked.map((request) => admit(wallet, request)));
          const held = answers.filter(({ outcome }) => outcome === 'held');
          model.running.push(...held);
          expectWithin(model);
          for (const { app: name, credits, outcome } of answers.filter((answer) => !held.includes(answer))) {
            const { now, idle } = model.left(name);
            // Holds of the wave only grew: what does not fit now did not fit then, and nothing that fits was refused.
            expect(now).toBeLessThan(credits);
            expect(outcome === 'busy' ? 'busy' : outcome?.slice(0, 6)).toBe(
              idle < credits ? 'limit_' : 'busy',
            );
          }

          const [lateAnswers] = await Promise.all([
            Promise.all(late.map((request) => admit(wallet, request))),
            ...held.map((run) => settle(run, Math.floor((run.credits * percent) / 100))),
          ]);
          for (const { app: name, credits } of held)
            model.charges.push({
              app: name,
              atMs: model.nowMs,
              credits: Math.floor((credits * percent) / 100),
            });
          const heldLate = lateAnswers.filter(({ outcome }) => outcome === 'held');
          model.running = heldLate;
          expectWithin(model);

          // These end in the next period, perhaps, and count there.
          model.nowMs += minutes * 60_000;
          await setTime(new Date(model.nowMs));
          await Promise.all(heldLate.map((run) => settle(run, run.credits)));
          for (const { app: name, credits } of heldLate)
            model.charges.push({ app: name, atMs: model.nowMs, credits });
          model.running = [];
          expectWithin(model);
        }
        const client = await pool().connect();
        try {
          const invariants = [POCKET_INVARIANT, ...WALLET_INVARIANTS, LIMIT_INVARIANT];
          expect(await findDifferences(client, invariants, [[wallet.userId]])).toEqual([]);
        } finally {
          client.release();
        }
        await inTransaction((tx) => saveDefaultLimits(NO_LIMITS, tx));
      },
    ),
    { numRuns: Number(process.env.WALKS ?? 30) },
  );
});

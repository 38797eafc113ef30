import { describe, expect, test } from 'vitest';
import { chargeFor, wholeCredits } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { bookCorrections, capture, checkLedger, readCorrections } from '@/server/ledger';
import { forgetAbandonedProposals, openProposal, writeProposal } from '@/server/ledger/corrections';
import { readEarnings, rollUpEarnings } from '@/server/ledger/earnings';
import { newDatabase } from '../harness/database';
import { approve, correct, proposeCredits } from './correct';
import { forge, RECOUNT_SPENT, whileForged } from './forged-rows';
import { receipt } from './receipt';
import { newTeam } from './teams';
import {
  allow,
  buy,
  exactly,
  grant,
  hold,
  newWallet,
  ownCredits,
  sees,
  takeBack,
  type Wallet,
} from './wallets';

await newDatabase();

/** A fifth of each charge. */
const RATE_BP = 2500;

async function spend(wallet: Wallet, app: string, charge: number): Promise<string> {
  const admission = await hold(wallet, app, charge / 1.25, charge / 1.25);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(charge / 1.25), admission.hold.rateBp), receipt());
  return admission.hold.requestId;
}

async function buyAnd(credits: number) {
  const wallet = await newWallet(['A', 'B'], { rateBp: RATE_BP });
  const session = newId('cks');
  if (credits > 0) await buy(wallet, 'A', credits, session);
  return { wallet, session };
}

const back = (requestId: string, credits: number) => ({ requestId, credits: wholeCredits(credits) });

/** The postings of the corrections of a user, in credits, without the pockets. */
async function postings({ userId }: Wallet): Promise<Record<string, number>> {
  const { rows } = await pool().query<{ account: string; amount: string }>(
    `SELECT e.account, sum(e.amount)::text AS amount FROM ledger_entry e JOIN ledger_transaction t ON t.id = e.transaction_id
     WHERE t.user_id = $1 AND t.kind = 'correction' GROUP BY 1`,
    [userId],
  );
  return Object.fromEntries(rows.map(({ account, amount }) => [account, Number(amount) / 1e6]));
}

/** What the app has earned, in credits. */
async function earned(wallet: Wallet, app: string): Promise<number> {
  const { matured, maturing } = await readEarnings(wallet.apps[app]?.id ?? '');
  return Number(matured + maturing) / 1e6;
}

const differences = async () => (await checkLedger()).differences;

/** Makes the history days older and resets the roll-ups of earnings. */
const age = ({ userId }: Wallet, days: number) =>
  forge([
    `UPDATE ledger_transaction SET created_at = created_at - make_interval(days => ${days}) WHERE user_id = '${userId}'`,
    RECOUNT_SPENT,
    "UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'earnings'",
    'DELETE FROM earnings_rollup',
    'DELETE FROM earnings_day',
  ]);

describe('a correction gives credits back', () => {
  test('with the provider cost and the commission on them, and is a booking of its own', async () => {
    const { wallet } = await buyAnd(500);
    const request = await spend(wallet, 'A', 100);
    const batch = await correct(back(request, 25));
    expect(await ownCredits(wallet, 'A')).toBe(425);
    expect(await sees(wallet, 'A')).toEqual([425, 'ok']);
    expect(await postings(wallet)).toEqual({ pocket: 25, provider_cost: -20, partner_earnings: -5 });
    expect(await earned(wallet, 'A')).toBe(15);
    const [booked, ...others] = await readCorrections(wallet.userId, request);
    expect(others).toEqual([]);
    expect(booked).toMatchObject({ credits: wholeCredits(25), reason: 'The price was wrong.' });
    expect(
      await prisma().ledgerTransaction.findUnique({ where: { id: booked?.transactionId ?? '' } }),
    ).toMatchObject({ kind: 'correction', relatedId: batch, balanceAfter: wholeCredits(425) });
    expect(await differences()).toEqual([]);
  });

  test('to the pockets that paid, what was taken last first, and the allowance stays used', async () => {
    const { wallet } = await buyAnd(100);
    await allow(wallet, 'B', 60);
    await buy(wallet, 'B', 30);
    const request = await spend(wallet, 'B', 50);
    expect([await ownCredits(wallet, 'A'), await ownCredits(wallet, 'B')]).toEqual([80, 0]);
    await correct(back(request, 15));
    expect([await ownCredits(wallet, 'A'), await ownCredits(wallet, 'B')]).toEqual([95, 0]);
    await correct(back(request, 15));
    expect([await ownCredits(wallet, 'A'), await ownCredits(wallet, 'B')]).toEqual([100, 10]);
    // 10 of its own, and 40 of the allowance.
    expect(await sees(wallet, 'B')).toEqual([50, 'ok']);
    expect(await differences()).toEqual([]);
  });

  test('bought credits before granted ones, so the commission on them falls first', async () => {
    const { wallet } = await buyAnd(0);
    await grant(wallet, 'A', 60);
    await buy(wallet, 'A', 100);
    // 60 granted credits earn nothing, 40 bought ones earn 8.
    const request = await spend(wallet, 'A', 100);
    expect(await earned(wallet, 'A')).toBe(8);
    await correct(back(request, 40));
    expect(await earned(wallet, 'A')).toBe(0);
    await correct(back(request, 30));
    expect(await differences()).toEqual([]);
    const pocket = await prisma().userApp.findFirst({
      where: { userId: wallet.userId, partnerId: wallet.apps.A?.id ?? '' },
    });
    expect([pocket?.own, pocket?.ownGranted]).toEqual([wholeCredits(130), wholeCredits(30)]);
  });

  test('up to the whole charge, and never more', async () => {
    const { wallet } = await buyAnd(500);
    const request = await spend(wallet, 'A', 100);
    await correct(back(request, 60), back(await spend(wallet, 'A', 50), 50));
    await correct(back(request, 40));
    expect(await ownCredits(wallet, 'A')).toBe(500);
    expect(await earned(wallet, 'A')).toBe(0);
    await expect(correct(back(request, 1))).rejects.toThrow(/due/);
    expect(await differences()).toEqual([]);
  });
});

describe('the commission on a correction', () => {
  test('that was paid out lowers what is payable next', async () => {
    const { wallet } = await buyAnd(500);
    await newTeam([wallet.apps.A?.id ?? '']);
    const request = await spend(wallet, 'A', 100);
    await age(wallet, 31);
    expect((await readEarnings(wallet.apps.A?.id ?? '')).payable).toBe(wholeCredits(20));
    await correct(back(request, 25));
    // It counts on the day of the request, which has matured.
    expect(await readEarnings(wallet.apps.A?.id ?? '')).toMatchObject({
      payable: wholeCredits(15),
      maturing: 0n,
    });
    await rollUpEarnings('0 seconds');
    expect((await readEarnings(wallet.apps.A?.id ?? '')).payable).toBe(wholeCredits(15));
    expect(await differences()).toEqual([]);
  });

  test('stays with the partner once it is final, and the operator bears it', async () => {
    const { wallet } = await buyAnd(500);
    const request = await spend(wallet, 'A', 100);
    await age(wallet, 121);
    await correct(back(request, 25));
    expect(await postings(wallet)).toEqual({ pocket: 25, provider_cost: -20, correction_loss: -5 });
    await correct(back(request, 25));
    expect(await postings(wallet)).toEqual({ pocket: 50, provider_cost: -40, correction_loss: -10 });
    expect(await earned(wallet, 'A')).toBe(20);
    expect(await differences()).toEqual([]);
  });

  test('rises where the request cost more than its hold, and is reversed with the rest', async () => {
    const { wallet, session } = await buyAnd(100);
    const admission = await hold(wallet, 'A', 40, 40);
    if (!admission.ok) throw new Error(admission.refusal);
    // 60 credits of provider cost for a hold of 50: the partner earns nothing.
    await capture(admission.hold, chargeFor(exactly(60), RATE_BP), receipt());
    expect([await ownCredits(wallet, 'A'), await earned(wallet, 'A')]).toEqual([50, 0]);
    await correct(back(admission.hold.requestId, 10));
    expect(await postings(wallet)).toEqual({
      pocket: 10,
      provider_cost: -28,
      partner_earnings: 8,
      overrun_loss: 10,
    });
    expect(await earned(wallet, 'A')).toBe(8);
    await takeBack(wallet, session, { disputed: 100 });
    expect([await ownCredits(wallet, 'A'), await earned(wallet, 'A')]).toEqual([-40, 0]);
    await takeBack(wallet, session, { disputed: 0 });
    expect(await earned(wallet, 'A')).toBe(8);
    expect(await differences()).toEqual([]);
  });

  test('is reversed and restored with disputes, in whatever order they come', async () => {
    const { wallet, session } = await buyAnd(100);
    const first = await spend(wallet, 'A', 60);
    const second = await spend(wallet, 'A', 40);
    await takeBack(wallet, session, { disputed: 100 });
    expect(await earned(wallet, 'A')).toBe(0);
    await correct(back(first, 10));
    expect([await ownCredits(wallet, 'A'), await earned(wallet, 'A')]).toEqual([-90, 0]);
    await takeBack(wallet, session, { disputed: 0 });
    expect([await ownCredits(wallet, 'A'), await earned(wallet, 'A')]).toEqual([10, 18]);
    await correct(back(second, 10));
    expect(await earned(wallet, 'A')).toBe(16);
    await takeBack(wallet, session, { disputed: 100 });
    expect([await ownCredits(wallet, 'A'), await earned(wallet, 'A')]).toEqual([-80, 0]);
    expect(await differences()).toEqual([]);
  });
});

describe('each correction is booked once', () => {
  test('however many instances book it at once', async () => {
    const { wallet } = await buyAnd(1_000);
    const requests: string[] = [];
    for (let n = 0; n < 12; n++) requests.push(await spend(wallet, 'A', 10));
    const batch = (await proposeCredits(requests.map((request) => back(request, 5)))) ?? '';
    // Nothing before the approval.
    await bookCorrections();
    expect(await ownCredits(wallet, 'A')).toBe(880);
    await approve(batch);
    await Promise.all([bookCorrections(), bookCorrections(), spend(wallet, 'A', 10), bookCorrections()]);
    await bookCorrections();
    expect(await ownCredits(wallet, 'A')).toBe(930);
    expect(await prisma().correctionBatch.findUnique({ where: { id: batch } })).toMatchObject({
      state: 'booked',
    });
    expect(
      await prisma().dueMail.count({
        where: { kind: 'correction', ref: { path: ['batchId'], equals: batch } },
      }),
    ).toBe(1);
    expect(await differences()).toEqual([]);
  });

  test('also if it is proposed twice at the same time', async () => {
    const { wallet } = await buyAnd(100);
    const { userId } = wallet;
    const requestId = await spend(wallet, 'A', 50);
    const due = { requestId, userId, partnerId: wallet.apps.A?.id ?? '' };
    const proposeAs = async () => {
      const id = await openProposal({ source: 'price', basis: 'a test', reason: 'Twice.' });
      await writeProposal(id, [{ ...due, charge: wholeCredits(40), providerCost: wholeCredits(32) }]);
      return id;
    };
    const ids = await Promise.all([proposeAs(), proposeAs(), proposeAs()]);
    await Promise.all(ids.map((id) => pool().query('SELECT ledger_close_proposal($1)', [id])));
    const left = await prisma().correctionBatch.findMany({ where: { id: { in: ids } } });
    expect(left).toMatchObject([{ state: 'proposed', requests: 1, users: 1, credits: wholeCredits(10) }]);
  });
});

test('a proposal whose command was stopped counts for nothing and is forgotten', async () => {
  const { wallet } = await buyAnd(100);
  const request = await spend(wallet, 'A', 50);
  const due = { requestId: request, userId: wallet.userId, partnerId: wallet.apps.A?.id ?? '' };
  const stopped = await openProposal({ source: 'price', basis: 'a test', reason: 'Stopped.' });
  await writeProposal(stopped, [{ ...due, charge: wholeCredits(10), providerCost: wholeCredits(8) }]);
  await correct(back(request, 10));
  expect(await ownCredits(wallet, 'A')).toBe(60);
  await pool().query(
    "UPDATE correction_batch SET created_at = created_at - interval '2 days' WHERE id = $1",
    [stopped],
  );
  await forgetAbandonedProposals();
  expect(await prisma().correctionBatch.count({ where: { id: stopped } })).toBe(0);
  expect(await prisma().correction.count({ where: { batchId: stopped } })).toBe(0);
});

describe('the check finds', () => {
  const AGREE = 'a correction that is booked, its batch and its transaction agree';
  const CONSISTS = 'a batch of corrections is what it consists of, and booked if it says so';
  test.each<[string, string[], string]>([
    [
      'a correction of another amount',
      [
        `UPDATE ledger_transaction SET credits = credits + 1, postings = jsonb_set(jsonb_set(postings, '{0,amount}',
           to_jsonb((postings -> 0 ->> 'amount')::bigint + 1)), '{1,amount}', to_jsonb((postings -> 1 ->> 'amount')::bigint - 1))
         WHERE kind = 'correction'`,
      ],
      AGREE,
    ],
    ['a correction that nobody proposed', ['DELETE FROM correction WHERE batch_id IS NOT NULL'], AGREE],
    ['a correction that nobody approved', ["UPDATE correction_batch SET state = 'proposed'"], AGREE],
    ['a correction that is not booked', ["DELETE FROM ledger_transaction WHERE kind = 'correction'"], AGREE],
    [
      'a correction of another request',
      ["UPDATE ledger_transaction SET note = 'txn_none' WHERE kind = 'correction'"],
      'a request is corrected by what it was charged at most',
    ],
    ['a proposal that was changed', ['UPDATE correction SET credits = credits + 1'], CONSISTS],
    ['a batch that was changed', ['UPDATE correction_batch SET users = users + 1'], CONSISTS],
  ])('%s', async (_, statements, invariant) => {
    const { wallet } = await buyAnd(100);
    await correct(back(await spend(wallet, 'A', 50), 10));
    expect(await differences()).toEqual([]);
    await whileForged(statements, async () => {
      expect((await differences()).join('\n')).toContain(invariant);
    });
    expect(await differences()).toEqual([]);
  });

  test.each([
    'UPDATE correction SET credits = 1',
    'DELETE FROM correction',
    "UPDATE correction_batch SET reason = 'Another one.'",
    'DELETE FROM correction_batch',
    'TRUNCATE correction',
  ])('and the database refuses %s', async (statement) => {
    const { wallet } = await buyAnd(100);
    await correct(back(await spend(wallet, 'A', 50), 10));
    await expect(pool().query(statement)).rejects.toThrow(/append-only/);
  });
});

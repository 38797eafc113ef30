import { beforeEach, describe, expect, it, test } from 'vitest';
import { prisma } from '@/server/base/db';
import type { PayoutState } from '@/server/ledger';
import { changePayout, changeTeamPayouts, type PayoutChange } from '@/server/operator/change-payouts';
import {
  countPayoutsNeedingAttention,
  findPayoutFacts,
  listPayoutsNeedingAttention,
  searchPayouts,
} from '@/server/payments/payouts/operator-list';
import { type PaymentEntry, readPayment } from '@/server/payments/payouts/record-manual';
import { newDatabase } from '../../harness';
import { countDecisions, newPayout, newTeam, STATES } from './payout-in-state';

await newDatabase();

const OPERATOR = 'boss@example.com';
const reason = 'agreed by telephone';

let made = 0;
const entryOf = (given: Partial<PaymentEntry> = {}): PaymentEntry => ({
  reference: `SEPA ${++made}`,
  currency: 'USD',
  amount: '125.00',
  rate: '1',
  date: '',
  ...given,
});
const sent = (given?: Partial<PaymentEntry>): PayoutChange => ({
  do: 'sent',
  payment: readPayment(entryOf(given)),
});

const change = (payoutId: string, asked: PayoutChange, operator = OPERATOR) =>
  changePayout({ operator, payoutId, reason, change: asked });
const rowOf = (id: string) => prisma().payout.findUniqueOrThrow({ where: { id } });

type Decision = PayoutChange['do'];
const DECISIONS: Decision[] = ['approve', 'hold', 'release', 'send_now', 'sent', 'returned', 'failed'];
const METHODS = ['manual', 'stripe'] as const;

/** Each decision that a payout in a state allows, and the state after it. Every other one is refused. */
const ALLOWED: Record<string, PayoutState> = {
  'approve planned manual': 'planned',
  'approve planned stripe': 'planned',
  'hold planned manual': 'planned',
  'hold planned stripe': 'planned',
  'hold waiting_for_balance manual': 'waiting_for_balance',
  'hold waiting_for_balance stripe': 'waiting_for_balance',
  'send_now waiting_for_balance manual': 'waiting_for_balance',
  'send_now waiting_for_balance stripe': 'waiting_for_balance',
  'sent planned manual': 'sent',
  'returned sent manual': 'returned',
  'failed planned manual': 'failed',
  'failed planned stripe': 'failed',
};

const MATRIX = DECISIONS.flatMap((what) =>
  STATES.flatMap((state) =>
    METHODS.map((method) => ({ what, state, method, after: ALLOWED[`${what} ${state} ${method}`] ?? null })),
  ),
);

describe('a decision about a payout takes effect and is recorded, or is refused and changes nothing', () => {
  it.each(MATRIX)('$what, $state, $method @attack', async ({ what, state, method, after }) => {
    const isApproved = what !== 'approve';
    const { id } = await newPayout({ state, method, isApproved });
    const before = await rowOf(id);
    const deed = change(id, what === 'sent' ? sent() : { do: what });
    if (after === null) {
      await expect(deed).rejects.toMatchObject({ name: 'ApiError', code: 'invalid_request' });
      expect(await rowOf(id)).toEqual(before);
      expect(await countDecisions(id)).toBe(0);
      return;
    }
    await deed;
    const now = await rowOf(id);
    expect(now.state).toBe(after);
    expect(now).not.toEqual(before);
    expect(await prisma().auditEntry.findMany({ where: { teamId: null, subject: id } })).toMatchObject([
      { actor: OPERATOR, what: `payout.${what}`, reason },
    ]);
    const books = await prisma().payoutTransaction.findMany({ where: { payoutId: id } });
    const isBack = after === 'returned' || after === 'failed';
    expect(books.map(({ kind }) => kind).sort()).toEqual(isBack ? ['payout', 'payout_return'] : ['payout']);
  });
});

describe.each([
  ['approve', 'planned', 'stripe'],
  ['hold', 'waiting_for_balance', 'stripe'],
  ['sent', 'planned', 'manual'],
  ['returned', 'sent', 'manual'],
  ['failed', 'planned', 'manual'],
] as const)('of ten operators who decide %s at once', (what, state, method) => {
  it('one succeeds, and the others receive the reason @attack', async () => {
    const { id } = await newPayout({ state, method, isApproved: what !== 'approve' });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        change(id, what === 'sent' ? sent() : { do: what }, `operator-${index}@example.com`),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(9);
    for (const { reason: failure } of refused) expect(failure).toMatchObject({ code: 'invalid_request' });
    expect(await countDecisions(id)).toBe(1);
  });
});

test('a payout is recorded as failed or as sent by two operators at once, and never as both @attack', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await newPayout({ state: 'planned', method: 'manual' });
    const outcomes = await Promise.allSettled([change(id, sent()), change(id, { do: 'failed' })]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { state } = await rowOf(id);
    const books = await prisma().payoutTransaction.count({ where: { payoutId: id } });
    expect([state, books]).toEqual(state === 'sent' ? ['sent', 1] : ['failed', 2]);
  }
});

test('a payout that is held, not approved, or of a held team cannot be recorded as sent @attack', async () => {
  const { id, teamId } = await newPayout({ state: 'planned', method: 'manual', isApproved: false });
  await expect(change(id, sent())).rejects.toThrow('Approve this payout first');
  await change(id, { do: 'approve' });
  await change(id, { do: 'hold' });
  await expect(change(id, sent())).rejects.toThrow('This payout is paused');
  await expect(change(id, { do: 'hold' })).rejects.toThrow('already paused');
  await change(id, { do: 'release' });
  const team = { operator: OPERATOR, teamId, reason };
  await changeTeamPayouts({ ...team, change: { do: 'hold' } });
  await expect(change(id, sent())).rejects.toThrow('The payouts of this team are paused');
  await expect(changeTeamPayouts({ ...team, change: { do: 'hold' } })).rejects.toThrow('already paused');
  await changeTeamPayouts({ ...team, change: { do: 'release' } });
  await expect(changeTeamPayouts({ ...team, change: { do: 'release' } })).rejects.toThrow('not paused');
  await change(id, sent({ reference: 'SEPA of the walk' }));
  expect(await rowOf(id)).toMatchObject({ state: 'sent', reference: 'SEPA of the walk', paidMinor: 12_500n });
});

describe('the record of a payment by hand', () => {
  let id: string;
  let teamId: string;
  beforeEach(async () => {
    ({ id, teamId } = await newPayout({ state: 'planned', method: 'manual' }));
  });

  it.each([
    [
      'an amount that is off by two cents',
      { amount: '125.02' },
      /^At the rate 1 this payout is USD\s125.00, not USD\s125.02$/,
      'amount',
    ],
    [
      'an amount at another rate',
      { currency: 'EUR', rate: '0.92', amount: '125' },
      /this payout is EUR\s115.00/,
      'amount',
    ],
    ['a rate of USD that is not 1', { rate: '1.0001' }, /^The rate of USD is 1$/, 'rate'],
    ['no rate', { rate: '0' }, /units per USD/, 'rate'],
    ['a rate in words', { rate: 'about one' }, /units per USD/, 'rate'],
    [
      'decimals that the currency lacks',
      { currency: 'JPY', rate: '150', amount: '18750.5' },
      /JPY with at most 0 decimals/,
      'amount',
    ],
    ['a negative amount', { amount: '-125' }, /Enter an amount/, 'amount'],
    ['an unknown currency', { currency: 'XQZ' }, /three letters/, 'currency'],
    ['no reference', { reference: '  ' }, /Enter a reference/, 'reference'],
    ['a day that does not exist', { date: '2026-02-31' }, /Enter the date/, 'date'],
    ['a day before the plan', { date: '2020-01-01' }, /before the payout was planned/, 'date'],
    ['a day to come', { date: '2099-01-01' }, /in the future/, 'date'],
  ])('is refused with %s @attack', async (_, given, message, param) => {
    const deed = (async () => change(id, sent(given)))();
    await expect(deed).rejects.toMatchObject({ message: expect.stringMatching(message), param });
    expect(await countDecisions(id)).toBe(0);
    expect((await rowOf(id)).state).toBe('planned');
  });

  it.each([
    ['EUR', '0.92345678', '115.43', 11_543n],
    ['EUR', '0.92345678', '115.44', 11_544n],
    ['JPY', '150.123', '18765', 18_765n],
    ['KWD', '0.307', '38.375', 38_375n],
  ])('takes %s at %s as %s', async (currency, rate, amount, minor) => {
    await change(id, sent({ currency, rate, amount }));
    expect(await rowOf(id)).toMatchObject({ paidCurrency: currency.toLowerCase(), paidMinor: minor });
    expect((await findPayoutFacts(id))?.paid?.rate).toBe(rate);
  });

  it('has a reference that no other payout of the team has, even in parallel @attack', async () => {
    const others = await Promise.all(
      [1, 2, 3].map((month) => newPayout({ teamId, state: 'planned', method: 'manual', month })),
    );
    const deeds = await Promise.allSettled(
      [id, ...others.map((other) => other.id)].map((each) => change(each, sent({ reference: 'TWICE' }))),
    );
    const refused = deeds.filter((deed) => deed.status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const { reason: failure } of refused)
      expect(failure).toMatchObject({
        message: 'Another payout of this team has the reference TWICE',
        param: 'reference',
      });
    const ofAnother = await newPayout({ state: 'planned', method: 'manual' });
    await change(ofAnother.id, sent({ reference: 'TWICE' }));
  });
});

test('the terms of a team are recorded with the values before and after', async () => {
  const teamId = await newTeam('Terms');
  const terms = { minimum: 5_000_000_000n, reserve: 1_000_000_000n } as never;
  await changeTeamPayouts({ operator: OPERATOR, teamId, reason, change: { do: 'terms', terms } });
  expect(await prisma().auditEntry.findFirst({ where: { teamId: null, subject: teamId } })).toMatchObject({
    what: 'team.terms',
    before: { minimum: null, reserve: 0 },
    after: { minimum: 50, reserve: 10 },
  });
});

describe('the list of payouts that need attention', () => {
  const due = async (teamId: string) =>
    (await listPayoutsNeedingAttention())
      .filter((payout) => payout.teamId === teamId)
      .map((payout) => payout.attention);

  it('says what is due, until a newer payout replaces one that ended', async () => {
    const { teamId } = await newPayout({ state: 'failed', method: 'stripe', month: 1 });
    expect(await due(teamId)).toEqual(['failed']);
    const next = await newPayout({ teamId, state: 'planned', method: 'manual', month: 2, isApproved: false });
    expect(await due(teamId)).toEqual(['approve']);
    await change(next.id, { do: 'approve' });
    expect(await due(teamId)).toEqual(['pay']);
    await change(next.id, { do: 'hold' });
    expect(await due(teamId)).toEqual(['held']);
    await change(next.id, { do: 'release' });
    await change(next.id, sent());
    expect(await due(teamId)).toEqual([]);
    await prisma().payout.update({ where: { id: next.id }, data: { bankState: 'failed' } });
    expect(await due(teamId)).toEqual(['bank_failed']);
    await change(next.id, { do: 'returned' });
    expect(await due(teamId)).toEqual(['returned']);
  });

  it('gives the reason of the payout, also while the team is held for another one', async () => {
    const { id, teamId } = await newPayout({ state: 'failed', method: 'stripe' });
    await changeTeamPayouts({ operator: OPERATOR, teamId, reason, change: { do: 'hold' } });
    expect(await findPayoutFacts(id)).toMatchObject({ attention: 'failed', detail: 'The account is closed' });
  });

  it('does not count what an operator holds', async () => {
    const before = await countPayoutsNeedingAttention();
    const { id } = await newPayout({ state: 'waiting_for_balance', method: 'stripe' });
    const count = (counts: typeof before) => counts.get('waiting_for_balance') ?? 0;
    expect(count(await countPayoutsNeedingAttention())).toBe(count(before) + 1);
    await change(id, { do: 'hold' });
    expect(count(await countPayoutsNeedingAttention())).toBe(count(before));
  });
});

test('payouts are found by team, app, id, transfer and reference, and a wildcard is only a character', async () => {
  const { id, teamId } = await newPayout({ state: 'planned', method: 'manual', teamName: 'Lantern 100%' });
  await prisma().partner.create({
    data: {
      id: 'prt_lantern',
      name: 'Lamp app',
      nameSkeleton: 'lamp app',
      publishableKey: 'svc_pk_lamp',
      rateBp: 0,
      teamId,
    },
  });
  await change(id, sent({ reference: 'LAMP-7' }));
  const find = async (text: string) =>
    (await searchPayouts({ text, limit: 10, offset: 0 })).payouts.map((payout) => payout.id);
  for (const text of ['lantern', '100%', 'lamp app', 'lamp-7', id])
    expect(await find(text), text).toEqual([id]);
  expect(await find('lan%ern')).toEqual([]);
  const { payouts, total } = await searchPayouts({ limit: 2, offset: 1 });
  expect([payouts.length, total]).toEqual([2, await prisma().payout.count()]);
});

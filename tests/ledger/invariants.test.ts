import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, setClock } from '@/server/base/clock';
import { chargeFor, microcredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { findCatalogModel, priceVersions } from '@/server/gateway/pricing/catalog';
import { costOf } from '@/server/gateway/pricing/cost';
import { syncCatalog } from '@/server/gateway/pricing/sync-catalog';
import { NO_TOKENS, type TokenUsage } from '@/server/gateway/protocols/neutral';
import {
  ALL_APPS,
  capture,
  checkLedger,
  clawBack,
  createPayout,
  returnPayout,
  rollUpUsage,
  saveLimits,
} from '@/server/ledger';
import { auditRecent } from '@/server/ledger/audit';
import { LEASE_SECONDS } from '@/server/ledger/batch';
import { rollUpEarnings } from '@/server/ledger/earnings';
import { newDatabase } from '../harness/database';
import { inLanes } from '../harness/in-lanes';
import { bookWithBonus, newPromotion, startWithCode } from '../harness/promotions';
import { randomFrom } from '../harness/random';
import { forge, RECOUNT_SPENT, whileForged } from './forged-rows';
import { receipt } from './receipt';
import { newTeam } from './teams';
import { allow, buy, hold, newWallet, takeBack, type Wallet } from './wallets';

await newDatabase();
await syncCatalog();
// An audit looks at history for as long as its budget allows. With this clock, that is until the end.
const frozen = Date.now();
setClock(() => frozen);
afterAll(() => setClock());

type Catalogued = { model: string; version: string; tokens: TokenUsage };

/** A request whose receipt follows from its tokens, through an app of the wallet. */
async function request(wallet: Wallet, app: string, { model, version, tokens }: Catalogued): Promise<string> {
  const prices = priceVersions()
    .flatMap(({ versions }) => versions)
    .find(({ name }) => name === version)?.prices;
  if (!prices) throw new Error(`no price ${version}`);
  const exact = costOf(tokens, prices);
  const admission = await hold(wallet, app, Math.ceil(Number(exact) / 1e12) * 2 + 1);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exact, admission.hold.rateBp), {
    ...receipt(),
    model,
    provider: model.slice(0, model.indexOf('/')),
    priceVersion: version,
    inputTokens: tokens.input,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite5m,
    cacheWrite1hTokens: tokens.cacheWrite1h,
    outputTokens: tokens.output,
    costReported: false,
  });
  return admission.hold.requestId;
}

function catalogued(model: string, tokens: Partial<TokenUsage>): Catalogued {
  const version = findCatalogModel(model)?.priceVersion ?? '';
  return { model, version, tokens: { ...NO_TOKENS, ...tokens } };
}

const ECHO = catalogued('sandbox/echo', { input: 30_000, output: 20_000 });

/** A user with a bonus, a third of which was taken back. */
async function buyWithBonus() {
  const wallet = await newWallet(['D']);
  const { id: promotion, code } = await newPromotion({ maxRedemptions: 2 });
  const order = { userId: wallet.userId, partnerId: wallet.apps.D?.id ?? '', credits: 30_000_000n as never };
  const { sessionId } = await startWithCode(order, code ?? '');
  await bookWithBonus({ ...order, sessionId });
  await takeBack(wallet, sessionId, { refunded: 10 });
  return { promotion, bonusSession: sessionId, bonusUser: wallet.userId };
}

/** A team whose apps were paid: a payout failed, the next one counts, and so does the one after it. */
async function payTeam(apps: string[]) {
  const teamId = await newTeam(apps);
  const payouts: string[] = [];
  for (const month of ['2030-01', '2030-02', '2030-03']) {
    // What the reserve keeps is left for the next payout.
    const payoutReserve = month === '2030-03' ? 0n : 1_000_000n;
    await prisma().team.update({ where: { id: teamId }, data: { payoutReserve } });
    const payoutId = newId('po');
    const made = await createPayout({
      payoutId,
      teamId,
      period: month,
      asOf: new Date(frozen + 40 * DAY_MS),
      method: 'manual',
      minimum: microcredits(0n),
      approvedBy: null,
      processorAccountId: null,
      payee: null,
    });
    if (made.outcome !== 'created') throw new Error(made.outcome);
    payouts.push(payoutId);
    if (month === '2030-01')
      await returnPayout({ payoutId, from: ['planned'], to: 'failed', failure: 'The account is closed.' });
  }
  const [failedPayout = '', payout = '', nextPayout = ''] = payouts;
  return { failedPayout, payout, nextPayout };
}

/** Everything that can be changed by hand, an hour ago, rolled up and audited: the users are quiet. */
async function newWorld() {
  const user = await newWallet(['A', 'B'], { rateBp: 10_000 });
  const other = await newWallet(['C']);
  const session = newId('cks');
  await buy(user, 'A', 300, session);
  await buy(other, 'C', 50);
  await allow(user, 'B', 200);
  const paid = await request(user, 'A', ECHO);
  const most = { request: null, day: 900_000_000n as never, week: null, month: null, models: null };
  for (const partnerId of [user.apps.B?.id ?? '', ALL_APPS])
    await inTransaction((tx) =>
      saveLimits(tx, { userId: user.userId, partnerId, zone: 'Asia/Kolkata', limits: most }),
    );
  const fromAllowance = await request(user, 'B', ECHO);
  const free = await request(other, 'C', ECHO);
  // A third of these credits is taken back.
  const refunded = newId('cks');
  await buy(other, 'C', 21, refunded);
  await inTransaction(async (tx) => {
    await clawBack(tx, {
      userId: other.userId,
      sessionId: refunded,
      refunded: 7_000_000n as never,
      disputed: 0n as never,
    });
    await tx.purchase.update({ where: { sessionId: refunded }, data: { refundedMinor: 7 } });
  });
  const bonus = await buyWithBonus();
  const open = newId('cks');
  await prisma().checkoutSession.create({
    data: {
      id: open,
      userId: other.userId,
      partnerId: other.apps.C?.id ?? '',
      currency: 'eur',
      amountMinor: 1_999,
      rate: '1.0837',
      credits: 2_166_000_000n,
      expiresAt: new Date(frozen + 1_800_000),
    },
  });
  await hold(user, 'A', 10);
  await hold(user, 'B', 10);
  await forge([
    "UPDATE ledger_transaction SET created_at = created_at - interval '1 hour'",
    `UPDATE spending_limit SET day_starts = day_starts - interval '1 hour', week_starts = week_starts - interval '1 hour',
       month_starts = month_starts - interval '1 hour'`,
    RECOUNT_SPENT,
  ]);
  await rollUpEarnings('0 seconds');
  await rollUpUsage('0 seconds');
  const payouts = await payTeam([user.apps.A?.id ?? '', user.apps.B?.id ?? '']);
  await auditRecent(0);
  return {
    user: user.userId,
    other: other.userId,
    A: user.apps.A?.id,
    B: user.apps.B?.id,
    C: other.apps.C?.id,
    session,
    refunded,
    open,
    ...payouts,
    ...bonus,
    paid,
    fromAllowance,
    free,
  };
}

type World = Awaited<ReturnType<typeof newWorld>>;
let world: World;

async function findAll(): Promise<{ audited: string[]; checked: string[] }> {
  const audited = (await auditRecent(0))?.differences ?? ['no audit'];
  return { audited, checked: (await checkLedger()).differences };
}

const NOTHING = { audited: [], checked: [] };

beforeAll(async () => {
  world = await newWorld();
  // Nobody is active: whatever is found from here on, the rolling part of the audit found it.
  await forge(["UPDATE watermark SET up_to = clock_timestamp() WHERE name IN ('audit', 'audit_users')"]);
  expect(await findAll()).toEqual(NOTHING);
});

/** The open holds of the world are those of requests that run. */
beforeEach(() =>
  pool().query('UPDATE hold SET lease_until = clock_timestamp() + make_interval(secs => $1)', [
    LEASE_SECONDS,
  ]),
);

/** What was changed · the statements · the invariant that both name. */
type Corruption = [what: string, change: (world: World) => string[], invariant: string];

const txn = (requestId: string): string => `'txn_${requestId.slice(4)}'`;
const swap = (from: string, to: string): string =>
  `postings = replace(postings::text, '"${from}"', '"${to}"')::jsonb`;

const WALLETS: Corruption[] = [
  [
    'the granted credits of a pocket',
    ({ user, A }) => [
      `UPDATE user_app SET own_granted = own_granted + 1 WHERE user_id = '${user}' AND partner_id = '${A}'`,
    ],
    'the granted credits of a pocket equal the granted parts of its postings',
  ],
  [
    'a missing pocket',
    ({ user, A }) => [`DELETE FROM user_app WHERE user_id = '${user}' AND partner_id = '${A}'`],
    'a pocket that does not exist',
  ],
  [
    'a pocket and its wallet',
    ({ user, A }) => [
      `UPDATE user_app SET own = own + 5000000 WHERE user_id = '${user}' AND partner_id = '${A}'`,
      `UPDATE wallet SET money = money + 5000000 WHERE user_id = '${user}'`,
    ],
    'every pocket exists and equals the sum of its postings',
  ],
  [
    'credits moved to the pocket of another user',
    ({ user, other, A, C }) => [
      `UPDATE user_app SET own = own - 5000000 WHERE user_id = '${user}' AND partner_id = '${A}'`,
      `UPDATE user_app SET own = own + 5000000 WHERE user_id = '${other}' AND partner_id = '${C}'`,
      `UPDATE wallet SET money = money + CASE WHEN user_id = '${user}' THEN -5000000 ELSE 5000000 END WHERE user_id IN ('${user}', '${other}')`,
    ],
    'every pocket exists and equals the sum of its postings',
  ],
  [
    'the total of a wallet',
    ({ user }) => [`UPDATE wallet SET money = money + 1 WHERE user_id = '${user}'`],
    'a wallet equals the sum of its pockets',
  ],
  [
    'a missing wallet',
    ({ other }) => [`DELETE FROM wallet WHERE user_id = '${other}'`],
    'a wallet equals the sum of its pockets',
  ],
  [
    'a debt',
    ({ user, B }) => [`UPDATE user_app SET own = -1 WHERE user_id = '${user}' AND partner_id = '${B}'`],
    'only a refund makes a pocket negative',
  ],
  [
    'the held amount of a wallet',
    ({ user }) => [`UPDATE wallet SET held = held + 1 WHERE user_id = '${user}'`],
    'the held amount and the running requests of a wallet match',
  ],
  [
    'the running requests of a wallet',
    ({ user }) => [`UPDATE wallet SET running = running + 1 WHERE user_id = '${user}'`],
    'the held amount and the running requests of a wallet match',
  ],
  [
    'the held amount of a pocket',
    ({ user, A }) => [
      `UPDATE user_app SET own_held = own_held + 1 WHERE user_id = '${user}' AND partner_id = '${A}'`,
    ],
    'the held amount of a pocket matches',
  ],
  [
    'the held amount of a budget',
    ({ user, A }) => [
      `INSERT INTO budget (user_id, id, partner_id, credits, held) VALUES ('${user}', 'key_budget', '${A}', 5, 1)`,
    ],
    'the held amount of a budget matches',
  ],
  [
    'what a run key has spent',
    ({ user, A }) => [
      `INSERT INTO budget (user_id, id, partner_id, credits, spent) VALUES ('${user}', 'key_budget', '${A}', 5, 1)`,
    ],
    'a budget of a run key has spent',
  ],
  [
    'a hold without counters',
    ({ other, C }) => [
      `INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until)
     VALUES ('${other}', 'req_orphan', '${C}', 'key', 1, 1, 0, 0, clock_timestamp() + interval '1 minute')`,
    ],
    'the held amount and the running requests of a wallet match',
  ],
  [
    'a hold with counters and a lease of ten years',
    ({ other, C }) => [
      `INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until)
     VALUES ('${other}', 'req_locked', '${C}', 'key', 5000000, 5000000, 0, 0, clock_timestamp() + interval '10 years')`,
      `UPDATE wallet SET held = held + 5000000, running = running + 1 WHERE user_id = '${other}'`,
      `UPDATE user_app SET own_held = own_held + 5000000 WHERE user_id = '${other}' AND partner_id = '${C}'`,
    ],
    'no lease is longer than a renewal makes it',
  ],
  [
    'what is left of an allowance',
    ({ user, B }) => [
      `UPDATE user_app SET allowance_left = allowance_left + 1 WHERE user_id = '${user}' AND partner_id = '${B}'`,
    ],
    'an allowance has left what requests neither spent nor hold of it',
  ],
  [
    'a whole allowance',
    ({ user, B }) => [
      `UPDATE user_app SET allowance_left = 1000000000, allowance_saved = 1000000000 WHERE user_id = '${user}' AND partner_id = '${B}'`,
    ],
    'an allowance is the one that the user saved last',
  ],
  [
    'an allowance that the user never paused',
    ({ other, C }) => [
      `UPDATE user_app SET allowance_paused = 1000000000 WHERE user_id = '${other}' AND partner_id = '${C}'`,
    ],
    'an allowance is the one that the user saved last',
  ],
];

const COUNTED = 'what limits count is what was spent in their periods';

const LIMITS: Corruption[] = [
  ...['day', 'week', 'month'].flatMap((period): Corruption[] => [
    [
      `what a limit of an app counts per ${period}`,
      ({ user, B }) => [
        `UPDATE spending_limit SET ${period}_spent = ${period}_spent - 1 WHERE user_id = '${user}' AND partner_id = '${B}'`,
      ],
      COUNTED,
    ],
    [
      `what a limit of all apps counts per ${period}`,
      ({ user }) => [
        `UPDATE spending_limit SET ${period}_spent = ${period}_spent + 1 WHERE user_id = '${user}' AND partner_id = ''`,
      ],
      COUNTED,
    ],
  ]),
  [
    'a period that begins after what it counts',
    ({ user }) => [
      `UPDATE spending_limit SET day_starts = day_starts + interval '1 day' WHERE user_id = '${user}' AND partner_id = ''`,
    ],
    COUNTED,
  ],
  ...['day', 'month'].map(
    (period): Corruption => [
      `what the limits of partners count per ${period}`,
      ({ user, A }) => [
        `UPDATE user_app SET ${period}_spent = ${period}_spent - 1 WHERE user_id = '${user}' AND partner_id = '${A}'`,
      ],
      COUNTED,
    ],
  ),
];

const BOOKINGS: Corruption[] = [
  [
    'the credits of a transaction',
    ({ fromAllowance }) => [
      `UPDATE ledger_transaction SET credits = credits - 1 WHERE id = ${txn(fromAllowance)}`,
    ],
    'the credits of a transaction equal its pocket postings',
  ],
  [
    'a posting removed',
    ({ fromAllowance }) => [
      'ALTER TABLE ledger_transaction DROP CONSTRAINT ledger_transaction_sums_to_zero',
      `UPDATE ledger_transaction SET postings = postings - 2 WHERE id = ${txn(fromAllowance)}`,
    ],
    'the postings of a transaction sum to zero',
  ],
  [
    'the charge of a receipt',
    ({ paid }) => [`UPDATE ledger_transaction SET credits = credits - 1 WHERE id = ${txn(paid)}`],
    'every pocket exists and equals the sum of its postings',
  ],
  [
    'the cost of a receipt',
    ({ fromAllowance }) => [
      `UPDATE usage SET provider_cost = provider_cost + 1 WHERE request_id = '${fromAllowance}'`,
    ],
    'every receipt matches the postings',
  ],
  [
    'the cost of a receipt and the postings that follow from it',
    ({ paid }) => [`UPDATE usage SET provider_cost = provider_cost + 1 WHERE request_id = '${paid}'`],
    'the cost of a receipt follows from its tokens and its price',
  ],
  [
    'the share of a receipt',
    ({ fromAllowance }) => [
      `UPDATE usage SET partner_share = partner_share - 1 WHERE request_id = '${fromAllowance}'`,
    ],
    'every receipt matches the postings',
  ],
  [
    'the share of a receipt and the postings that follow from it',
    ({ paid }) => [`UPDATE usage SET partner_share = partner_share - 1 WHERE request_id = '${paid}'`],
    'the charge of a receipt follows from its cost, its rate and its hold',
  ],
  [
    'the hold of a receipt',
    ({ paid }) => [`UPDATE usage SET held = 1 WHERE request_id = '${paid}'`],
    'the charge of a receipt follows from its cost, its rate and its hold',
  ],
  [
    'the partner of a receipt',
    ({ paid, B }) => [`UPDATE usage SET partner_id = '${B}' WHERE request_id = '${paid}'`],
    'every pocket exists and equals the sum of its postings',
  ],
  [
    'a missing receipt',
    ({ paid }) => [
      `UPDATE ledger_transaction SET model = NULL, provider = NULL, price_version = NULL, input_tokens = NULL,
         cache_read_tokens = NULL, cache_write_tokens = NULL, cache_write_1h_tokens = NULL, output_tokens = NULL,
         reasoning_tokens = NULL, estimated = NULL, cost_reported = NULL, outcome = NULL WHERE id = ${txn(paid)}`,
    ],
    'every charged request has a receipt',
  ],
  [
    'an incomplete receipt',
    ({ paid }) => [`UPDATE usage SET input_tokens = NULL WHERE request_id = '${paid}'`],
    'every charged request has a receipt',
  ],
  [
    'a request booked twice',
    ({ paid }) => [
      `INSERT INTO ledger_transaction SELECT (jsonb_populate_record(t, '{"id": "txn_other"}')).* FROM ledger_transaction t WHERE id = ${txn(paid)}`,
    ],
    'every pocket exists and equals the sum of its postings',
  ],
  [
    'the postings of a request paid by an allowance',
    ({ fromAllowance }) => [`UPDATE ledger_transaction SET postings = NULL WHERE id = ${txn(fromAllowance)}`],
    'every pocket exists and equals the sum of its postings',
  ],
  [
    'the postings of a purchase',
    ({ session }) => [`UPDATE ledger_transaction SET postings = NULL WHERE cause_id = '${session}'`],
    'the credits of a transaction equal its pocket postings',
  ],
  [
    'the tokens of a receipt',
    ({ paid }) => [`UPDATE usage SET input_tokens = input_tokens * 100 WHERE request_id = '${paid}'`],
    'the cost of a receipt follows from its tokens and its price',
  ],
  [
    'the price of a receipt',
    () => [
      `UPDATE model_price SET prices = jsonb_set(prices, '{output}', '"1"') WHERE version = '${ECHO.version}'`,
    ],
    'the cost of a receipt follows from its tokens and its price',
  ],
  [
    'the model of a receipt',
    ({ paid }) => [`UPDATE usage SET model = 'sandbox/story' WHERE request_id = '${paid}'`],
    'every receipt names a price of its model and provider',
  ],
  [
    'the price version of a receipt',
    ({ paid }) => [`UPDATE usage SET price_version = 'none' WHERE request_id = '${paid}'`],
    'every receipt names a price of its model and provider',
  ],
  [
    'the rate of a receipt',
    ({ paid }) => [`UPDATE usage SET rate_bp = 1000 WHERE request_id = '${paid}'`],
    'the charge of a receipt follows from its cost, its rate and its hold',
  ],
  [
    'a charge with its share and its pocket',
    ({ user, A, paid }) => [
      `UPDATE ledger_transaction SET credits = credits - 1000000, partner_share = partner_share + 1000000 WHERE id = ${txn(paid)}`,
      `UPDATE user_app SET own = own - 1000000 WHERE user_id = '${user}' AND partner_id = '${A}'`,
      `UPDATE wallet SET money = money - 1000000 WHERE user_id = '${user}'`,
    ],
    'the charge of a receipt follows from its cost, its rate and its hold',
  ],
  [
    'the app of a purchase',
    ({ session, B }) => [`UPDATE ledger_transaction SET partner_id = '${B}' WHERE cause_id = '${session}'`],
    'a transaction posts to its own partner',
  ],
  [
    'a sale booked as a gift',
    ({ session }) => [
      `UPDATE ledger_transaction SET ${swap('processor_clearing', 'promotion_expense')} WHERE cause_id = '${session}'`,
    ],
    'a transaction posts to the accounts of its kind',
  ],
  [
    'a request deleted, the credits given back',
    ({ other, C, free }) => [
      `UPDATE user_app SET own = own - t.credits FROM ledger_transaction t WHERE t.id = ${txn(free)} AND user_app.user_id = '${other}' AND user_app.partner_id = '${C}'`,
      `UPDATE wallet SET money = money - t.credits FROM ledger_transaction t WHERE t.id = ${txn(free)} AND wallet.user_id = '${other}'`,
      `DELETE FROM ledger_transaction WHERE id = ${txn(free)}`,
    ],
    'requests by day equal the receipts',
  ],
];

const EARNINGS: Corruption[] = [
  [
    'the earnings of an hour',
    ({ A }) => [`UPDATE earnings_rollup SET earned = earned + 1 WHERE partner_id = '${A}'`],
    'earnings by hour equal the postings to partners',
  ],
  [
    'commission moved to another partner',
    ({ fromAllowance, A, B }) => [
      `UPDATE ledger_transaction SET ${swap(String(B), String(A))}, partner_id = '${A}' WHERE id = ${txn(fromAllowance)}`,
    ],
    'earnings by hour equal the postings to partners',
  ],
  [
    'commission changed with its receipt',
    ({ fromAllowance }) => [
      `UPDATE ledger_transaction SET partner_share = partner_share - 1, postings = (SELECT jsonb_agg(
       CASE p ->> 'account' WHEN 'partner_earnings' THEN p || jsonb_build_object('amount', (p ->> 'amount')::bigint - 1)
         ELSE p END) FROM jsonb_array_elements(postings) p)
       || '[{"account": "overrun_loss", "partner_id": "", "amount": 1}]' WHERE id = ${txn(fromAllowance)}`,
    ],
    'earnings by hour equal the postings to partners',
  ],
  [
    'a watermark in the future',
    () => ["UPDATE watermark SET up_to = clock_timestamp() + interval '1 year' WHERE name = 'earnings'"],
    'no watermark is in the future',
  ],
];

/** Changes the amounts of an account in the postings of a payout, by a microcredit for each app. */
const repost = (id: string, kind: string, account: string, by: number): string =>
  `UPDATE payout_transaction SET postings = (SELECT jsonb_agg(CASE p ->> 'account' WHEN '${account}'
     THEN p || jsonb_build_object('amount', (p ->> 'amount')::bigint + ${by}) ELSE p END) FROM jsonb_array_elements(postings) p)
   WHERE payout_id = '${id}' AND kind = '${kind}'`;
const UNBALANCED = 'ALTER TABLE payout_transaction DROP CONSTRAINT IF EXISTS payout_transaction_sums_to_zero';
const BALANCED = 'what an app was paid, is owed and has maturing is what it earned';
const BOOKED = 'a payout is booked as its lines say';
const BOOKED_BACK = 'a payout is booked back if and only if it failed or was returned';
const CONTINUES = 'a payout begins with what those before it carried over';

const PAYOUTS: Corruption[] = [
  [
    'the amount of a payout',
    ({ payout }) => [`UPDATE payout SET amount = amount + 1000000 WHERE id = '${payout}'`],
    'the amount of a payout is the sum of its lines',
  ],
  [
    'the amount of a payout and its line',
    ({ payout }) => [
      `UPDATE payout SET amount = amount + 1000000 WHERE id = '${payout}'`,
      `UPDATE payout_line SET amount = amount + 1000000 WHERE payout_id = '${payout}'`,
    ],
    BOOKED,
  ],
  [
    'a payout with its line and its postings',
    ({ payout }) => [
      `UPDATE payout SET amount = amount + 1000000 WHERE id = '${payout}'`,
      `UPDATE payout_line SET amount = amount + 1000000 WHERE payout_id = '${payout}'`,
      UNBALANCED,
      repost(payout, 'payout', 'partner_paid_out', 1_000_000),
      repost(payout, 'payout', 'partner_earnings', -1_000_000),
    ],
    'the items of a payout are what it pays and carries over',
  ],
  [
    'an item of a payout',
    ({ payout }) => [`UPDATE payout_item SET amount = amount + 1 WHERE payout_id = '${payout}'`],
    'the items of a payout are what it pays and carries over',
  ],
  [
    'what a payout carried over, with its items',
    ({ payout }) => [
      `UPDATE payout_item SET amount = amount + 1 WHERE payout_id = '${payout}'`,
      `UPDATE payout_line SET carried_after = carried_after + (
         SELECT count(*) FROM payout_item i WHERE i.payout_id = '${payout}' AND i.partner_id = payout_line.partner_id)
       WHERE payout_id = '${payout}'`,
    ],
    CONTINUES,
  ],
  [
    'what a payout was carried over',
    ({ nextPayout }) => [
      `UPDATE payout_line SET carried_before = carried_before + 1, carried_after = carried_after + 1 WHERE payout_id = '${nextPayout}'`,
    ],
    CONTINUES,
  ],
  [
    'how long an app of a payout has matured',
    ({ nextPayout }) => [
      `UPDATE payout_line SET matured_until = matured_until - 1 WHERE payout_id = '${nextPayout}'`,
    ],
    'what has matured stays matured',
  ],
  [
    'the postings of a payout',
    ({ payout }) => [UNBALANCED, repost(payout, 'payout', 'partner_paid_out', 1)],
    BALANCED,
  ],
  [
    'a payout without postings',
    ({ payout }) => [`DELETE FROM payout_transaction WHERE payout_id = '${payout}'`],
    BOOKED,
  ],
  [
    'postings without a line',
    ({ payout }) => [`DELETE FROM payout_line WHERE payout_id = '${payout}'`],
    BOOKED,
  ],
  [
    'a payout that was returned without a booking',
    ({ payout }) => [`UPDATE payout SET state = 'returned' WHERE id = '${payout}'`],
    BOOKED_BACK,
  ],
  [
    'a failed payout that is sent after all',
    ({ failedPayout }) => [
      `UPDATE payout SET state = 'sent', period = '2030-05-01' WHERE id = '${failedPayout}'`,
    ],
    BOOKED_BACK,
  ],
  [
    'what was booked back of a payout',
    ({ failedPayout }) => [UNBALANCED, repost(failedPayout, 'payout_return', 'partner_earnings', -1)],
    BOOKED_BACK,
  ],
  [
    'the earnings of a day and an hour',
    ({ A }) => [`UPDATE earnings_day SET amount = amount + 1 WHERE partner_id = '${A}'`],
    BALANCED,
  ],
  [
    'a payout made twice',
    ({ payout }) => [
      `INSERT INTO payout SELECT (jsonb_populate_record(o, '{"id": "po_2", "period": "2030-06-01"}')).* FROM payout o WHERE id = '${payout}'`,
      `INSERT INTO payout_line SELECT (jsonb_populate_record(l, '{"payout_id": "po_2"}')).* FROM payout_line l WHERE payout_id = '${payout}'`,
      `INSERT INTO payout_item SELECT (jsonb_populate_record(i, '{"payout_id": "po_2"}')).* FROM payout_item i WHERE payout_id = '${payout}'`,
      `INSERT INTO payout_transaction SELECT (jsonb_populate_record(t, '{"id": "txn_2", "payout_id": "po_2"}')).* FROM payout_transaction t WHERE payout_id = '${payout}'`,
    ],
    CONTINUES,
  ],
];

const PURCHASES: Corruption[] = [
  [
    'an invented purchase',
    ({ other, C }) => [
      `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, postings, created_at)
     VALUES ('${other}', 'txn_invented', '${C}', 'purchase', 'cks_invented', 5000000, 0,
       ledger_postings('pocket', '${C}', 5000000, 'processor_clearing'), clock_timestamp() - interval '1 hour')`,
      `UPDATE user_app SET own = own + 5000000 WHERE user_id = '${other}' AND partner_id = '${C}'`,
      `UPDATE wallet SET money = money + 5000000 WHERE user_id = '${other}'`,
    ],
    'a completed checkout session, its purchase and its transaction agree',
  ],
  [
    'a paid session and its purchase without a transaction',
    ({ open, other, C }) => [
      `UPDATE checkout_session SET status = 'completed' WHERE id = '${open}'`,
      `INSERT INTO purchase (id, user_id, partner_id, session_id, currency, amount_minor, rate, credits)
     SELECT 'txn_missing', '${other}', '${C}', id, currency, amount_minor, rate, credits FROM checkout_session WHERE id = '${open}'`,
    ],
    'a completed checkout session, its purchase and its transaction agree',
  ],
  [
    'a paid session that was never credited',
    ({ open }) => [`UPDATE checkout_session SET status = 'completed' WHERE id = '${open}'`],
    'a completed checkout session, its purchase and its transaction agree',
  ],
  [
    'a purchase deleted',
    ({ session }) => [`DELETE FROM purchase WHERE session_id = '${session}'`],
    'a completed checkout session, its purchase and its transaction agree',
  ],
  [
    'what was refunded of a purchase',
    ({ refunded }) => [`UPDATE purchase SET refunded_minor = 8 WHERE session_id = '${refunded}'`],
    'the credits taken back of a purchase are those of its refunds and disputes',
  ],
  [
    'what is disputed of a purchase',
    ({ session }) => [`UPDATE purchase SET disputed_minor = 1 WHERE session_id = '${session}'`],
    'the credits taken back of a purchase are those of its refunds and disputes',
  ],
  [
    'a purchase and its credits moved to another user',
    ({ session, user, other, A, C }) => [
      `UPDATE ledger_transaction SET user_id = '${other}', partner_id = '${C}', ${swap(String(A), String(C))} WHERE cause_id = '${session}'`,
      `UPDATE purchase SET user_id = '${other}', partner_id = '${C}' WHERE session_id = '${session}'`,
      `UPDATE user_app SET own = own + CASE WHEN user_id = '${user}' THEN -300000000 ELSE 300000000 END WHERE partner_id IN ('${A}', '${C}') AND user_id IN ('${user}', '${other}')`,
      `UPDATE wallet SET money = money + CASE WHEN user_id = '${user}' THEN -300000000 ELSE 300000000 END WHERE user_id IN ('${user}', '${other}')`,
    ],
    'a completed checkout session, its purchase and its transaction agree',
  ],
  [
    'the credits of an open session',
    ({ open }) => [`UPDATE checkout_session SET credits = credits * 10 WHERE id = '${open}'`],
    'the credits of a checkout session are its amount at its rate',
  ],
  [
    'the exchange rate of an open session',
    ({ open }) => [`UPDATE checkout_session SET rate = 1.2 WHERE id = '${open}'`],
    'the credits of a checkout session are its amount at its rate',
  ],
];

const PROMOTIONS: Corruption[] = [
  [
    'a redemption deleted',
    ({ bonusSession }) => [`DELETE FROM promotion_redemption WHERE id = '${bonusSession}'`],
    'a booked redemption of a promotion and its transaction agree',
  ],
  [
    'the credits of a redemption',
    ({ bonusSession }) => [
      `UPDATE promotion_redemption SET credits = credits + 1 WHERE id = '${bonusSession}'`,
    ],
    'a booked redemption of a promotion and its transaction agree',
  ],
  [
    'a reservation of a payment that has ended',
    ({ bonusSession }) => [`UPDATE promotion_redemption SET booked_at = NULL WHERE id = '${bonusSession}'`],
    'a bonus is reserved only for a payment in progress',
  ],
  [
    'a bonus that was not taken back',
    ({ bonusSession }) => [
      `UPDATE ledger_transaction SET related_id = 'cks_other' WHERE kind = 'promotion' AND related_id = '${bonusSession}'`,
    ],
    'the bonus taken back of a purchase is in proportion to its credits taken back',
  ],
];

describe('the check and the next audit both find what was changed by hand, also of users who are not active:', () => {
  test.each([...WALLETS, ...LIMITS, ...BOOKINGS, ...EARNINGS, ...PAYOUTS, ...PURCHASES, ...PROMOTIONS])(
    '%s',
    async (_what, change, invariant) => {
      await whileForged(change(world), async () => {
        const { audited, checked } = await findAll();
        expect(audited).toContainEqual(expect.stringContaining(invariant));
        expect(checked).toContainEqual(expect.stringContaining(invariant));
      });
    },
  );

  test('they find nothing once everything is changed back', async () => {
    expect(await findAll()).toEqual(NOTHING);
  });
});

test.each([
  ['redeemed = redeemed - 1', 'a promotion counts its redemptions and their credits'],
  ['given = given + 1', 'a promotion counts its redemptions and their credits'],
])('the check finds a changed counter of a promotion: %s', async (change, invariant) => {
  await whileForged([`UPDATE promotion SET ${change} WHERE id = '${world.promotion}'`], async () => {
    expect((await findAll()).checked).toContainEqual(expect.stringContaining(invariant));
  });
});

test.each([
  [
    'the model of an item of a payout',
    `UPDATE payout_item SET model = 'other'`,
    'payouts list every posting once',
  ],
  [
    'a request of an item of a payout',
    'UPDATE payout_item SET requests = 2',
    'payouts list every posting once',
  ],
  [
    'the model of earnings by day',
    `UPDATE earnings_day SET model = 'other'`,
    'earnings by day equal the postings',
  ],
])('the check finds %s @attack', async (_what, change, invariant) => {
  await whileForged([change], async () => {
    expect((await findAll()).checked).toContainEqual(expect.stringContaining(invariant));
  });
});

test('the check finds a promotion beyond its limit per user', async () => {
  const second = `INSERT INTO promotion_redemption SELECT id || ':2', promotion_id, user_id, partner_id, credits, created_at, booked_at
    FROM promotion_redemption WHERE id = '${world.bonusSession}'`;
  await whileForged([second], async () => {
    expect((await findAll()).checked).toContainEqual(
      expect.stringContaining('no promotion passes its limits'),
    );
  });
});

test('only the check reports a hold that is open long after its lease: after downtime, sweeping takes a moment', async () => {
  await whileForged(["UPDATE hold SET lease_until = lease_until - interval '10 minutes'"], async () => {
    const { audited, checked } = await findAll();
    expect(audited).toEqual([]);
    expect(checked).toContainEqual(
      expect.stringContaining('no hold stays open long after its lease expired'),
    );
  });
});

test('the cost that the check computes from tokens is the one that was charged, for every price and on both sides of every tier', async () => {
  const seed = Number(process.env.SEED ?? 11);
  console.info(`SEED=${seed}`);
  const random = randomFrom(seed);
  const wallet = await newWallet(['A'], { rateBp: 1_750 });
  await buy(wallet, 'A', 9_000_000);
  const requests = priceVersions().flatMap(({ model, versions }) =>
    versions.flatMap(({ name: version, prices: { tiers } }) =>
      [1 + Math.floor(random() * 5_000), ...tiers.flatMap(({ above }) => [above, above + 1])].map(
        (prompt) => {
          const cacheRead = Math.floor(random() * prompt);
          const cacheWrite5m = Math.floor(random() * (prompt - cacheRead));
          const cacheWrite1h = Math.floor(random() * (prompt - cacheRead - cacheWrite5m));
          const input = prompt - cacheRead - cacheWrite5m - cacheWrite1h;
          const tokens = {
            ...NO_TOKENS,
            input,
            cacheRead,
            cacheWrite5m,
            cacheWrite1h,
            output: Math.floor(random() * 2_000),
          };
          return { model: model.id, version, tokens };
        },
      ),
    ),
  );
  const waiting = [...requests];
  await inLanes({ lanes: 8, times: requests.length }, async () => {
    const next = waiting.pop();
    if (next) await request(wallet, 'A', next);
  });
  expect((await checkLedger()).differences).toEqual([]);
  const { rows } = await pool().query<{ receipts: bigint }>(
    'SELECT count(*) AS receipts FROM usage WHERE user_id = $1 AND NOT cost_reported',
    [wallet.userId],
  );
  expect(rows[0]?.receipts).toBe(BigInt(requests.length));
});

test('a cost that the provider reported needs no tokens, but its charge follows from it and from the rate', async () => {
  const wallet = await newWallet(['A'], { rateBp: 3_333 });
  await buy(wallet, 'A', 100);
  for (const exact of [1n, 999_999n, 1_000_000n, 1_000_001n, 123_456_789_012n, 20_000_000_000_001n]) {
    const admission = await hold(wallet, 'A', 12);
    if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
    await capture(admission.hold, chargeFor(exact as never, admission.hold.rateBp), receipt());
  }
  expect((await checkLedger()).differences).toEqual([]);
  const one = `(SELECT request_id FROM usage WHERE user_id = '${wallet.userId}' AND provider_cost = 123457)`;
  await whileForged([`UPDATE usage SET rate_bp = rate_bp + 100 WHERE request_id = ${one}`], async () => {
    expect((await checkLedger()).differences).toEqual([
      expect.stringContaining('follows from its cost, its rate'),
    ]);
  });
});

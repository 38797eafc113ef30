import { afterEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { forgetOldTraces, noteSignIn, type TraceKind } from '@/server/base/traces';
import {
  joinOverlapping,
  listBlocked,
  openAccounts,
  readDeclined,
  readReversals,
  readShared,
  sealAccounts,
} from '@/server/operator/abuse';
import { allowPurchasesAs, blockPurchasesAs } from '@/server/operator/block-purchases';
import { createPartner } from '@/server/partners/partner';
import { forgetOldAttempts } from '@/server/payments/checkout/note-attempt';
import { startOwnPayment } from '@/server/payments/checkout/own-payments';
import { startCardSetup } from '@/server/payments/checkout/saved-cards';
import { deleteAccount } from '@/server/people/delete-account';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../harness';
import { until } from '../harness/until';
import { addCard, newBuyer } from '../payments/checkout/cards-world';
import {
  CheckoutWindow,
  newUserKey,
  payByCard,
  send,
  startCheckout,
} from '../payments/checkout/checkout-world';

/** The abuse view of operators, and the block of purchases that it offers. */

await newDatabase();
const world = await startCheckout();

const [PAYS, DECLINED, OTHER] = ['4242 4242 4242 4242', '4000 0000 0000 0002', '4000 0000 0000 1976'];
const by = { operator: 'boss@example.com', reason: 'many accounts, one card' };

afterEach(async () => {
  setClock();
  await pool().query('DELETE FROM account_trace');
  await pool().query('DELETE FROM payment_attempt');
});

let made = 0;

async function newAccount(email = `abuse-${++made}@example.com`): Promise<string> {
  return inTransaction(async (tx) => (await openUser(tx, email)).id);
}

const newAccounts = (count: number) => Promise.all(Array.from({ length: count }, () => newAccount()));

/** Signs in to a window in a new browser, and pays with a card, or tries to. */
async function pay(email: string, ...cards: string[]): Promise<void> {
  const window = await CheckoutWindow.open(world);
  await window.signIn(email);
  const { session_id: id, payment } = await window.startPayment();
  for (const card of cards) {
    const { status } = await payByCard(payment.embed_url, card);
    await window.get(`/payments/${id}`);
    if (status === 'complete') return;
  }
}

const signIn = (userId: string, { clientIp = '', browserIds = [] as string[] }) =>
  inTransaction((tx) => noteSignIn(tx, { userId, clientIp, browserIds }));

const namesOf = ({ of }: { of: { shown: { email: string | null }[] } }) =>
  of.shown.map(({ email }) => email).sort();

describe('accounts with something in common', () => {
  test('are listed once three of them have paid with the same card, of which only a keyed hash is stored @attack', async () => {
    const emails = ['ada', 'bob', 'eve'].map((name) => `${name}-${++made}@example.com`);
    for (const email of emails.slice(0, 2)) await pay(email, PAYS);
    await pay('other@example.com', OTHER);
    expect(await readShared('card')).toEqual([]);
    await pay(emails[2] ?? '', PAYS);
    // Noted after the credits are booked.
    const [group, ...others] = await until(
      () => readShared('card'),
      (groups) => groups.length > 0,
    );
    expect(others).toEqual([]);
    expect(group).toMatchObject({ accounts: 3, of: { count: 3, created: 3, blocked: 0 } });
    expect(group && namesOf(group)).toEqual(emails);
    const charge = await prisma().paymentAttempt.findFirstOrThrow();
    expect(charge).toMatchObject({ isDeclined: false, card: expect.any(Uint8Array) });
    expect(charge.card).toHaveLength(16);
    const { rows } = await pool().query<{ text: string }>(
      'SELECT (SELECT string_agg(t::text, $1) FROM account_trace t) || (SELECT string_agg(p::text, $1) FROM payment_attempt p) AS text',
      ['\n'],
    );
    // The sandbox identifies the card by the hash of its number.
    expect(rows[0]?.text).not.toMatch(/477bba133c182267|127\.0\.0\.1/);
    // Random hashes and ids may contain any four digits.
    expect(rows[0]?.text.replace(/\\x[0-9a-f]{32}|(usr|ch)_\w+/g, '')).not.toMatch(/4242/);
  });

  test('are listed once three of them have signed in from one browser, as one group however many they are @attack', async () => {
    const accounts = await newAccounts(9);
    // A browser keeps the last five.
    for (const [index, account] of accounts.entries())
      await signIn(account, {
        browserIds: accounts
          .slice(Math.max(0, index - 4), index + 1)
          .reverse()
          .map((id) => `browser of ${id}`),
      });
    for (const account of await newAccounts(2)) await signIn(account, { browserIds: ['another browser'] });
    const groups = await readShared('browser');
    expect(groups).toMatchObject([{ accounts: 9, of: { count: 9 } }]);
    expect(openAccounts(groups[0]?.of.token ?? '').sort()).toEqual([...accounts].sort());
  });

  test('are listed once ten of them have signed in from one network', async () => {
    for (const account of await newAccounts(9)) await signIn(account, { clientIp: '203.0.113.7' });
    for (const [index, account] of (await newAccounts(10)).entries())
      await signIn(account, { clientIp: `2001:db8:1:2::${index}` });
    for (const account of await newAccounts(12)) await signIn(account, {});
    expect(await readShared('network')).toMatchObject([{ accounts: 10 }]);
    for (const account of await newAccounts(2)) await signIn(account, { clientIp: '203.0.113.7' });
    expect((await readShared('network')).map(({ accounts }) => accounts)).toEqual([11, 10]);
  });

  test('are forgotten 30 days after they were last seen', async () => {
    const start = now();
    const [first = '', ...others] = await newAccounts(3);
    for (const account of [first, ...others])
      await signIn(account, { clientIp: '203.0.113.9', browserIds: ['shared'] });
    await prisma().paymentAttempt.create({
      data: { id: 'ch_old', userId: first, isDeclined: true, at: new Date(start) },
    });
    setClock(() => start + 29 * DAY_MS);
    await signIn(first, { browserIds: ['shared'] });
    expect(await readShared('browser')).toHaveLength(1);
    setClock(() => start + 30 * DAY_MS + HOUR_MS);
    await forgetOldTraces();
    await forgetOldAttempts();
    expect(await readShared('browser')).toEqual([]);
    expect(await prisma().accountTrace.findMany()).toMatchObject([{ kind: 'browser', userId: first }]);
    expect(await prisma().paymentAttempt.count()).toBe(0);
  });

  test('do not merge because of groups that have no account in common', () => {
    const group = (...users: string[]) => ({ accounts: users.length, seenAt: new Date(0), users });
    const joined = joinOverlapping([group('a', 'b'), group('c', 'd'), group('e'), group('d', 'a')]);
    expect(joined.map(({ users }) => [...users].sort())).toEqual([['a', 'b', 'c', 'd'], ['e']]);
  });
});

describe('a sign-in leaves its traces', () => {
  const tracesOf = async (email: string) => {
    const { id } = await prisma().user.findUniqueOrThrow({ where: { email } });
    const traces = await prisma().accountTrace.findMany({ where: { userId: id }, orderBy: { kind: 'asc' } });
    return traces.map(({ kind }) => kind as TraceKind);
  };

  test('in the checkout, once however often the user signs in', async () => {
    const email = `traced-${++made}@example.com`;
    const window = await CheckoutWindow.open(world);
    await window.signIn(email);
    // No proxy reports the IP of this client.
    expect(await tracesOf(email)).toEqual(['browser']);
  });
});

describe('declined payments', () => {
  const decline = async (userId: string, atMs: number, card: string | null = null) => {
    await prisma().paymentAttempt.create({
      data: {
        id: newId('cks'),
        userId,
        card: card === null ? null : new Uint8Array(Buffer.from(card)),
        isDeclined: true,
        at: new Date(atMs),
      },
    });
  };
  const hour = now() - (now() % HOUR_MS) - 2 * HOUR_MS;

  test('of the processor’s form are each noted, and those of one account within an hour listed @attack', async () => {
    const email = `tester-${++made}@example.com`;
    await pay(email, DECLINED, DECLINED, DECLINED, DECLINED);
    expect(await readDeclined('account')).toEqual([]);
    await pay(email, DECLINED);
    const [row, ...others] = await until(
      () => readDeclined('account'),
      ([first]) => first?.worst === 5,
    );
    expect(others).toEqual([]);
    expect(row).toMatchObject({ total: 5, accounts: 1, of: { shown: [{ email, isBlocked: false }] } });
    // A card that was only declined belongs to nobody.
    expect(await prisma().accountTrace.count({ where: { kind: 'card' } })).toBe(0);
  });

  test('spread over hours are not listed', async () => {
    const [account = ''] = await newAccounts(1);
    for (let n = 0; n < 8; n++) await decline(account, hour - n * HOUR_MS + (n % 4));
    expect(await readDeclined('account')).toEqual([]);
    for (let n = 0; n < 4; n++) await decline(account, hour + 10 + n);
    expect(await readDeclined('account')).toMatchObject([{ worst: 5, total: 12 }]);
  });

  test('of several accounts are listed by card and by network, and those of one account are not @attack', async () => {
    const accounts = await newAccounts(5);
    for (const account of accounts) await signIn(account, { clientIp: '198.51.100.4' });
    for (const account of accounts) {
      await decline(account, hour, 'card one');
      await decline(account, hour + 1, `card of ${account}`);
      await decline(account, hour + 2, `card of ${account}`);
    }
    expect(await readDeclined('account')).toEqual([]);
    expect(await readDeclined('card')).toMatchObject([{ worst: 5, total: 5, accounts: 5 }]);
    expect(await readDeclined('network')).toMatchObject([
      { worst: 15, total: 15, accounts: 5, of: { count: 5 } },
    ]);
  });
});

describe('refunds and disputes', () => {
  type Sums = { purchases?: number; refunded?: number; disputed?: number };

  async function newApp({ purchases = 100, refunded = 0, disputed = 0 }: Sums): Promise<string> {
    const { id: partnerId } = await createPartner({ name: 'Reversed', rateBp: 0, origins: [] });
    const day = new Date(now() - DAY_MS);
    const sums = { purchase: [purchases, 10_000], refund: [1, -refunded], chargeback: [1, -disputed] };
    await prisma().activityMoneyDay.createMany({
      data: Object.entries(sums).map(([kind, [entries = 0, credits = 0]]) => ({
        day,
        partnerId,
        kind,
        entries,
        credits,
      })),
    });
    return partnerId;
  }

  test('of apps are compared with the median, and small apps are not', async () => {
    const usual = [await newApp({ refunded: 100 }), await newApp({ refunded: 300 }), await newApp({})];
    const refunds = await newApp({ refunded: 700 });
    const disputes = await newApp({ refunded: 100, disputed: 150 });
    const small = await newApp({ purchases: 9, refunded: 9_000 });
    const { medians, apps } = await readReversals();
    expect(medians).toEqual({ refundedBp: 100, disputedBp: 0 });
    expect(apps.map(({ partnerId }) => partnerId)).toEqual([disputes, refunds]);
    expect(apps[1]).toMatchObject({ purchases: 100, refundedBp: 700, disputedBp: 0, isDisabled: false });
    for (const app of [...usual, small]) expect(apps.map(({ partnerId }) => partnerId)).not.toContain(app);
    await pool().query('DELETE FROM activity_money_day');
    expect((await readReversals()).medians).toBeNull();
  });

  test('of a user are listed from the second on', async () => {
    const [one = '', two = ''] = await newAccounts(2);
    const buy = (userId: string, refundedMinor: number, disputedMinor = 0) =>
      prisma().purchase.create({
        data: {
          id: newId('txn'),
          userId,
          partnerId: world.app.id,
          sessionId: newId('cks'),
          currency: 'usd',
          amountMinor: 1_000,
          rate: 1,
          credits: 1_000_000n,
          refundedMinor,
          disputedMinor,
          createdAt: new Date(now() - DAY_MS),
        },
      });
    for (const refunded of [0, 0, 500]) await buy(one, refunded);
    for (const refunded of [0, 1_000, 0]) await buy(two, refunded);
    await buy(two, 0, 1_000);
    const { users } = await readReversals();
    expect(users).toMatchObject([{ purchases: 4, refunded: 1, disputed: 1, of: { count: 1 } }]);
    expect(openAccounts(users[0]?.of.token ?? '')).toEqual([two]);
  });
});

describe('an account whose purchases are blocked', () => {
  const REFUSED = { status: 403, body: { error: { type: 'purchases_blocked' } } };
  const ORDER = { amount: 10, currency: 'usd', checkout_mode: 'embedded' };

  test('buys nothing in any way until an operator allows it, and its open form ends @attack', async () => {
    const buyer = await newBuyer(world);
    const cardId = await addCard(buyer);
    const window = await buyer.openPopup();
    const { session_id: open, payment } = await window.startPayment();
    const { userKey } = await newUserKey(world.app, buyer.session.email);
    const byApi = () =>
      send(
        `${world.url}/v1/credits/checkout`,
        'POST',
        { authorization: `Bearer ${userKey}` },
        {
          amount: 10,
          currency: 'usd',
        },
      );
    const { session: user, userId } = buyer;
    expect(await blockPurchasesAs({ ...by, userIds: [userId] })).toBe(1);

    expect(await payByCard(payment.embed_url)).toEqual({ status: 'expired' });
    expect((await window.get(`/payments/${open}`)).body).toMatchObject({ status: 'expired' });
    expect(await window.post('/payments', ORDER)).toMatchObject(REFUSED);
    const withCard = { ...ORDER, card_id: cardId, pay_id: newId('cks') };
    expect(await window.post('/card-payments', withCard)).toMatchObject(REFUSED);
    expect(await byApi()).toMatchObject({ status: 403 });
    const code = { code: 'purchases_blocked' };
    await expect(startOwnPayment(user, { amount: 10, currency: 'usd' })).rejects.toMatchObject(code);
    const setup = { returnUrl: 'http://localhost/back', buttonId: 'blocked' };
    await expect(startCardSetup(userId, setup)).rejects.toMatchObject(code);
    expect(await prisma().purchase.count({ where: { userId } })).toBe(0);

    await allowPurchasesAs({ ...by, userId });
    expect((await byApi()).status).toBe(200);
    const again = await window.startPayment();
    expect(await payByCard(again.payment.embed_url)).toMatchObject({ status: 'complete' });
  });

  test('is blocked with every account of its mailbox, also one that is created after it is deleted @attack', async () => {
    const name = `mailbox-${++made}`;
    const first = await newAccount(`${name}@example.com`);
    await blockPurchasesAs({ ...by, userIds: [first] });
    const sibling = await newAccount(`${name}+two@example.com`);
    const refused = { code: 'purchases_blocked' };
    const start = (userId: string) =>
      startCardSetup(userId, { returnUrl: 'http://localhost/back', buttonId: newId('cks') });
    await expect(start(sibling)).rejects.toMatchObject(refused);
    await deleteAccount(first);
    const later = await newAccount(`${name}@example.com`);
    expect(later).not.toBe(first);
    await expect(start(later)).rejects.toMatchObject(refused);
    expect((await listBlocked()).blocked).toMatchObject([{ email: null }]);
    await allowPurchasesAs({ ...by, userId: later });
    await start(sibling);
    expect(await listBlocked()).toEqual({ blocked: [], total: 0 });
  });

  test('is blocked once by operators at once, and each block and its end has a reason', async () => {
    const accounts = await newAccounts(3);
    const block = () => blockPurchasesAs({ ...by, userIds: accounts });
    const outcomes = await Promise.allSettled([block(), block(), block()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toMatchObject([{ value: 3 }]);
    const entries = await prisma().auditEntry.findMany({
      where: { teamId: null, subject: { in: accounts } },
    });
    expect(entries).toHaveLength(3);
    await expect(blockPurchasesAs({ ...by, userIds: accounts, reason: ' ' })).rejects.toThrow('reason');
    const [userId = ''] = accounts;
    await expect(allowPurchasesAs({ ...by, userId, reason: '' })).rejects.toThrow('reason');
    await allowPurchasesAs({ ...by, userId });
    await expect(allowPurchasesAs({ ...by, userId })).rejects.toThrow('not blocked');
  });
});

test('a page names accounts by a token that nobody else can write @attack', () => {
  expect(openAccounts(sealAccounts(['usr_a', 'usr_b']))).toEqual(['usr_a', 'usr_b']);
  const [token] = [sealAccounts(['usr_a'])];
  for (const wrong of ['', 'usr_a', token.slice(0, -2), `${token}AA`])
    expect(() => openAccounts(wrong)).toThrow('no longer exist');
});

import { beforeAll, describe, expect, test } from 'vitest';
import { chargeFor } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { capture } from '@/server/ledger';
import { findUserByRef } from '@/server/operator/find-user';
import { listPayments, type PaymentFilter } from '@/server/operator/list-payments';
import { listUsers, searchUsers } from '@/server/operator/list-users';
import { rollUpActivity } from '@/server/reports/activity/roll-up';
import { newDatabase } from '../harness/database';
import { receipt } from '../ledger/receipt';
import { buy, exactly, hold, newWallet, takeBack, type Wallet } from '../ledger/wallets';

/** What operators find of people and payments without knowing an id. */

await newDatabase();

const PAGE = { limit: 2, offset: 0 };

async function newUser(email: string, minute: number): Promise<Wallet> {
  const wallet = await newWallet(['A']);
  const createdAt = new Date(Date.UTC(2026, 0, 1, 0, minute));
  await prisma().user.create({ data: { id: wallet.userId, email, createdAt } });
  return wallet;
}

async function spend(wallet: Wallet, credits: number): Promise<void> {
  await buy(wallet, 'A', credits);
  const admission = await hold(wallet, 'A', credits, credits);
  if (!admission.ok) throw new Error(`refused: ${admission.refusal}`);
  await capture(admission.hold, chargeFor(exactly(credits), 0), receipt());
}

const emails = ({ users }: Awaited<ReturnType<typeof listUsers>>) => users.map(({ email }) => email);

let ada: Wallet;
let bob: Wallet;
let eve: Wallet;

beforeAll(async () => {
  ada = await newUser('ada.lovelace@acme.example', 1);
  bob = await newUser('bob@other.example', 2);
  eve = await newUser('eve_100%@acme.example', 3);
  await prisma().user.create({
    data: { id: newId('usr'), email: 'deleted:usr_1', deletedAt: new Date(), createdAt: new Date() },
  });
  await spend(bob, 30);
  await spend(ada, 70);
  await rollUpActivity('0 seconds');
});

describe('users', () => {
  test('are listed by age and by what they spent, in pages, without deleted accounts', async () => {
    const first = await listUsers('newest', PAGE);
    expect([emails(first), first.hasMore]).toEqual([['eve_100%@acme.example', 'bob@other.example'], true]);
    const second = await listUsers('newest', { limit: 2, offset: 2 });
    expect([emails(second), second.hasMore]).toEqual([['ada.lovelace@acme.example'], false]);
    const spenders = await listUsers('spent', PAGE);
    expect(emails(spenders)).toEqual(['ada.lovelace@acme.example', 'bob@other.example']);
    expect(spenders.users[0]).toMatchObject({ spent: 70_000_000n, requests: 1, credits: 0n });
    expect((await findUserByRef(spenders.users[0]?.userRef ?? ''))?.id).toBe(ada.userId);
    expect(JSON.stringify(spenders, (_, value) => String(value))).not.toContain('usr_');
  });

  test('are found by any part of the address, in any case, and each character counts as itself', async () => {
    expect(emails(await searchUsers('LOVELACE', 9))).toEqual(['ada.lovelace@acme.example']);
    expect(emails(await searchUsers(' @acme.ex', 9))).toEqual([
      'eve_100%@acme.example',
      'ada.lovelace@acme.example',
    ]);
    expect(emails(await searchUsers('0%@', 9))).toEqual(['eve_100%@acme.example']);
    expect(emails(await searchUsers('a%e', 9))).toEqual([]);
    const one = await searchUsers('@', 1);
    expect([one.users.length, one.hasMore]).toEqual([1, true]);
  });

  test('are found by the beginning of an app user id', async () => {
    const { appUserId } = await prisma().userApp.findFirstOrThrow({
      where: { userId: bob.userId, appUserId: { not: null } },
    });
    expect(emails(await searchUsers(appUserId?.slice(0, 12) ?? '', 9))).toEqual(['bob@other.example']);
    expect(emails(await searchUsers('au_%', 9))).toEqual([]);
  });
});

describe('payments', () => {
  const count = async (filter: PaymentFilter) =>
    (await listPayments(filter, { limit: 50, offset: 0 })).payments.length;

  beforeAll(async () => {
    const session = newId('cks');
    await buy(eve, 'A', 50, session);
    await takeBack(eve, session, { refunded: 20 });
    await prisma().checkoutSession.create({
      data: {
        id: newId('cks'),
        userId: eve.userId,
        partnerId: '',
        status: 'failed',
        currency: 'eur',
        amountMinor: 900,
        rate: 1,
        credits: 900n,
        createdAt: new Date('2026-01-05T23:59:59Z'),
        expiresAt: new Date('2026-01-06'),
      },
    });
  });

  test('are filtered by state, user, app and day, each alone and together', async () => {
    expect(await count({})).toBe(4);
    expect(await count({ state: 'paid' })).toBe(3);
    expect(await count({ state: 'reversed' })).toBe(1);
    expect(await count({ state: 'open' })).toBe(0);
    expect(await count({ userId: eve.userId })).toBe(2);
    expect(await count({ partnerId: '' })).toBe(1);
    expect(await count({ partnerId: bob.apps.A?.id })).toBe(1);
    expect(await count({ from: '2026-01-05', to: '2026-01-05' })).toBe(1);
    expect(await count({ to: '2026-01-04' })).toBe(0);
    expect(await count({ userId: eve.userId, state: 'failed', partnerId: '' })).toBe(1);
    expect(await count({ userId: bob.userId, state: 'failed' })).toBe(0);
  });

  test('have the state that their purchase is in, and what was taken back', async () => {
    const { payments } = await listPayments({ userId: eve.userId }, { limit: 50, offset: 0 });
    expect(payments).toMatchObject([
      {
        state: 'partly_refunded',
        amountMinor: 50,
        reversedMinor: 20,
        appName: 'A',
        email: 'eve_100%@acme.example',
      },
      { state: 'failed', amountMinor: 900, reversedMinor: 0, purchaseId: null, appName: null },
    ]);
  });

  test('come in pages that tell whether another follows', async () => {
    const first = await listPayments({}, { limit: 3, offset: 0 });
    expect([first.payments.length, first.hasMore]).toEqual([3, true]);
    const last = await listPayments({}, { limit: 3, offset: 3 });
    expect([last.payments.length, last.hasMore]).toEqual([1, false]);
  });
});

test('each list reads by an index, or scans no more users than its bound', async () => {
  const client = await pool().connect();
  const planOf = async (query: string) => JSON.stringify((await client.query(`EXPLAIN ${query}`)).rows);
  try {
    await client.query('SET enable_seqscan = off; SET enable_sort = off');
    expect(
      await planOf('SELECT id FROM "user" WHERE deleted_at IS NULL ORDER BY created_at DESC, id LIMIT 50'),
    ).toContain('user_created_at_id_idx');
    expect(await planOf(`SELECT user_id FROM user_app WHERE app_user_id LIKE 'au\\_abc%'`)).toContain(
      'user_app_app_user_id_prefix',
    );
    expect(await planOf('SELECT id FROM checkout_session ORDER BY created_at DESC LIMIT 50')).toContain(
      'checkout_session_created_at_idx',
    );
  } finally {
    client.release(true);
  }
});

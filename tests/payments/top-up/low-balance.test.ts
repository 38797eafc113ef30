import { beforeEach, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import {
  findLowBalanceMail,
  noteLowBalances,
  saveLowBalanceMail,
} from '@/server/payments/checkout/top-up/low-balance';
import { deleteAccount } from '@/server/people/delete-account';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { newUser } from '../../people/account/person';
import { openMailbox } from '../../people/identity/mailbox';
import { buy, setMoney } from './users';

/** The low-balance e-mail. */

await newDatabase();
const mailbox = await openMailbox();

let clock = Date.parse('2026-01-01T00:00:00Z');
setClock(() => clock);
beforeEach(() => {
  mailbox.mails.length = 0;
});

/** A user who wants to know below 200 credits. */
async function newWatcher(): Promise<string> {
  const userId = await newUser();
  await buy(userId, 1_000);
  await saveLowBalanceMail(userId, 200);
  return userId;
}

/** What two instances do with a balance, every second. */
async function watch(userId: string, credits: number): Promise<number> {
  await setMoney(userId, credits);
  const before = mailbox.mails.length;
  await Promise.all([noteLowBalances([userId]), noteLowBalances(null)]);
  await Promise.all([sendMails('low_balance'), sendMails('low_balance')]);
  return mailbox.mails.length - before;
}

test('one mail is sent when the balance falls below the threshold, and another only after it was above', async () => {
  const userId = await newWatcher();
  expect(await watch(userId, 200)).toBe(0);
  expect(await watch(userId, 199)).toBe(1);
  expect(await watch(userId, 50)).toBe(0);
  clock += 2 * DAY_MS;
  expect(await watch(userId, 10)).toBe(0);
  expect(await watch(userId, 500)).toBe(0);
  expect(await watch(userId, 100)).toBe(1);
  const { mail } = mailbox.mails.at(-1) ?? {};
  expect(mail?.subject).toBe('Your svc credits are running low');
  expect(mail?.text).toContain('You have 100 credits left, fewer than the 200');
  expect(mail?.text).toContain('/account/buy');
  expect(mail?.text).toContain('/account/payment#low-balance');
});

test('a balance that goes up and down causes at most one mail a day @attack', async () => {
  const userId = await newWatcher();
  let sent = 0;
  for (let hour = 0; hour < 72; hour++) {
    sent += await watch(userId, hour % 2 === 0 ? 100 : 300);
    clock += HOUR_MS;
  }
  expect(sent).toBe(3);
});

test('the mail arrives although the mail server was away, and not if credits were added meanwhile', async () => {
  const [waiting, rescued] = [await newWatcher(), await newWatcher()];
  const url = process.env.SMTP_URL;
  const { settings } = await import('@/server/base/env');
  Object.assign(settings(), { SMTP_URL: 'smtp://127.0.0.1:1' });
  expect(await watch(waiting, 100)).toBe(0);
  expect(await watch(rescued, 100)).toBe(0);
  Object.assign(settings(), { SMTP_URL: url });
  await setMoney(rescued, 900);
  await sendMails('low_balance');
  expect(mailbox.mails).toHaveLength(0);
  clock += MINUTE_MS;
  await sendMails('low_balance');
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: waiting } });
  expect(mailbox.mails.map(({ recipients }) => recipients)).toEqual([[email]]);
  clock += DAY_MS;
  await sendMails('low_balance');
  expect(mailbox.mails).toHaveLength(1);
});

test('a new threshold applies at once, and no mail is sent once it is turned off or the account is deleted', async () => {
  const userId = await newWatcher();
  await saveLowBalanceMail(userId, 2_000);
  expect(await findLowBalanceMail(userId)).toBe(2_000);
  expect(await watch(userId, 1_000)).toBe(1);
  await saveLowBalanceMail(userId, null);
  clock += 2 * DAY_MS;
  expect(await watch(userId, 3_000)).toBe(0);
  expect(await watch(userId, 1)).toBe(0);
  await saveLowBalanceMail(userId, 200);
  await deleteAccount(userId);
  expect(await watch(userId, 1)).toBe(0);
  expect(await findLowBalanceMail(userId)).toBeNull();
});

test('a mail that is turned off and on again still comes at most once a day @attack', async () => {
  const userId = await newWatcher();
  let sent = 0;
  for (let hour = 0; hour < 48; hour++) {
    await saveLowBalanceMail(userId, null);
    await saveLowBalanceMail(userId, 1_000_000);
    sent += await watch(userId, 100);
    clock += HOUR_MS;
  }
  expect(sent).toBe(2);
});

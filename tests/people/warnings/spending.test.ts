import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, setClock } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { readStopToken } from '@/server/base/stop-link';
import { saveAppLimits, saveCeiling, type UserLimits } from '@/server/partners/user-limits';
import { deleteAccount } from '@/server/people/delete-account';
import { forgetOldWarnings, noteSpending, watchSpending } from '@/server/people/warnings/watch';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { buy, grant } from '../../ledger/wallets';
import { recordRequest } from '../account/person';
import { openMailbox } from '../identity/mailbox';
import {
  choose,
  idOf,
  limit,
  newSpender,
  replaceClocks,
  type Spender,
  setTime,
  spend,
  warn,
} from './spender';

/** The warnings that users asked for, with two instances that look at the same time. */

await newDatabase();
const mailbox = await openMailbox();
beforeAll(replaceClocks);
afterAll(() => setClock());

/** A Wednesday. */
const NOON = '2026-11-18T12:00:00Z';
beforeEach(async () => {
  await setTime(NOON);
  mailbox.mails.length = 0;
});

const subjects = () => mailbox.mails.map(({ mail }) => mail.subject);
const lastText = () => mailbox.mails.at(-1)?.mail.text ?? '';

describe('a limit', () => {
  test('is warned of at 50, 80 and 100%, once each and with what two instances see', async () => {
    const spender = await newSpender('limits');
    await limit(spender, 'Harbour', { day: 100 }, 'Europe/Berlin');
    const seen: (string | undefined)[][] = [];
    for (const credits of [49, 1, 5, 25, 10, 9.5]) {
      await spend(spender, credits);
      await warn(spender);
      await warn(spender);
      seen.push(subjects().splice(0));
      mailbox.mails.length = 0;
    }
    expect(seen).toEqual([
      [],
      ['You have used 50% of your limit per day for Harbour'],
      [],
      ['You have used 80% of your limit per day for Harbour'],
      [],
      ['You have reached your limit per day for Harbour'],
    ]);
  });

  test('is warned of with the highest threshold only when several are crossed at once', async () => {
    const spender = await newSpender('limits');
    await limit(spender, 'all', { day: 200, week: 100 });
    await spend(spender, 85);
    await warn(spender);
    expect(subjects()).toEqual(['You have used 80% of your limit per week for all apps']);
    expect(lastText()).toContain(
      'You have spent 85 of the 100 credits of your limit per week for all apps. It resets on Nov 23, 2026, 12:00 AM (UTC).',
    );
    await spend(spender, 15);
    await warn(spender);
    expect(subjects().slice(1).sort()).toEqual([
      'You have reached your limit per week for all apps',
      'You have used 50% of your limit per day for all apps',
    ]);
  });

  test('that the app sets is warned of as well, at its own amount and with who can change it', async () => {
    const spender = await newSpender('limits');
    const limitUsers = (limits: Partial<UserLimits>) =>
      inTransaction((tx) =>
        saveAppLimits(
          idOf(spender, 'Harbour'),
          { request: null, day: null, month: null, models: null, ...limits },
          tx,
        ),
      );
    await limitUsers({ day: wholeCredits(100), month: wholeCredits(1_000) });
    await inTransaction((tx) =>
      saveCeiling(
        idOf(spender, 'Harbour'),
        { request: null, day: wholeCredits(50), month: null, models: null },
        tx,
      ),
    );
    await spend(spender, 40);
    await warn(spender);
    expect(subjects()).toEqual(['You have used 80% of the limit per day that Harbour sets for you']);
    expect(lastText()).toContain(
      'You have spent 40 of the 50 credits of the limit per day that Harbour sets for you.',
    );
    await spend(spender, 10);
    await warn(spender);
    await warn(spender);
    expect(subjects().slice(1)).toEqual(['You have reached the limit per day that Harbour sets for you']);
    expect(lastText()).toContain(
      'until the limit resets on Nov 19, 2026, 12:00 AM (UTC). Only the app can change it.',
    );
    await setTime('2026-11-19T12:00:00Z');
    await warn(spender);
    await limitUsers({});
    await spend(spender, 1);
    await warn(spender);
    expect(subjects()).toHaveLength(2);
  });

  test('of an app is warned of with a link that stops the app, one of all apps with a link that stops all', async () => {
    const spender = await newSpender('limits');
    await limit(spender, 'Harbour', { day: 100 });
    await spend(spender, 60);
    await warn(spender);
    const stopIn = (text: string) => readStopToken(/\/stop\?token=(\S+)/.exec(text)?.[1] ?? '');
    expect(stopIn(lastText())).toEqual({ userId: spender.userId, partnerId: idOf(spender, 'Harbour') });
    await limit(spender, 'Harbour', {});
    await limit(spender, 'all', { day: 100 });
    await warn(spender);
    expect(stopIn(lastText())).toEqual({ userId: spender.userId });
  });

  test('is warned of again in its next period, and when it is changed', async () => {
    const spender = await newSpender('limits');
    await limit(spender, 'Harbour', { day: 100 });
    await spend(spender, 60);
    await warn(spender);
    await limit(spender, 'Harbour', { day: 110 });
    await warn(spender);
    await limit(spender, 'Harbour', { day: 100 });
    await warn(spender);
    expect(subjects()).toHaveLength(2);
    await setTime('2026-11-19T12:00:00Z');
    await warn(spender);
    expect(subjects()).toHaveLength(2);
    await spend(spender, 60);
    await warn(spender);
    expect(subjects()).toHaveLength(3);
  });

  test('is not warned of to those who did not ask, turned it off or deleted their account', async () => {
    const [silent, off, gone] = [
      await newSpender('unusual'),
      await newSpender('limits'),
      await newSpender('limits'),
    ];
    for (const spender of [silent, off, gone]) {
      await limit(spender, 'Harbour', { day: 100 });
      await spend(spender, 90);
    }
    await noteSpending([silent, off, gone].map(({ userId }) => userId));
    await choose(off, 'limits', false);
    await deleteAccount(gone.userId);
    await warn(silent, off, gone);
    expect(subjects()).toEqual([]);
    expect(await prisma().warningChoice.count({ where: { userId: gone.userId } })).toBe(0);
    expect(await prisma().warningMail.count({ where: { userId: gone.userId } })).toBe(0);
  });

  test('names no app before an operator approved its name', async () => {
    const spender = await newSpender('limits');
    await grant(spender, 'Pier', 100);
    await limit(spender, 'Pier', { month: 100 });
    await spend(spender, 100, 'Pier');
    await warn(spender);
    expect(subjects()).toEqual(['You have reached your limit per month for an app']);
    expect(lastText()).not.toContain('Pier');
  });

  test('is warned of once the mail server is back, with what is true by then', async () => {
    const spender = await newSpender('limits');
    await limit(spender, 'Harbour', { day: 100 });
    const { SMTP_URL } = settings();
    Object.assign(settings(), { SMTP_URL: 'smtp://127.0.0.1:1' });
    await spend(spender, 55);
    await warn(spender);
    await spend(spender, 30);
    await warn(spender);
    Object.assign(settings(), { SMTP_URL });
    await setTime('2026-11-18T12:01:00Z');
    await warn(spender);
    await setTime('2026-11-18T12:30:00Z');
    await warn(spender);
    expect(subjects()).toEqual(['You have used 80% of your limit per day for Harbour']);
  });

  test('whose period has ended by the time the mail could be sent is not warned of', async () => {
    const spender = await newSpender('limits');
    await limit(spender, 'Harbour', { day: 100 });
    await spend(spender, 55);
    await noteSpending([spender.userId]);
    await setTime('2026-11-19T00:00:01Z');
    await sendMails('warning');
    expect(subjects()).toEqual([]);
  });
});

describe('what was bought', () => {
  test('is warned of at 50, 80 and 100% of what the user had after the last purchase', async () => {
    const spender = await newSpender('limits');
    for (const credits of [499, 1, 300, 199.5]) {
      await spend(spender, credits);
      await warn(spender);
    }
    expect(subjects()).toEqual([
      'You have spent 50% of your credits',
      'You have spent 80% of your credits',
      'Your credits are used up',
    ]);
    expect(mailbox.mails[0]?.mail.text).toContain(
      'Since your last purchase on Nov 18, 2026 you have spent 500 of the 1,000 credits that you had then.',
    );
    expect(mailbox.mails[0]?.mail.text).toContain('You have 500 credits left.');
    await setTime('2026-11-20T12:00:00Z');
    await buy(spender, 'Harbour', 500);
    await spend(spender, 100);
    await warn(spender);
    expect(subjects()).toHaveLength(3);
    await setTime('2026-11-22T12:00:00Z');
    await spend(spender, 200);
    await warn(spender);
    expect(lastText()).toContain('you have spent 300 of the 500.5 credits that you had then');
  });
});

describe('unusual spending', () => {
  async function newRegular(): Promise<Spender> {
    const spender = await newSpender('unusual');
    for (let day = 1; day <= 10; day++)
      await recordRequest(spender.userId, {
        partnerId: idOf(spender, 'Harbour'),
        at: new Date(Date.parse(NOON) - day * DAY_MS).toISOString(),
        charge: (15 + day * 5) * 1_000_000,
      });
    return spender;
  }

  test('is mailed with the figures and the stop link, at most once a day', async () => {
    const spender = await newRegular();
    await spend(spender, 90);
    await warn(spender);
    expect(subjects()).toEqual([]);
    await spend(spender, 322);
    await warn(spender);
    await spend(spender, 100);
    await warn(spender);
    expect(subjects()).toEqual(['You spent 412 credits today']);
    expect(lastText()).toContain('You spent 412 credits today; on most days you spend 20 to 60.');
    expect(lastText()).toContain('Stop all apps from spending my credits:');
    await setTime('2026-11-19T12:00:00Z');
    await spend(spender, 200);
    await warn(spender);
    expect(subjects()).toHaveLength(2);
  });

  test('is not found for someone who began this week', async () => {
    const spender = await newSpender('unusual');
    await spend(spender, 900);
    await warn(spender);
    expect(subjects()).toEqual([]);
  });
});

describe('the weekly summary', () => {
  test('comes on Monday at eight in the time zone of the user, with what each app spent', async () => {
    const spender = await newSpender();
    await choose(spender, 'weekly', true, 'Europe/Berlin');
    await grant(spender, 'Pier', 100);
    const at = (time: string, charge: number, app = 'Harbour') =>
      recordRequest(spender.userId, { partnerId: idOf(spender, app), at: time, charge: charge * 1_000_000 });
    // On Monday in Berlin, but on Sunday in UTC.
    await at('2026-11-15T23:30:00Z', 40);
    await at('2026-11-20T12:00:00Z', 20, 'Pier');
    await at('2026-11-15T22:30:00Z', 10);
    await at('2026-11-22T23:30:00Z', 500);
    await setTime('2026-11-23T06:59:00Z');
    await warn(spender);
    expect(subjects()).toEqual([]);
    await setTime('2026-11-23T07:00:00Z');
    await warn(spender);
    await warn(spender);
    expect(subjects()).toEqual(['Your week: 60 credits spent']);
    for (const line of [
      'From Nov 16, 2026 to Nov 22, 2026 you spent 60 credits, 50 more than in the week before.',
      'Harbour: 40 credits, 30 more than in the week before',
      'Apps whose names are not approved: 20 credits, and nothing in the week before',
      'You have 1,100 credits left.',
    ])
      expect(lastText()).toContain(line);
  });

  test('does not come for a week without use, nor after it was turned off', async () => {
    const [idle, off] = [await newSpender('weekly'), await newSpender('weekly')];
    await recordRequest(off.userId, { partnerId: idOf(off, 'Harbour'), at: NOON });
    await choose(off, 'weekly', false);
    await setTime('2026-11-23T09:00:00Z');
    await warn(idle, off);
    expect(subjects()).toEqual([]);
    await recordRequest(idle.userId, { partnerId: idOf(idle, 'Harbour'), at: '2026-11-24T12:00:00Z' });
    await setTime('2026-11-30T09:00:00Z');
    await warn(idle, off);
    const recipients = mailbox.mails.flatMap((mail) => mail.recipients);
    expect(recipients).toContain(idle.email);
    expect(recipients).not.toContain(off.email);
  });
});

test('the background job finds users by what was settled, also by an instance that died', async () => {
  const [settled, lost] = [await newSpender('limits'), await newSpender('limits')];
  for (const spender of [settled, lost]) await limit(spender, 'Harbour', { day: 100 });
  await watchSpending();
  await spend(settled, 60);
  await watchSpending();
  await sendMails('warning');
  expect(mailbox.mails.map(({ recipients }) => recipients)).toEqual([[settled.email]]);
  // As another instance does, which dies before it looks.
  const dead = { user: lost.userId, app: idOf(lost, 'Harbour') };
  await pool().query('UPDATE spending_limit SET day_spent = 60000000 WHERE user_id = $1', [dead.user]);
  await pool().query(`INSERT INTO usage_day VALUES ($1, $2, $3, 'm', 1, 1, 60000000)`, [
    dead.user,
    NOON,
    dead.app,
  ]);
  await watchSpending();
  await sendMails('warning');
  expect(mailbox.mails).toHaveLength(1);
  await setTime('2026-11-18T12:10:00Z');
  await watchSpending();
  await sendMails('warning');
  expect(mailbox.mails.map(({ recipients }) => recipients)).toEqual([[settled.email], [lost.email]]);
});

test('old warnings are deleted, except those about the last purchase, which are not repeated', async () => {
  const spender = await newSpender('limits');
  await limit(spender, 'Harbour', { day: 100 });
  await spend(spender, 90);
  await limit(spender, 'Harbour', {});
  await spend(spender, 500);
  await warn(spender);
  await setTime('2027-01-18T12:00:00Z');
  await forgetOldWarnings();
  const left = await prisma().warningMail.findMany({ where: { userId: spender.userId } });
  expect(left.map(({ kind }) => kind)).toEqual(['bought']);
  const before = mailbox.mails.length;
  await warn(spender);
  expect(mailbox.mails).toHaveLength(before);
});

test('no address and no account id is in a link of a warning @attack', async () => {
  const spender = await newSpender('limits');
  await spend(spender, 900);
  await warn(spender);
  const { mail } = mailbox.mails.at(-1) ?? {};
  const shown = `${mail?.text}${mail?.html}${JSON.stringify(mail?.headers)}`;
  for (const link of shown.match(/https?:\/\/[^\s"<>\\]+/g) ?? []) {
    expect(link).not.toContain(spender.userId);
    expect(decodeURIComponent(link)).not.toContain('@');
  }
  expect(shown.match(/https?:\/\//g)?.length).toBeGreaterThan(6);
});

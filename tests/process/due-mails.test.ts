import { afterEach, expect, test } from 'vitest';
import { DAY_MS, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { type MailRefs, makeMailDue, sendDueMails } from '@/server/base/due-mails';
import { newDatabase } from '../harness';
import { openMailbox } from '../people/identity/mailbox';

/** Mails that are due, whatever they are about. */

await newDatabase();
const mailbox = await openMailbox();
let clock = Date.parse('2026-01-01T00:00:00Z');
setClock(() => clock);
afterEach(async () => {
  mailbox.mails.length = 0;
  await prisma().dueMail.deleteMany();
});

const makeDue = (userId: string) => makeMailDue(prisma(), 'low_balance', { userId });
const mailTo = (to: string) => ({ to, subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' });
const write = async ({ userId }: MailRefs['low_balance']) => mailTo(`${userId}@example.com`);
const recipients = () => mailbox.mails.map((mail) => mail.recipients[0]);

test('a mail that cannot be sent delays no other, is tried ten times, and nothing of it is kept', async () => {
  await makeDue('broken');
  await makeDue('fine');
  let attempts = 0;
  const send = () =>
    sendDueMails('low_balance', async (ref) => {
      if (ref.userId !== 'broken') return write(ref);
      attempts += 1;
      return mailTo('no recipient');
    });
  await send();
  expect(recipients()).toEqual(['fine@example.com']);
  await send();
  expect(attempts).toBe(1);
  for (let day = 0; day < 12; day += 1) {
    clock += DAY_MS;
    await send();
  }
  expect(attempts).toBe(10);
  expect(await prisma().dueMail.count()).toBe(0);
});

test('a mail that becomes due while it is sent is sent again, and one that is already due is sent once', async () => {
  await makeDue('user');
  await makeDue('user');
  await sendDueMails('low_balance', async (ref) => {
    await makeDue('user');
    return write(ref);
  });
  await sendDueMails('low_balance', write);
  await sendDueMails('low_balance', write);
  expect(recipients()).toEqual(['user@example.com', 'user@example.com']);
});

test('a mail that becomes due while it is sent survives the end of that attempt, also if its own first one fails', async () => {
  await makeDue('user');
  await sendDueMails('low_balance', async (ref) => {
    await makeDue('user');
    await sendDueMails('low_balance', async () => mailTo('no recipient'));
    return write(ref);
  });
  expect(recipients()).toEqual(['user@example.com']);
  clock += DAY_MS;
  await sendDueMails('low_balance', write);
  expect(recipients()).toEqual(['user@example.com', 'user@example.com']);
});

test('a mail is claimed by one of several instances', async () => {
  for (const userId of ['a', 'b', 'c']) await makeDue(userId);
  await Promise.all([1, 2, 3].map(() => sendDueMails('low_balance', write)));
  expect(recipients().sort()).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
});

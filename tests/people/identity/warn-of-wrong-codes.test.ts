import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, now, setClock } from '@/server/base/clock';
import { settings } from '@/server/base/env';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';
import { warnOfWrongCodes } from '@/server/people/warn-of-wrong-codes';
import { newDatabase } from '../../harness';
import { openMailbox, wrongCode } from './mailbox';

process.env.LIMIT_CODE_RESEND_SECONDS = '0';
await newDatabase();
const mailbox = await openMailbox();

let time = now();
beforeEach(() => {
  time += 3 * DAY_MS;
  setClock(() => time);
});
afterEach(() => setClock());

let count = 0;
const newEmail = () => `warned-${++count}@example.com`;

async function requestCode(email: string, browserCookie?: string) {
  const { challengeId } = await sendServiceCode({ email, clientIp: '203.0.113.5', browserCookie });
  return { challengeId, email, clientIp: '203.0.113.5', browserCookie, userAgent: '', currentToken: null };
}

async function signIn(email: string): Promise<string> {
  return (await signInToService({ ...(await requestCode(email)), code: mailbox.lastCode() })).browserCookie;
}

async function enterWrongCodes(email: string, times: number, browserCookie?: string): Promise<void> {
  const entry = await requestCode(email, browserCookie);
  const code = wrongCode(mailbox.lastCode());
  for (let n = 0; n < times; n++)
    await expect(signInToService({ ...entry, code })).rejects.toMatchObject({ code: 'invalid_code' });
}

const isWarning = ({ mail }: { mail: { subject?: string | undefined } }) =>
  mail.subject?.startsWith('Wrong sign-in codes') ?? false;

/** Runs the job on two instances and returns who was warned. */
async function warned(): Promise<string[]> {
  const before = mailbox.mails.length;
  await Promise.all([warnOfWrongCodes(), warnOfWrongCodes()]);
  return mailbox.mails
    .slice(before)
    .filter(isWarning)
    .flatMap(({ recipients }) => recipients);
}

it('five wrong codes by strangers are reported to the user once a day, by one instance @attack', async () => {
  const email = newEmail();
  await signIn(email);
  await enterWrongCodes(email, 4);
  expect(await warned()).toEqual([]);
  await enterWrongCodes(email, 1);
  expect(await warned()).toEqual([email]);
  await enterWrongCodes(email, 5);
  expect(await warned()).toEqual([]);

  time += DAY_MS;
  expect(await warned()).toEqual([]);
  await enterWrongCodes(email, 5);
  expect(await warned()).toEqual([email]);
});

it('the warning says when, what to do, and contains no link and no name that a stranger chose @attack', async () => {
  const email = newEmail();
  await signIn(email);
  time = Date.UTC(2027, 2, 9, 18, 50);
  await enterWrongCodes(email, 3);
  time += HOUR_MS;
  await enterWrongCodes(email, 4);
  await warned();
  const { mail } = mailbox.mails.at(-1) ?? {};
  expect(mail?.subject).toBe(`Wrong sign-in codes for your ${settings().BRAND_NAME} account`);
  for (const text of [mail?.text, mail?.html]) {
    expect(text).toContain('7 wrong sign-in codes');
    expect(text).toContain('between Mar 9, 2027, 6:50 PM UTC and Mar 9, 2027, 7:50 PM UTC');
    expect(text).toContain('sign out those that you do not know');
    expect(text).not.toMatch(/https?:|href/);
  }
});

it('wrong codes in a known browser, or for an address without an account, are not reported @attack', async () => {
  const email = newEmail();
  const browser = await signIn(email);
  await enterWrongCodes(email, 5, browser);
  await enterWrongCodes(newEmail(), 5);
  expect(await warned()).toEqual([]);
});

it('a warning that could not be sent is sent later', async () => {
  const email = newEmail();
  await signIn(email);
  await enterWrongCodes(email, 5);
  const { SMTP_URL } = settings();
  Object.assign(settings(), { SMTP_URL: 'smtp://127.0.0.1:1' });
  expect(await warned()).toEqual([]);
  Object.assign(settings(), { SMTP_URL });
  expect(await warned()).toEqual([email]);
});

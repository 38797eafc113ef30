import { beforeEach, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { noteLowBalances, saveLowBalanceMail } from '@/server/payments/checkout/top-up/low-balance';
import { deleteAccount } from '@/server/people/delete-account';
import { rememberLanguage, saveLanguage } from '@/server/people/language';
import { findSession } from '@/server/people/sessions';
import { sendServiceCode, signInToService } from '@/server/people/sign-in-to-service';
import { sendMails } from '@/server/process/mail-jobs';
import type { Language } from '@/texts/languages';
import { newDatabase } from '../../harness';
import { buy, setMoney } from '../../payments/top-up/users';
import { openMailbox } from '../identity/mailbox';
import { newUser } from './person';

/** In which language a user gets mails. */

process.env.LIMIT_CODE_RESEND_SECONDS = '0';
process.env.LIMIT_CODES_PER_EMAIL_PER_HOUR = '0';
await newDatabase();
const mailbox = await openMailbox();
beforeEach(() => {
  mailbox.mails.length = 0;
});

const lastMail = () => mailbox.mails.at(-1)?.mail;

async function signIn(email: string, language?: Language) {
  const { challengeId } = await sendServiceCode({
    email,
    clientIp: '',
    ...(language && { locale: language }),
  });
  const browser = { userAgent: 'test', clientIp: '', currentToken: null, ...(language && { language }) };
  const { token } = await signInToService({ ...browser, challengeId, email, code: mailbox.lastCode() });
  return findSession(token);
}

/** The subject of the mail about a low balance. */
async function warn(userId: string): Promise<string | undefined> {
  await setMoney(userId, 500);
  await noteLowBalances([userId]);
  await prisma().lowBalanceMail.updateMany({ where: { userId }, data: { lastAt: null } });
  await setMoney(userId, 10);
  await noteLowBalances([userId]);
  await sendMails('low_balance');
  return lastMail()?.subject;
}

test('a code is mailed in the language of the page, and the account remembers it until another is used', async () => {
  const email = 'ada@example.com';
  expect((await signIn(email, 'pl'))?.mailLanguage).toBe('pl');
  expect(lastMail()?.subject).toMatch(/^\d{6} to Twój kod do svc$/);
  expect(lastMail()?.text).toContain('Działa jeden raz, w ciągu najbliższych 10 minut.');
  expect((await signIn(email, 'ja'))?.mailLanguage).toBe('ja');
  // Known from the sign-in before, but a code is mailed without reading accounts.
  expect((await signIn(email))?.mailLanguage).toBe('ja');
  expect(lastMail()?.subject).toMatch(/^\d{6} is your svc code$/);
});

test('a mail about money is in the language that the account chose, else the one last used, else English', async () => {
  const userId = await newUser();
  await buy(userId, 1_000);
  await saveLowBalanceMail(userId, 200);
  expect(await warn(userId)).toBe('Your svc credits are running low');
  await rememberLanguage(userId, 'fr');
  expect(await warn(userId)).toBe('Vos crédits svc sont bientôt épuisés');
  await saveLanguage(userId, 'zh-CN');
  expect(await warn(userId)).toBe('您的 svc 积分即将用完');
  expect(lastMail()?.text).toContain('您还剩 10 积分，低于您设置的提醒值 200。');
  expect(lastMail()?.text).toContain('阻止所有应用使用我的积分');
  await saveLanguage(userId, null);
  expect(await warn(userId)).toBe('Vos crédits svc sont bientôt épuisés');
});

test('the languages of a deleted account are erased, and none is remembered afterwards', async () => {
  const userId = await newUser();
  await rememberLanguage(userId, 'it');
  await saveLanguage(userId, 'nl');
  await deleteAccount(userId);
  await rememberLanguage(userId, 'it');
  await saveLanguage(userId, 'nl');
  expect(await prisma().user.findUniqueOrThrow({ where: { id: userId } })).toMatchObject({
    language: null,
    lastLanguage: null,
  });
});

import type { AutoTopUp } from '../../../../prisma/client/client';
import { writeAccountMail } from '../../../base/account-mail';
import { nowDate } from '../../../base/clock';
import { prisma } from '../../../base/db';
import { settings } from '../../../base/env';
import { describeError, log } from '../../../base/log';
import { type Mail, nextMailAttemptAt, sendMail } from '../../../base/mail';
import { nameCard } from '../card-name';
import type { OffReason } from './auto-top-up';
import { confirmationPath } from './confirm';
import { describeOff } from './describe-off';
import { formatMinor } from './terms';

/** The mails that say that auto top-up is off, or that a payment needs the buyer's confirmation. */

/** Sends all that are due. */
export async function sendTopUpMails(): Promise<void> {
  const due = await prisma().autoTopUp.findMany({
    where: { mailDueAt: { lte: nowDate() } },
    orderBy: { mailDueAt: 'asc' },
    take: 50,
  });
  for (const topUp of due) await sendOne(topUp);
}

/** The next attempt is scheduled before this one starts, so that two processes do not both send it. */
async function sendOne(topUp: AutoTopUp): Promise<void> {
  const { userId, mail: kind, mailAttempts } = topUp;
  try {
    const { count } = await prisma().autoTopUp.updateMany({
      where: { userId, mail: kind, mailAttempts, mailDueAt: { lte: nowDate() } },
      data: { mailAttempts: mailAttempts + 1, mailDueAt: nextMailAttemptAt(mailAttempts) },
    });
    if (count === 0) return;
    const mail = await writeMail(topUp);
    if (mail !== null) await sendMail(mail);
    await prisma().autoTopUp.updateMany({
      where: { userId, mail: kind, mailAttempts: mailAttempts + 1 },
      data: { mail: null, mailDueAt: null },
    });
  } catch (error) {
    log().warn({ kind, error: describeError(error) }, 'mail about auto top-up not sent, will be retried');
  }
}

/** Null when there is nothing to say: the account was deleted. */
async function writeMail(topUp: AutoTopUp): Promise<Mail | null> {
  const user = await prisma().user.findUnique({
    where: { id: topUp.userId, deletedAt: null },
    select: { email: true },
  });
  if (user === null) return null;
  return { to: user.email, ...(topUp.mail === 'confirm' ? writeConfirm(topUp) : writeOff(topUp)) };
}

const BECAUSE = (brand: string) =>
  `You are receiving this e-mail because you turned on auto top-up in your ${brand} account.`;

function writeConfirm({
  userId,
  amountMinor,
  currency,
  cardBrand,
  cardLast4,
  confirmUntil,
  sessionId,
}: AutoTopUp) {
  const amount = formatMinor(amountMinor, currency);
  const card = nameCard({ brand: cardBrand, last4: cardLast4 });
  const until = `${(confirmUntil ?? nowDate()).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return writeAccountMail({
    subject: `Confirm your top-up of ${amount}`,
    paragraphs: [
      `Your credits are running low. Your bank asks you to confirm the payment of ${amount} with your ${card} before it is made.`,
      `Confirm it by ${until}. If you do not, the payment is cancelled and auto top-up is turned off.`,
    ],
    link: { label: 'Confirm the payment', path: confirmationPath(sessionId ?? '') },
    note: BECAUSE(settings().BRAND_NAME),
    stops: { userId },
  });
}

function writeOff({ userId, amountMinor, currency, cardBrand, cardLast4, offReason }: AutoTopUp) {
  const card = nameCard({ brand: cardBrand, last4: cardLast4 });
  const { title, text } = describeOff(offReason as OffReason, formatMinor(amountMinor, currency), card);
  return writeAccountMail({
    subject: title,
    paragraphs: [text, 'Apps can no longer send requests for you when your credits are used up.'],
    link: { label: 'Review auto top-up', path: '/account/payment#auto-top-up' },
    note: BECAUSE(settings().BRAND_NAME),
    stops: { userId },
  });
}

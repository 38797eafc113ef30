import type { AutoTopUp } from '../../../../prisma/client/client';
import { writeAccountMail } from '../../../base/account-mail';
import { nowDate } from '../../../base/clock';
import { prisma } from '../../../base/db';
import type { MailRefs } from '../../../base/due-mails';
import { settings } from '../../../base/env';
import type { Mail } from '../../../base/mail';
import { nameCard } from '../card-name';
import { findAutoTopUp, type OffReason } from './auto-top-up';
import { confirmationPath } from './confirm';
import { describeOff } from './describe-off';
import { formatMinor } from './terms';

/** The mails that say that auto top-up is off, or that a payment needs the buyer's confirmation. */

/** Null when there is nothing to say: the account was deleted, or that is no longer its state. */
export async function writeTopUpMail({ userId, about }: MailRefs['top_up']): Promise<Mail | null> {
  const [user, topUp] = await Promise.all([
    prisma().user.findUnique({ where: { id: userId, deletedAt: null }, select: { email: true } }),
    findAutoTopUp(userId),
  ]);
  if (user === null || topUp === null) return null;
  const isOff = topUp.state === 'off' && topUp.offReason !== 'user';
  if (about === 'off' ? !isOff : topUp.state !== 'needs_confirmation') return null;
  return { to: user.email, ...(about === 'off' ? writeOff(topUp) : writeConfirm(topUp)) };
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

import type { AutoTopUp } from '../../../../prisma/client/client';
import type { Language } from '../../../../texts/languages';
import { writeAccountMail } from '../../../base/account-mail';
import { nowDate } from '../../../base/clock';
import { prisma } from '../../../base/db';
import type { MailRefs } from '../../../base/due-mails';
import { settings } from '../../../base/env';
import type { Mail } from '../../../base/mail';
import { mailWords } from '../../../base/mail-words';
import { writeTime } from '../../../base/write-date';
import { mailLanguageOf, WHOSE_MAIL } from '../../../people/language';
import { nameCard } from '../card-name';
import { findAutoTopUp, type OffReason } from './auto-top-up';
import { confirmationPath } from './confirm';
import { describeOff } from './describe-off';
import { formatMinor } from './terms';

/** The mails that say that auto top-up is off, or that a payment needs the buyer's confirmation. */

/** Null when there is nothing to say: the account was deleted, or that is no longer its state. */
export async function writeTopUpMail({ userId, about }: MailRefs['top_up']): Promise<Mail | null> {
  const [user, topUp] = await Promise.all([
    prisma().user.findUnique({ where: { id: userId, deletedAt: null }, select: WHOSE_MAIL }),
    findAutoTopUp(userId),
  ]);
  if (user === null || topUp === null) return null;
  const isOff = topUp.state === 'off' && topUp.offReason !== 'user';
  if (about === 'off' ? !isOff : topUp.state !== 'needs_confirmation') return null;
  const language = mailLanguageOf(user);
  return { to: user.email, ...(about === 'off' ? writeOff(topUp, language) : writeConfirm(topUp, language)) };
}

function writeConfirm(
  { userId, amountMinor, currency, cardBrand, cardLast4, confirmUntil, sessionId }: AutoTopUp,
  language: Language,
) {
  const say = mailWords(language).topUp;
  const amount = formatMinor(amountMinor, currency, language);
  const card = nameCard({ brand: cardBrand, last4: cardLast4 });
  const time = `${writeTime(confirmUntil ?? nowDate(), { language })} UTC`;
  return writeAccountMail({
    language,
    subject: say.confirmSubject({ amount }),
    paragraphs: [say.confirmText({ amount, card }), say.confirmUntil({ time })],
    link: { label: say.confirm, path: confirmationPath(sessionId ?? '') },
    note: say.because({ brand: settings().BRAND_NAME }),
    stops: { userId },
  });
}

function writeOff(
  { userId, amountMinor, currency, cardBrand, cardLast4, offReason }: AutoTopUp,
  language: Language,
) {
  const say = mailWords(language).topUp;
  const card = nameCard({ brand: cardBrand, last4: cardLast4 });
  const { title, text } = describeOff(
    offReason as OffReason,
    formatMinor(amountMinor, currency, language),
    card,
    language,
  );
  return writeAccountMail({
    language,
    subject: title,
    paragraphs: [text, say.usedUp],
    link: { label: say.review, path: '/account/payment#auto-top-up' },
    note: say.because({ brand: settings().BRAND_NAME }),
    stops: { userId },
  });
}

import { writeAccountMail } from '../base/account-mail';
import { prisma } from '../base/db';
import type { MailRefs } from '../base/due-mails';
import { settings } from '../base/env';
import type { Mail } from '../base/mail';
import { writeUndoToken } from './email-change-link';
import { showTime } from './warnings/show';

/** Tells the owner of an e-mail address that an account no longer has it. Null once the account is deleted. */
export async function writeEmailChangeMail({
  userId,
  to,
  changeId,
}: MailRefs['email_change']): Promise<Mail | null> {
  const user = await prisma().user.findUnique({ where: { id: userId, deletedAt: null } });
  if (user === null) return null;
  if (changeId === null) return { to, ...writeUndone() };
  const change = await prisma().emailChange.findUnique({ where: { id: changeId } });
  return change && { to, ...writeChanged(change) };
}

type Changed = { id: string; userId: string; changedAt: Date; undoUntil: Date };

function writeChanged({ id, userId, changedAt, undoUntil }: Changed): Omit<Mail, 'to'> {
  const brand = settings().BRAND_NAME;
  return writeAccountMail({
    subject: `The e-mail address of your ${brand} account was changed`,
    paragraphs: [
      `On ${showTime(changedAt)}, your ${brand} account got another e-mail address. This one no longer signs in to it.`,
      `If this was you, no action is needed. If not, undo the change by ${showTime(undoUntil)}. That also signs out every device and removes the passkeys and keys that were added since.`,
    ],
    link: { label: 'Undo the change', path: `/undo-email?token=${writeUndoToken(id)}` },
    note: 'The link opens a page that asks first. It does not require signing in.',
    stops: { userId },
  });
}

function writeUndone(): Omit<Mail, 'to'> {
  const brand = settings().BRAND_NAME;
  return writeAccountMail({
    subject: `The change of your ${brand} e-mail address was undone`,
    paragraphs: [
      `The owner of the previous address undid the change. Your ${brand} account has that address again, and all devices were signed out.`,
    ],
    link: { label: 'Sign in', path: '/sign-in' },
    note: 'If you do not have access to the previous address, contact the service.',
  });
}

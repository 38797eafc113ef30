import { prisma } from '../../base/db';
import type { MailRefs } from '../../base/due-mails';
import type { Mail } from '../../base/mail';
import { mailLanguageOf } from '../language';
import { writeAlert } from './write-alert';
import { writeWarning } from './write-warning';

const ALERTS: readonly string[] = ['webhook_failing', 'webhook_recovered', 'errors'];

/** Null if the mail is no longer wanted or needed, or the account was deleted. */
export async function writeWarningMail({ userId, cause }: MailRefs['warning']): Promise<Mail | null> {
  const [user, warning] = await Promise.all([
    prisma().user.findUnique({ where: { id: userId, deletedAt: null } }),
    prisma().warningMail.findUnique({ where: { userId_cause: { userId, cause } } }),
  ]);
  if (user === null || warning === null) return null;
  const isAlert = ALERTS.includes(warning.kind);
  const mail = await (isAlert
    ? writeAlert(warning, user.email)
    : writeWarning(warning, mailLanguageOf(user)));
  return mail && { to: user.email, ...mail };
}

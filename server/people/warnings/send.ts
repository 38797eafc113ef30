import type { WarningMail } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { describeError, log } from '../../base/log';
import { type Mail, nextMailAttemptAt, sendMail } from '../../base/mail';
import { writeAlert } from './write-alert';
import { writeWarning } from './write-warning';

const MAILS_PER_RUN = 50;

/** Sends all warnings and alerts that are due. */
export async function sendWarnings(): Promise<void> {
  const due = await prisma().warningMail.findMany({
    where: { dueAt: { lte: nowDate() } },
    orderBy: { dueAt: 'asc' },
    take: MAILS_PER_RUN,
  });
  for (const warning of due) await sendOne(warning);
}

/**
 * The next attempt is scheduled before this one starts, so that two processes do not both send it. If the user
 * reaches a higher threshold in the meantime, its mail stays due.
 */
async function sendOne(warning: WarningMail): Promise<void> {
  const { userId, cause, percent, attempts, kind } = warning;
  try {
    const { count } = await prisma().warningMail.updateMany({
      where: { userId, cause, percent, attempts, dueAt: { lte: nowDate() } },
      data: { attempts: attempts + 1, dueAt: nextMailAttemptAt(attempts) },
    });
    if (count === 0) return;
    const mail = await writeMail(warning);
    if (mail !== null) await sendMail(mail);
    await prisma().warningMail.updateMany({ where: { userId, cause, percent }, data: { dueAt: null } });
  } catch (error) {
    log().warn({ kind, error: describeError(error) }, 'warning not mailed, will be retried');
  }
}

const ALERTS: readonly string[] = ['webhook_failing', 'webhook_recovered', 'errors'];

/** Null if the mail is no longer wanted or needed, or the account was deleted. */
async function writeMail(warning: WarningMail): Promise<Mail | null> {
  const user = await prisma().user.findUnique({ where: { id: warning.userId, deletedAt: null } });
  if (user === null) return null;
  const mail = await (ALERTS.includes(warning.kind)
    ? writeAlert(warning, user.email)
    : writeWarning(warning));
  return mail && { to: user.email, ...mail };
}

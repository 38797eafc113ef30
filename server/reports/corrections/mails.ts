import type { CorrectionMail } from '../../../prisma/client/client';
import { writeAccountMail } from '../../base/account-mail';
import { nowDate } from '../../base/clock';
import { describeCredits } from '../../base/credits';
import { pool, prisma } from '../../base/db';
import { settings } from '../../base/env';
import { describeError, log } from '../../base/log';
import { type Mail, nextMailAttemptAt, sendMail } from '../../base/mail';

/** One mail to each user of a batch of corrections, once it is booked. */

const MAILS_PER_RUN = 50;

export async function sendCorrectionMails(): Promise<void> {
  const due = await prisma().correctionMail.findMany({
    where: { dueAt: { lte: nowDate() } },
    orderBy: { dueAt: 'asc' },
    take: MAILS_PER_RUN,
  });
  for (const mail of due) await sendOne(mail);
}

/** The next attempt is scheduled before this one starts, so that two processes do not both send it. */
async function sendOne(mail: CorrectionMail): Promise<void> {
  const { batchId, userId, attempts } = mail;
  try {
    const { count } = await prisma().correctionMail.updateMany({
      where: { batchId, userId, attempts, dueAt: { lte: nowDate() } },
      data: { attempts: attempts + 1, dueAt: nextMailAttemptAt(attempts) },
    });
    if (count === 0) return;
    const written = await writeMail(mail);
    if (written !== null) await sendMail(written);
    await prisma().correctionMail.deleteMany({ where: { batchId, userId } });
  } catch (error) {
    log().warn({ error: describeError(error) }, 'mail about corrections not sent, will be retried');
  }
}

/** Null if the account was deleted. */
async function writeMail({ batchId, userId }: CorrectionMail): Promise<Mail | null> {
  const [user, { reason }, { rows }] = await Promise.all([
    prisma().user.findUnique({ where: { id: userId, deletedAt: null }, select: { email: true } }),
    prisma().correctionBatch.findUniqueOrThrow({ where: { id: batchId } }),
    pool().query<{ credits: bigint; requests: number }>(
      `SELECT sum(credits)::bigint AS credits, count(*)::int AS requests FROM correction WHERE batch_id = $1 AND user_id = $2`,
      [batchId, userId],
    ),
  ]);
  const [sums] = rows;
  if (user === null || sums === undefined) return null;
  const credits = describeCredits(sums.credits);
  const requests = sums.requests === 1 ? 'one of your requests' : `${sums.requests} of your requests`;
  return {
    to: user.email,
    ...writeAccountMail({
      subject: `We refunded ${credits}`,
      paragraphs: [
        `We overcharged ${requests} and have returned ${credits} to your account.`,
        `Reason: ${reason}`,
      ],
      link: { label: 'Show the requests', path: `/account/activity/corrections/${batchId}` },
      note: `Each receipt shows its refund by ${settings().BRAND_NAME}. No action is needed.`,
      stops: { userId },
    }),
  };
}

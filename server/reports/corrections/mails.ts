import { writeAccountMail } from '../../base/account-mail';
import { describeCredits } from '../../base/credits';
import { pool, prisma } from '../../base/db';
import type { MailRefs } from '../../base/due-mails';
import { settings } from '../../base/env';
import type { Mail } from '../../base/mail';

/** One mail to each user of a batch of corrections, once it is booked. */

/** Null if the account was deleted. */
export async function writeCorrectionMail({ batchId, userId }: MailRefs['correction']): Promise<Mail | null> {
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

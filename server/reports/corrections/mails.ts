import { writeAccountMail } from '../../base/account-mail';
import { creditsToJson, microcredits } from '../../base/credits';
import { pool, prisma } from '../../base/db';
import type { MailRefs } from '../../base/due-mails';
import { settings } from '../../base/env';
import type { Mail } from '../../base/mail';
import { mailWords } from '../../base/mail-words';
import { mailLanguageOf, WHOSE_MAIL } from '../../people/language';

/** One mail to each user of a batch of corrections, once it is booked. */

/** Null if the account was deleted. */
export async function writeCorrectionMail({ batchId, userId }: MailRefs['correction']): Promise<Mail | null> {
  const [user, { reason }, { rows }] = await Promise.all([
    prisma().user.findUnique({ where: { id: userId, deletedAt: null }, select: WHOSE_MAIL }),
    prisma().correctionBatch.findUniqueOrThrow({ where: { id: batchId } }),
    pool().query<{ credits: bigint; requests: number }>(
      `SELECT sum(credits)::bigint AS credits, count(*)::int AS requests FROM correction WHERE batch_id = $1 AND user_id = $2`,
      [batchId, userId],
    ),
  ]);
  const [sums] = rows;
  if (user === null || sums === undefined) return null;
  const language = mailLanguageOf(user);
  const words = mailWords(language);
  const say = words.correction;
  const value = creditsToJson(microcredits(sums.credits));
  // Exactly, however small.
  const count = { value, shown: value.toLocaleString(language, { maximumFractionDigits: 6 }) };
  return {
    to: user.email,
    ...writeAccountMail({
      language,
      subject: say.subject({ count }),
      paragraphs: [
        say.text({ count: sums.requests, credits: words.credits({ count }) }),
        say.reason({ reason }),
      ],
      link: { label: say.link, path: `/account/activity/corrections/${batchId}` },
      note: say.note({ brand: settings().BRAND_NAME }),
      stops: { userId },
    }),
  };
}

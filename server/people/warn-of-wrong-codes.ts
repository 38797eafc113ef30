import { DAY_MS, now, nowDate } from '../base/clock';
import { prisma } from '../base/db';
import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import { htmlMail, htmlParagraph, type Mail, sendMail } from '../base/mail';
import { writeTime } from '../base/write-date';

/**
 * Tells users by e-mail when strangers enter wrong codes for their account, at most once a day. A
 * background job does it, because a request that did would be slower for accounts that exist.
 */

/** As many as one code allows: a user who mistypes rarely uses up all of them. */
const WRONG_CODES = 5;

type WrongCodes = { email: string; count: number; firstAt: Date; lastAt: Date };

export async function warnOfWrongCodes(): Promise<void> {
  for (const wrong of await claimWarnings()) {
    try {
      await sendMail({ to: wrong.email, ...writeWarning(wrong) });
    } catch (error) {
      log().error({ error: describeError(error) }, 'could not warn of wrong codes, will be retried');
      await prisma().user.updateMany({ where: { email: wrong.email }, data: { warnedAt: null } });
    }
  }
}

/** The users to warn, each returned to one instance only. */
function claimWarnings(): Promise<WrongCodes[]> {
  const since = new Date(now() - DAY_MS);
  return prisma().$queryRaw<WrongCodes[]>`
    UPDATE "user" u SET warned_at = ${nowDate()}
    FROM (
      SELECT email, sum(attempts - (consumed_at IS NOT NULL)::int)::int AS count,
             min(created_at) AS first_at, max(created_at) AS last_at
      FROM login_challenge
      WHERE created_at > ${since} AND known_browser = ''
        AND attempts > (consumed_at IS NOT NULL)::int
      GROUP BY email
    ) wrong
    WHERE u.email = wrong.email AND wrong.count >= ${WRONG_CODES}
      AND (u.warned_at IS NULL OR u.warned_at <= ${since})
    RETURNING u.email, wrong.count, wrong.first_at AS "firstAt", wrong.last_at AS "lastAt"`;
}

/** Names no app, because strangers choose apps' names, and contains no link. */
function writeWarning({ count, firstAt, lastAt }: Omit<WrongCodes, 'email'>): Omit<Mail, 'to'> {
  const brand = settings().BRAND_NAME;
  const title = `Wrong sign-in codes for your ${brand} account`;
  const paragraphs = [
    `${count} wrong sign-in codes were entered for your account, from browsers or apps that we do not recognise. The codes were requested between ${writeTime(firstAt)} UTC and ${writeTime(lastAt)} UTC. A wrong code gives no access.`,
    'If you mistyped a code, you can ignore this e-mail.',
    'If it was not you, your account is still safe: codes are sent to this e-mail address only. Never give one to anyone. You can keep using your account, and on a browser where you have signed in before, such attempts do not affect you.',
    'To be sure, open Devices in your account and sign out those that you do not know.',
  ];
  return {
    subject: title,
    text: `${paragraphs.join('\n\n')}\n`,
    html: htmlMail(paragraphs.map(htmlParagraph).join('')),
  };
}

import { DAY_MS, now, nowDate } from '../base/clock';
import { prisma } from '../base/db';
import { settings } from '../base/env';
import { describeError, log } from '../base/log';
import { htmlMail, htmlParagraph, type Mail, sendMail } from '../base/mail';
import { mailWords } from '../base/mail-words';
import { writeTime } from '../base/write-date';
import { mailLanguageOf } from './language';

/**
 * Tells users by e-mail when strangers enter wrong codes for their account, at most once a day. A
 * background job does it, because a request that did would be slower for accounts that exist.
 */

/** As many as one code allows: a user who mistypes rarely uses up all of them. */
const WRONG_CODES = 5;

type WrongCodes = {
  email: string;
  language: string | null;
  lastLanguage: string | null;
  count: number;
  firstAt: Date;
  lastAt: Date;
};

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
    RETURNING u.email, u.language, u.last_language AS "lastLanguage", wrong.count, wrong.first_at AS "firstAt", wrong.last_at AS "lastAt"`;
}

/** Names no app, because strangers choose apps' names, and contains no link. */
function writeWarning({ count, firstAt, lastAt, ...user }: WrongCodes): Omit<Mail, 'to'> {
  const language = mailLanguageOf(user);
  const say = mailWords(language).wrongCodes;
  const time = (at: Date) => `${writeTime(at, { language })} UTC`;
  const paragraphs = [
    say.text({
      number: new Intl.NumberFormat(language).format(count),
      from: time(firstAt),
      to: time(lastAt),
    }),
    say.mistyped,
    say.safe,
    say.devices,
  ];
  return {
    subject: say.subject({ brand: settings().BRAND_NAME }),
    text: `${paragraphs.join('\n\n')}\n`,
    html: htmlMail(paragraphs.map(htmlParagraph).join('')),
  };
}

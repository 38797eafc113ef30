import { writeAccountMail } from '../../../base/account-mail';
import { DAY_MS, now, nowDate } from '../../../base/clock';
import { microcredits, wholeCredits } from '../../../base/credits';
import { inTransaction, prisma, querySlowly } from '../../../base/db';
import { type MailRefs, OR_NOW } from '../../../base/due-mails';
import { settings } from '../../../base/env';
import { lockAccount } from '../../../base/lock-account';
import type { Mail } from '../../../base/mail';
import { mailWords } from '../../../base/mail-words';
import { openWallet } from '../../../ledger';
import { mailLanguageOf, WHOSE_MAIL } from '../../../people/language';

/** The mail to a user whose free credits fall below a threshold of their choice. */

/** Returns the threshold in whole credits; null if the user wants no mail. */
export async function findLowBalanceMail(userId: string): Promise<number | null> {
  const row = await prisma().lowBalanceMail.findUnique({ where: { userId } });
  return row?.threshold == null ? null : Number(row.threshold / wholeCredits(1));
}

/** Null turns the mail off. A new threshold is armed at once, but the time of the last mail is kept. */
export async function saveLowBalanceMail(userId: string, credits: number | null): Promise<void> {
  if (credits === null) {
    await prisma().lowBalanceMail.updateMany({ where: { userId }, data: { threshold: null } });
    return;
  }
  const threshold = wholeCredits(credits);
  await inTransaction(async (tx) => {
    await lockAccount(tx, userId);
    // A user who has not used any app yet has no credits to compare.
    await openWallet(tx, userId);
    await tx.lowBalanceMail.upsert({
      where: { userId },
      create: { userId, threshold },
      update: { threshold, isArmed: true },
    });
  });
}

/** Makes the mail due, once until the balance was above the threshold again and at most once a day. */
export async function noteLowBalances(users: string[] | null): Promise<void> {
  const whose = users === null ? '' : 'AND l.user_id = ANY($3)';
  const further = users === null ? [] : [users];
  // A top-up in progress is about to raise the balance.
  await querySlowly(
    `WITH noted AS (
       UPDATE low_balance_mail l SET is_armed = false, last_at = $1
       FROM wallet w WHERE w.user_id = l.user_id AND l.is_armed AND w.money - w.held < l.threshold
         AND (l.last_at IS NULL OR l.last_at <= $2) ${whose}
         AND NOT EXISTS (SELECT FROM auto_top_up t WHERE t.user_id = l.user_id AND t.state = 'on' AND t.session_id IS NOT NULL)
       RETURNING l.user_id)
     INSERT INTO due_mail (kind, ref, due_at)
     SELECT 'low_balance', jsonb_build_object('userId', user_id), $1 FROM noted ORDER BY user_id ${OR_NOW}`,
    [nowDate(), new Date(now() - DAY_MS), ...further],
  );
  await querySlowly(
    `UPDATE low_balance_mail l SET is_armed = true
     FROM wallet w WHERE w.user_id = l.user_id AND NOT l.is_armed AND w.money - w.held >= l.threshold
       ${users === null ? '' : 'AND l.user_id = ANY($1)'}`,
    further,
  );
}

/** Null if the mail is no longer needed: credits were added, or the account was deleted. */
export async function writeLowBalance({ userId }: MailRefs['low_balance']): Promise<Mail | null> {
  const [user, wallet, wish] = await Promise.all([
    prisma().user.findUnique({ where: { id: userId, deletedAt: null }, select: WHOSE_MAIL }),
    prisma().wallet.findUnique({ where: { userId } }),
    prisma().lowBalanceMail.findUnique({ where: { userId } }),
  ]);
  if (user === null || wallet === null || wish?.threshold == null) return null;
  const free = microcredits(wallet.money - wallet.held);
  if (free >= wish.threshold) return null;
  const language = mailLanguageOf(user);
  const words = mailWords(language);
  const say = words.lowBalance;
  const whole = (amount: bigint) => Number(amount / wholeCredits(1));
  const threshold = new Intl.NumberFormat(language).format(whole(wish.threshold));
  return {
    to: user.email,
    ...writeAccountMail({
      language,
      subject: say.subject({ brand: settings().BRAND_NAME }),
      paragraphs: [say.text({ count: whole(free), threshold })],
      link: { label: words.buyCredits, path: '/account/buy' },
      note: say.note,
      further: { label: say.change, path: '/account/payment#low-balance' },
      stops: { userId },
    }),
  };
}

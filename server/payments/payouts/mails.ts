import type { PayoutMail } from '../../../prisma/client/client';
import { writeAccountMail } from '../../base/account-mail';
import { nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { describeError, log } from '../../base/log';
import { type Mail, nextMailAttemptAt, sendMail } from '../../base/mail';
import { describeAccount } from './describe-account';

/** Mails to the owner and the finance members of a team: how a payout ended, and what its account lacks. */

const MAILS_PER_RUN = 50;

export async function sendPayoutMails(): Promise<void> {
  await notePayoutMails();
  await noteAccountMails();
  const due = await prisma().payoutMail.findMany({
    where: { dueAt: { lte: nowDate() } },
    orderBy: { dueAt: 'asc' },
    take: MAILS_PER_RUN,
  });
  for (const mail of due) await sendOne(mail);
}

/** The state decides, not the caller that changed it, so no mail is lost and none is due twice. */
async function notePayoutMails(): Promise<void> {
  await prisma().$executeRaw`
    WITH seen AS (
      SELECT id, CASE WHEN state = 'sent' AND bank_state = 'failed' THEN 'bank_failed' ELSE state END AS kind
      FROM payout WHERE state IN ('sent', 'failed', 'returned')
    ), noted AS (
      UPDATE payout SET mailed_state = seen.kind FROM seen
      WHERE payout.id = seen.id AND payout.mailed_state IS DISTINCT FROM seen.kind
      RETURNING payout.id, team_id, seen.kind
    )
    INSERT INTO payout_mail (team_id, email, payout_id, kind, due_at)
    SELECT noted.team_id, m.email, noted.id, noted.kind, ${nowDate()}
    FROM noted JOIN team_member m ON m.team_id = noted.team_id AND m.role IN ('owner', 'finance')`;
}

async function noteAccountMails(): Promise<void> {
  await prisma().$executeRaw`
    WITH noted AS (
      UPDATE payout_account SET mailed_state = state
      WHERE checked_at IS NOT NULL AND mailed_state IS DISTINCT FROM state
      RETURNING team_id, state
    )
    INSERT INTO payout_mail (team_id, email, kind, due_at)
    SELECT noted.team_id, m.email, noted.state, ${nowDate()}
    FROM noted JOIN team_member m ON m.team_id = noted.team_id AND m.role IN ('owner', 'finance')
    WHERE noted.state IN ('restricted', 'rejected', 'closed')`;
}

/** The next attempt is scheduled before this one starts, so that two processes do not both send it. */
async function sendOne(mail: PayoutMail): Promise<void> {
  const { id, attempts, kind } = mail;
  try {
    const { count } = await prisma().payoutMail.updateMany({
      where: { id, attempts, dueAt: { lte: nowDate() } },
      data: { attempts: attempts + 1, dueAt: nextMailAttemptAt(attempts) },
    });
    if (count === 0) return;
    const written = await writeMail(mail);
    if (written !== null) await sendMail(written);
    await prisma().payoutMail.deleteMany({ where: { id } });
  } catch (error) {
    log().warn({ kind, error: describeError(error) }, 'mail about payouts not sent, will be retried');
  }
}

/** Null if the member has left or may no longer see payouts. */
async function writeMail({ teamId, email, payoutId, kind }: PayoutMail): Promise<Mail | null> {
  const member = await prisma().teamMember.findUnique({ where: { teamId_email: { teamId, email } } });
  const app = await prisma().partner.findFirst({ where: { teamId }, orderBy: { createdAt: 'asc' } });
  if (member === null || app === null || !['owner', 'finance'].includes(member.role)) return null;
  const words = payoutId === null ? await writeAboutAccount(teamId) : await writeAboutPayout(payoutId, kind);
  if (words === null) return null;
  const { BRAND_NAME } = settings();
  const path = `/partner/${app.id}/payouts`;
  return {
    to: email,
    ...writeAccountMail({
      ...words,
      link: { label: 'Payouts of your team', path: payoutId === null ? path : `${path}/${payoutId}` },
      note: `You are receiving this e-mail because you manage the payouts of a team on ${BRAND_NAME}.`,
    }),
  };
}

type MailText = { subject: string; paragraphs: string[] };

async function writeAboutPayout(id: string, kind: string): Promise<MailText> {
  const payout = await prisma().payout.findUniqueOrThrow({ where: { id } });
  const amount = `$${(Number(payout.amount / 10_000n) / 10_000).toFixed(2)}`;
  const because = payout.failure ?? payout.bankFailure ?? '';
  const kept = 'The amount is payable again once the problem is resolved.';
  switch (kind) {
    case 'sent':
      return {
        subject: `Your payout of ${amount} is on its way`,
        paragraphs: ['It arrives within a few days. The statement lists the earnings it covers.'],
      };
    case 'bank_failed':
      return {
        subject: `Your bank did not accept your payout of ${amount}`,
        paragraphs: [
          `The money is in your account at Stripe. Stripe’s reason: ${payout.bankFailure ?? 'unknown'}`,
          'Open your account at Stripe and correct your bank account. Stripe then pays it out again.',
        ],
      };
    case 'returned':
      return { subject: `Your payout of ${amount} was returned`, paragraphs: [because, kept] };
    default:
      return { subject: `Your payout of ${amount} failed`, paragraphs: [because, kept] };
  }
}

const ACCOUNT_SUBJECTS: Readonly<Record<string, string>> = {
  restricted: 'Your payout account needs your attention',
  rejected: 'Your payout account was rejected',
  closed: 'Your payout account was closed',
};

/** As it is now. Null if the matter has been resolved. */
async function writeAboutAccount(teamId: string): Promise<MailText | null> {
  const account = await prisma().payoutAccount.findUnique({ where: { teamId } });
  const subject = ACCOUNT_SUBJECTS[account?.state ?? ''];
  if (account === null || subject === undefined) return null;
  return { subject, paragraphs: [describeAccount(account).text] };
}

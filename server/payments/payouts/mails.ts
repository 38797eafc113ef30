import type { Payout } from '../../../prisma/client/client';
import { writeAccountMail } from '../../base/account-mail';
import { nowDate } from '../../base/clock';
import { prisma, querySlowly } from '../../base/db';
import { type MailRefs, OR_NOW } from '../../base/due-mails';
import { settings } from '../../base/env';
import type { Mail } from '../../base/mail';
import { describeAccount } from './describe-account';

/** Mails to the owner and the finance members of a team: how a payout ended, and what its account lacks. */

/** The state decides, not the caller that changed it, so no mail is lost and none is due twice. */
export async function notePayoutMails(): Promise<void> {
  await querySlowly(
    `WITH seen AS (
       SELECT id, CASE WHEN state = 'sent' AND bank_state = 'failed' THEN 'bank_failed' ELSE state END AS kind
       FROM payout WHERE state IN ('sent', 'failed', 'returned')
     ), noted AS (
       UPDATE payout SET mailed_state = seen.kind FROM seen
       WHERE payout.id = seen.id AND payout.mailed_state IS DISTINCT FROM seen.kind
       RETURNING payout.id, team_id, seen.kind
     )
     INSERT INTO due_mail (kind, ref, due_at)
     SELECT 'payout', jsonb_build_object('payoutId', noted.id, 'kind', noted.kind, 'email', m.email), $1
     FROM noted JOIN team_member m ON m.team_id = noted.team_id AND m.role IN ('owner', 'finance') ${OR_NOW}`,
    [nowDate()],
  );
  await querySlowly(
    `WITH noted AS (
       UPDATE payout_account SET mailed_state = state
       WHERE checked_at IS NOT NULL AND mailed_state IS DISTINCT FROM state
       RETURNING team_id, state
     )
     INSERT INTO due_mail (kind, ref, due_at)
     SELECT 'payout_account', jsonb_build_object('teamId', noted.team_id, 'email', m.email), $1
     FROM noted JOIN team_member m ON m.team_id = noted.team_id AND m.role IN ('owner', 'finance')
     WHERE noted.state IN ('restricted', 'rejected', 'closed') ${OR_NOW}`,
    [nowDate()],
  );
}

export async function writePayoutMail({ payoutId, kind, email }: MailRefs['payout']): Promise<Mail | null> {
  const payout = await prisma().payout.findUniqueOrThrow({ where: { id: payoutId } });
  return writeTo(payout.teamId, email, wordPayout(payout, kind), `/${payoutId}`);
}

/** About the account as it is now. Null if the matter has been resolved. */
export async function writePayoutAccountMail({
  teamId,
  email,
}: MailRefs['payout_account']): Promise<Mail | null> {
  const account = await prisma().payoutAccount.findUnique({ where: { teamId } });
  const subject = ACCOUNT_SUBJECTS[account?.state ?? ''];
  if (account === null || subject === undefined) return null;
  return writeTo(teamId, email, { subject, paragraphs: [describeAccount(account).text] });
}

const ACCOUNT_SUBJECTS: Readonly<Record<string, string>> = {
  restricted: 'Your payout account needs your attention',
  rejected: 'Your payout account was rejected',
  closed: 'Your payout account was closed',
};

/** Null if the member has left or may no longer see payouts. */
async function writeTo(teamId: string, email: string, text: MailText, page = ''): Promise<Mail | null> {
  const member = await prisma().teamMember.findUnique({ where: { teamId_email: { teamId, email } } });
  const app = await prisma().partner.findFirst({ where: { teamId }, orderBy: { createdAt: 'asc' } });
  if (member === null || app === null || !['owner', 'finance'].includes(member.role)) return null;
  const mail = writeAccountMail({
    ...text,
    link: { label: 'Payouts of your team', path: `/partner/${app.id}/payouts${page}` },
    note: `You are receiving this e-mail because you manage the payouts of a team on ${settings().BRAND_NAME}.`,
  });
  return { to: email, ...mail };
}

type MailText = { subject: string; paragraphs: string[] };

function wordPayout(payout: Payout, kind: string): MailText {
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

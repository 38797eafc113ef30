import type { WarningMail } from '../../../prisma/client/client';
import { writeAccountMail } from '../../base/account-mail';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import type { Mail } from '../../base/mail';
import { findPartner } from '../../partners/partner';
import { nameInMails } from '../../partners/rename';
import { hasRight, type Role } from '../../partners/rights';
import type { ErrorsDetail, OutageDetail } from './note-alerts';
import { shareOf } from './rising';
import { showShare, showTime } from './show';

/** The mails to members of a team about one of its apps. They contain no user, and nothing that users sent. */

type MailText = { subject: string; paragraphs: string[]; page: 'webhooks' | 'errors' };

/** Null if the member has left, has another role or turned alerts off since. */
export async function writeAlert(alert: WarningMail, email: string): Promise<Omit<Mail, 'to'> | null> {
  const { partnerId, teamId } = alert.detail as OutageDetail;
  const member = await prisma().teamMember.findUnique({ where: { teamId_email: { teamId, email } } });
  if (!member?.alerts || !hasRight(member.role as Role, 'develop')) return null;
  const partner = await findPartner(partnerId);
  if (partner?.teamId !== teamId) return null;
  const { page, ...words } = writeWords(alert, nameInMails(partner) ?? 'your app');
  return writeAccountMail({
    ...words,
    link: {
      label: page === 'webhooks' ? 'Show the deliveries' : 'Show the errors',
      path: `/partner/${partnerId}/${page}`,
    },
    note: `You are receiving this e-mail because you asked ${settings().BRAND_NAME} for alerts about the apps of your team.`,
    further: { label: 'Turn alerts on or off', path: `/partner/${partnerId}/team#alerts` },
    ends: { userId: alert.userId, kind: 'alerts', teamId },
  });
}

function writeWords({ kind, detail }: WarningMail, app: string): MailText {
  if (kind === 'errors') return writeErrors(detail as unknown as ErrorsDetail, app);
  const since = showTime(new Date((detail as OutageDetail).since));
  if (kind === 'webhook_recovered')
    return {
      subject: `Webhook deliveries have recovered: ${app}`,
      paragraphs: [
        `A delivery to the endpoint of ${app} has succeeded again. They had failed since ${since}.`,
        `${settings().BRAND_NAME} does not resend the events that failed during the outage. Resend them from the list of deliveries, or read them from the API.`,
      ],
      page: 'webhooks',
    };
  return {
    subject: `Webhook deliveries are failing: ${app}`,
    paragraphs: [
      `No delivery to the endpoint of ${app} has succeeded since ${since}.`,
      'The list of deliveries shows what your endpoint responded. You get another e-mail once a delivery succeeds.',
    ],
    page: 'webhooks',
  };
}

const MOST_CODES = 5;

function writeErrors({ hour, errors, served, usual, codes }: ErrorsDetail, app: string): MailText {
  const week = usual.errors + usual.served;
  const before = week === 0 ? 'There were no requests' : `It was ${showShare(shareOf(usual))}`;
  return {
    subject: `Errors are rising: ${app}`,
    paragraphs: [
      `Since ${showTime(new Date(hour))}, ${errors} of ${errors + served} requests of ${app} failed: ${showShare(shareOf({ errors, served }))}. ${before} in the week before.`,
      ...codes
        .slice(0, MOST_CODES)
        .map(
          ({ code, count, firstRequestId }) =>
            `${code}: ${count}${firstRequestId === null ? '' : `. The first failed request: ${firstRequestId}`}`,
        ),
      'Requests refused for an empty balance or a user’s limit are not included.',
    ],
    page: 'errors',
  };
}

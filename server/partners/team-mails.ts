import { prisma } from '../base/db';
import { settings } from '../base/env';
import { escapeHtml } from '../base/html';
import { describeError, log } from '../base/log';
import { htmlMail, htmlParagraph, type Mail, sendMail } from '../base/mail';
import { writeDay } from '../base/write-date';
import { nameInMails } from './rename';
import type { Role } from './rights';

/**
 * Mails about teams. They name an app only if an operator approved its name, and no team: anyone can name one. An
 * invitation names who sent it by the address that they signed in with.
 */

type Notice = 'removed' | 'owner' | 'handed_over' | { role: Role };

/** Tells a member what has changed. A failure is only logged, because the change has happened. */
export async function sendTeamMail(to: string, teamId: string, notice: Notice): Promise<void> {
  try {
    const team = await describeTeam(teamId);
    const link = { label: 'Open the partner dashboard', path: '/partner' };
    await sendMail({ to, ...writeTeamMail(...wordNotice(notice, team), link) });
  } catch (error) {
    log().error({ team_id: teamId, error: describeError(error) }, 'could not send the mail about a team');
  }
}

function wordNotice(notice: Notice, team: string): [subject: string, paragraphs: string[]] {
  const { BRAND_NAME: brand } = settings();
  if (notice === 'removed')
    return [`You were removed from a team: ${brand}`, [`You no longer belong to ${team}.`]];
  if (notice === 'owner')
    return [
      `You now own a team: ${brand}`,
      [`The ownership of ${team} was handed over to you.`, 'You manage its members, and what its apps earn.'],
    ];
  if (notice === 'handed_over')
    return [
      `You handed over a team: ${brand}`,
      [
        `You handed over the ownership of ${team}, and are now a developer in it.`,
        'If this was not you, sign out everywhere on the Devices page of your account and contact us.',
      ],
    ];
  return [`Your role has changed: ${brand}`, [`Your role in ${team} is now ${notice.role}.`]];
}

export async function writeInvitation(
  teamId: string,
  invitation: { id: string; role: string; expiresAt: Date; inviter: string | null },
) {
  const { BRAND_NAME: brand } = settings();
  return writeTeamMail(
    `Invitation to a team: ${brand}`,
    [
      `${invitation.inviter === null ? 'You are invited' : `${invitation.inviter} invites you`} to join ${await describeTeam(teamId)}, with the role ${invitation.role}.`,
      `Sign in with this e-mail address to accept. The invitation is valid until ${writeDay(invitation.expiresAt)}.`,
      'If you did not expect this mail, ignore it.',
    ],
    { label: 'Open the invitation', path: `/team/invitations/${invitation.id}` },
  );
}

async function describeTeam(teamId: string): Promise<string> {
  const { BRAND_NAME: brand } = settings();
  const apps = await prisma().partner.findMany({ where: { teamId }, orderBy: { createdAt: 'asc' } });
  const name = apps.map(nameInMails).find((approved) => approved !== null);
  return `the team that manages ${name ?? 'an app'} on ${brand}`;
}

type Link = { label: string; path: string };

function writeTeamMail(subject: string, paragraphs: string[], link: Link): Omit<Mail, 'to'> {
  const url = settings().BASE_URL + link.path;
  const anchor = `<p style="margin:0 0 12px"><a href="${escapeHtml(url)}">${escapeHtml(link.label)}</a></p>`;
  return {
    subject,
    text: `${[...paragraphs, `${link.label}: ${url}`].join('\n\n')}\n`,
    html: htmlMail(paragraphs.map(htmlParagraph).join('') + anchor),
  };
}

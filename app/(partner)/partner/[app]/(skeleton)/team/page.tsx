import type { Metadata } from 'next';
import { PasskeyNotice } from '@/app/_session/passkey-notice';
import { Badge } from '@/app/_ui/badge';
import { buttonClass } from '@/app/_ui/button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { countOf } from '@/server/base/count-of';
import { type Invitation, listInvitations } from '@/server/partners/invitations';
import { listMembers, type Member as TeamMember } from '@/server/partners/members';
import { hasRight } from '@/server/partners/rights';
import { listTeams } from '@/server/partners/teams';
import { readAlertChoice } from '@/server/people/warnings/alert-choice';
import { type AppParams, type Member, requireApp, requireMember } from '../../require-app';
import { handOver, removeMember, sendInvitationAgain, withdrawInvitation } from './actions';
import { AlertsSwitch } from './alerts-switch';
import { InviteForm } from './invite-form';
import { LeaveButton } from './leave-button';
import { RightsTable } from './rights-table';
import { RoleForm } from './role-form';
import { ROLE_WORDS } from './roles';
import { TeamNameForm } from './team-name-form';

export const metadata: Metadata = { title: 'Team' };

export default async function TeamPage(props: AppParams) {
  await requireApp(props, 'view');
  const me = await requireMember(props);
  const { app, email, role } = me;
  const [teams, members, invitations, hasAlerts] = await Promise.all([
    listTeams(email),
    listMembers(app.teamId),
    listInvitations(app.teamId),
    readAlertChoice({ teamId: app.teamId, email }),
  ]);
  const team = teams.find(({ teamId }) => teamId === app.teamId);
  const isOwner = hasRight(role, 'members');
  return (
    <>
      <PageHead
        title="Team"
        description={describe(team?.name ?? '', team?.apps.map(({ name }) => name) ?? [])}
        actions={
          <PageLink href={`/partner/${app.id}/team/log`} className={buttonClass({ look: 'secondary' })}>
            Audit log
          </PageLink>
        }
      />
      {role !== 'viewer' && <PasskeyNotice />}
      <Section title={countOf(members.length, 'member')} flush>
        <ul>
          {members.map((member) => (
            <MemberRow key={member.email} me={me} member={member} />
          ))}
        </ul>
      </Section>
      {isOwner && (
        <Section
          title="Invite a person"
          description="They get an e-mail with a link that is valid for 7 days, and sign in with the same e-mail address."
        >
          <InviteForm partnerId={app.id} />
        </Section>
      )}
      {invitations.length > 0 && (
        <Section title="Invitations" flush>
          <ul>
            {invitations.map((invitation) => (
              <InvitationRow key={invitation.id} me={me} invitation={invitation} />
            ))}
          </ul>
        </Section>
      )}
      {hasRight(role, 'develop') && (
        <div id="alerts" className="scroll-mt-6">
          <Section
            title="Alerts"
            description="When no webhook delivery has succeeded for an hour, when one succeeds again, and when errors rise, with the first failed request."
          >
            <AlertsSwitch partnerId={app.id} email={email} isOn={hasAlerts} />
          </Section>
        </div>
      )}
      <Section title="Roles" description={`Your role is ${role}.`}>
        <RightsTable own={role} />
      </Section>
      {isOwner ? (
        <Section title="Name" description="Shown to members of more than one team.">
          <TeamNameForm partnerId={app.id} name={team?.name ?? ''} />
        </Section>
      ) : (
        <Section title="Leave" description="You will lose access to this team’s apps.">
          <LeaveButton partnerId={app.id} />
        </Section>
      )}
    </>
  );
}

function describe(name: string, apps: string[]): string {
  const list = new Intl.ListFormat('en-GB').format(apps);
  return `The team ${name} manages ${list}. Each member has the same role in all of its apps, which are paid out together.`;
}

const ROW =
  'flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-b border-line/70 px-5 py-3.5 last:border-0';

function MemberRow({ me, member: { email, role } }: { me: Member; member: TeamMember }) {
  const ofMember = { partnerId: me.app.id, email };
  return (
    <li className={ROW}>
      <p className="min-w-0 text-sm wrap-anywhere">
        {email} {email === me.email && <span className="text-muted">(you)</span>}
      </p>
      {hasRight(me.role, 'members') && role !== 'owner' ? (
        <div className="flex flex-wrap items-center gap-2">
          <RoleForm key={role} partnerId={me.app.id} email={email} role={role} />
          <ConfirmButton
            label="Hand over"
            describe={email}
            title="Hand over the ownership?"
            consequence={`${email} becomes the owner of this team and its earnings. You become a developer, and cannot undo this.`}
            action={handOver.bind(null, ofMember)}
          />
          <ConfirmButton
            label="Remove"
            describe={email}
            title="Remove this member?"
            consequence={`${email} immediately loses access to all apps of this team.`}
            action={removeMember.bind(null, ofMember)}
          />
        </div>
      ) : (
        <Badge>{ROLE_WORDS[role]}</Badge>
      )}
    </li>
  );
}

function InvitationRow({ me, invitation }: { me: Member; invitation: Invitation }) {
  const { id: invitationId, email, role, expiresAt, isExpired } = invitation;
  const ofInvitation = { partnerId: me.app.id, invitationId };
  return (
    <li className={ROW}>
      <p className="min-w-0 text-sm wrap-anywhere">
        {email}
        <span className="block text-[13px] text-muted">
          As {role}. {isExpired ? 'Expired' : 'Valid until'} <Time at={expiresAt.toISOString()} />
        </span>
      </p>
      {hasRight(me.role, 'members') && (
        <div className="flex flex-wrap items-center gap-2">
          <ConfirmButton
            label="Send again"
            describe={email}
            title="Send the invitation again?"
            consequence={`${email} gets another mail. The invitation is then valid for 7 days.`}
            action={sendInvitationAgain.bind(null, ofInvitation)}
          />
          <ConfirmButton
            label="Withdraw"
            describe={email}
            title="Withdraw this invitation?"
            consequence={`The link in the mail to ${email} stops working.`}
            action={withdrawInvitation.bind(null, ofInvitation)}
          />
        </div>
      )}
    </li>
  );
}

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { readPageTexts } from '@/app/_session/page-texts';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { requireSession } from '@/app/_session/session';
import { PageLink } from '@/app/_ui/page-link';
import { findReceived, type ReceivedInvitation } from '@/server/partners/invitations';
import { PartnerFrame } from '../../../partner-frame';
import { AcceptButton } from './accept-button';
import { STATE_WORDS } from './state-words';

export const metadata: Metadata = { title: 'Invitation' };

type Props = { params: Promise<{ id: string }> };

export default async function InvitationPage({ params }: Props) {
  const { email } = await requireSession();
  const { id } = await params;
  const invitation = (await findReceived(id, email)) ?? notFound();
  const { title, advice } = STATE_WORDS[invitation.state];
  return (
    <PartnerFrame>
      {invitation.state === 'open' ? (
        <PresenceDialog texts={await readPageTexts('presence')}>
          <Offer invitation={invitation} />
          <AcceptButton invitationId={id} />
        </PresenceDialog>
      ) : (
        <>
          <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
          <p className="mt-2 mb-6 text-muted">{advice}</p>
          <PageLink href="/partner" className="text-accent underline">
            Your apps
          </PageLink>
        </>
      )}
    </PartnerFrame>
  );
}

function Offer({ invitation: { teamName, appNames, role, inviter } }: { invitation: ReceivedInvitation }) {
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight break-words">Join the team {teamName}</h1>
      <p className="mt-2 mb-8 text-muted">
        {inviter && `${inviter} invites you. `}
        {appNames.length > 0 && `It manages ${new Intl.ListFormat('en-GB').format(appNames)}. `}
        Your role will be {role}. The owner can change it or remove you, and you can leave at any time.
      </p>
    </>
  );
}

import { PageNotFound } from '@/app/_ui/page-not-found';
import { PartnerFrame } from '../../../partner-frame';

export default function InvitationNotFound() {
  return (
    <PartnerFrame>
      <PageNotFound href="/partner" label="Your apps">
        An invitation opens only for the e-mail address it was sent to. Sign in with that one, or ask the
        owner of the team for a new invitation.
      </PageNotFound>
    </PartnerFrame>
  );
}

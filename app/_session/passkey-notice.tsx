import { listPasskeys } from '@/server/people/passkeys';
import { Notice } from '../_ui/notice';
import { PageLink } from '../_ui/page-link';
import { requireSession } from './session';

/** For operators and members of teams: until they have a passkey, access to their mailbox is enough. */
export async function PasskeyNotice() {
  const { userId } = await requireSession();
  if ((await listPasskeys(userId)).length > 0) return null;
  return (
    <div className="mb-6">
      <Notice kind="warning">
        Anyone who can read your e-mail can make changes here.{' '}
        <PageLink href="/account/settings" className="font-medium underline">
          Add a passkey
        </PageLink>{' '}
        to confirm changes with your device instead.
      </Notice>
    </div>
  );
}

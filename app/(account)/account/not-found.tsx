import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageLink } from '@/app/_ui/page-link';

/** What is not there, and what is not yours, look the same. */
export default function AccountNotFound() {
  return (
    <EmptyState
      title="There is nothing here"
      action={
        <PageLink href="/account" className={buttonClass({ look: 'secondary' })}>
          Overview
        </PageLink>
      }
    >
      The address may be wrong, or it is not part of your account.
    </EmptyState>
  );
}

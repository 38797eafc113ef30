import type { Metadata } from 'next';
import { PageNotFound } from '@/app/_ui/page-not-found';

export const metadata: Metadata = { title: 'Not found' };

/** Pages that do not exist and pages of other users look the same. */
export default function AccountNotFound() {
  return (
    <PageNotFound href="/account" label="Overview">
      The URL may be wrong, or the page is not part of your account.
    </PageNotFound>
  );
}

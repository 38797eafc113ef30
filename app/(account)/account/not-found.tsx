import type { Metadata } from 'next';
import { PageNotFound } from '@/app/_ui/page-not-found';

export const metadata: Metadata = { title: 'Not found' };

/** What is not there, and what is not yours, look the same. */
export default function AccountNotFound() {
  return (
    <PageNotFound href="/account" label="Overview">
      The address may be wrong, or it is not part of your account.
    </PageNotFound>
  );
}

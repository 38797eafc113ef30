import type { Metadata } from 'next';
import { PageNotFound } from '@/app/_ui/page-not-found';

export const metadata: Metadata = { title: 'Not found' };

/** Only operators see this page; everyone else gets the plain 404. */
export default function OperatorNotFound() {
  return (
    <PageNotFound href="/operator" label="Overview">
      The URL may be wrong, or the page was deleted.
    </PageNotFound>
  );
}

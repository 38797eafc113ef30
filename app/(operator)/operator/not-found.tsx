import type { Metadata } from 'next';
import { PageNotFound } from '@/app/_ui/page-not-found';

export const metadata: Metadata = { title: 'Not found' };

/** Seen by operators alone: to others even this page does not exist. */
export default function OperatorNotFound() {
  return (
    <PageNotFound href="/operator" label="Overview">
      The address may be wrong, or what stood here was deleted.
    </PageNotFound>
  );
}

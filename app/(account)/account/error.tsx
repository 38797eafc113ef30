'use client';

import { type ErrorPageProps, PageError } from '@/app/_ui/page-error';

/** Nothing was changed by looking at a page. */
export default function AccountError(props: ErrorPageProps) {
  return (
    <PageError {...props}>
      Your credits are safe. We are very busy, or something went wrong on our side: please try again in a
      moment.
    </PageError>
  );
}
